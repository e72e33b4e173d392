/** The test counts of a review: numbers that add up, and a status that agrees with them. */

import type { Path } from "../problem.ts";
import { TEST_WORDS, type Tests } from "../../core/model/verdict.ts";
import { quote } from "../reading/finding.ts";
import { isObject, nameOf } from "./shape.ts";
import type { ShapeMisfit } from "./shape.ts";

type TestsReading = { readonly tests?: Tests; readonly misfits: readonly ShapeMisfit[] };

/** `data` is the value at `path`. The shape decides whether it may be missing. */
export function readTests(data: unknown, path: Path): TestsReading {
  if (data === undefined || data === null) return { misfits: [] };
  if (!isObject(data)) return { misfits: [{ path, reason: `${nameOf(path)} must be an object` }] };
  const wrong: ShapeMisfit[] = [];
  const numberAt = (key: string): number => {
    const value = data[key];
    if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
    const at = [...path, key];
    const reason =
      value === undefined ? `${nameOf(at)} is missing` : `${nameOf(at)} must be a whole number, 0 or more`;
    wrong.push({ path: value === undefined ? path : at, reason });
    return 0;
  };
  const skipped = (data["skipped"] ?? undefined) === undefined ? 0 : numberAt("skipped");
  const counts = {
    total: numberAt("total"),
    passed: numberAt("passed"),
    failed: numberAt("failed"),
    skipped,
  };
  const word = data["status"] ?? undefined;
  const status = TEST_WORDS.find((each) => each === word);
  if (word !== undefined && status === undefined)
    wrong.push({
      path: [...path, "status"],
      reason: `${nameOf([...path, "status"])} is ${quote(typeof word === "string" ? word : (JSON.stringify(word) ?? ""))}; allowed are ${TEST_WORDS.join(", ")}`,
    });
  const tests = { ...counts, ...(status === undefined ? {} : { status }) };
  if (wrong.length > 0) return { misfits: wrong };
  return { tests, misfits: doubtsAbout(tests, path) };
}

function doubtsAbout({ status, total, passed, failed, skipped }: Tests, path: Path): ShapeMisfit[] {
  const sum = passed + failed + skipped;
  const added = [...path, "total"];
  const said = [...path, "status"];
  return [
    ...(sum === total
      ? []
      : [
          {
            path: added,
            reason: `${nameOf(added)} is ${total}, but passed ${passed}, failed ${failed} and skipped ${skipped} add up to ${sum}`,
          },
        ]),
    ...(status === "PASS" && failed > 0
      ? [{ path: said, reason: `${nameOf(said)} is PASS, but failed is ${failed}` }]
      : []),
  ];
}
