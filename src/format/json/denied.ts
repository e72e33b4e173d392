/** What a review says in one place and denies in another, told where it stands: a checklist without its issues, and a pass without a test. */

import type { Checklist, ReviewShape } from "../../core/model/artifact.ts";
import type { Tests, Verdict } from "../../core/model/verdict.ts";
import { quote } from "../reading/finding.ts";
import { isObject, nameOf, valueAt, type Misfit, type Path } from "./shape.ts";

type Said = {
  readonly data: unknown;
  readonly issues: unknown;
  readonly verdict: Verdict | undefined;
  readonly word: unknown;
  readonly tests: Tests | undefined;
};

export function deniedIn(shape: ReviewShape, said: Said): readonly Misfit[] {
  const { checklist } = shape;
  return [
    ...(checklist === undefined ? [] : unlisted(checklist, said)),
    ...(shape.tested === true ? untested(shape, said) : []),
  ];
}

function unlisted({ at, found, by }: Checklist, { data, issues }: Said): readonly Misfit[] {
  const path: Path = at.split(".");
  const headings = valueAt(data, path);
  const listed = new Set(
    (Array.isArray(issues) ? issues : []).flatMap((issue) => {
      const named = valueAt(issue, [by]);
      return typeof named === "string" ? [plain(named)] : [];
    }),
  );
  return Object.entries(isObject(headings) ? headings : {}).flatMap(([heading, word]) => {
    if (word !== found || listed.has(plain(heading))) return [];
    const here = [...path, heading];
    const reason = `${nameOf(here)} is ${quote(found)}, but no issue with that ${by} is listed`;
    return [{ path: here, reason }];
  });
}

/** `devils_advocate` is "Devil's Advocate". */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** What was skipped was not tried. A failed test is told on its own. */
function untested({ testsAt = "" }: ReviewShape, { verdict, word, tests }: Said): readonly Misfit[] {
  const isPass = verdict === "pass" || verdict === "pass_with_notes";
  if (!isPass || (tests !== undefined && tests.passed + tests.failed > 0)) return [];
  const why = tests === undefined || tests.total === 0 ? "no test was run" : "every test was skipped";
  return [{ path: testsAt.split("."), reason: `${quote(String(word))} passes it, but ${why}` }];
}
