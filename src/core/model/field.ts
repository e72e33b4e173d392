/** Fields of a reading as guards see them: the fields of the file, and the number of issues of each severity in a review. */

import type { Reading } from "./event.ts";
import { SEVERITIES, type Severity } from "./verdict.ts";
import type { Reader } from "./artifact.ts";
import type { Literal } from "./value.ts";

/**
 * The severity that a field counts. A field of that name in the shape takes precedence. Without a shape, an author cannot
 * override the number by writing such a field.
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

/**
 * An issue of unknown severity counts as critical, and `high` includes critical issues, so a guard on `high` does not miss them.
 */
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
