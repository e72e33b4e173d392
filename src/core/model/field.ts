/** Fields of what was read, as guards see them: what stands in the file, and how many issues of each severity a review lists. */

import type { Reading } from "./event.ts";
import { SEVERITIES, type Severity } from "./verdict.ts";
import type { Reader } from "./artifact.ts";
import type { Literal } from "./value.ts";

/**
 * The severity that a field counts. What the shape itself has under that name comes first; without a shape nobody can
 * make the number another one by writing it down.
 */
export function countedBy(reader: Reader | undefined, field: string): Severity | undefined {
  if (reader?.type !== "json" && reader?.type !== "yaml") return undefined;
  const { review, shape } = reader;
  if (review?.issuesAt === undefined) return undefined;
  const isOwn =
    shape?.type === "object" &&
    (Object.hasOwn(shape.required, field) || Object.hasOwn(shape.optional, field));
  return isOwn ? undefined : SEVERITIES.find((severity) => severity === field);
}

/** What nobody can rank counts as critical, so that what is critical is also high: a guard on `high` must not miss it. */
export function valueIn(
  reader: Reader | undefined,
  reading: Reading | undefined,
  field: string,
): Literal | undefined {
  const counted = countedBy(reader, field);
  if (counted === undefined) return reading?.fields[field];
  const issues = reading?.issues;
  if (issues === undefined) return undefined;
  return counted === "high" ? issues.critical + issues.high : issues[counted];
}
