/** The lean session of the guide, typed from top to bottom. Ids and dates are masked. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isPerson } from "../support/person.ts";
import { shortened } from "./shortened.ts";
import { walkThrough } from "./walk.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/orchestrated.md"), "utf8");
const [, section = ""] = page.split("\n## A lean session from top to bottom\n");
const walk = walkThrough(section.split("\n## ")[0] ?? "");

// A session has a handful of agents, one after the other.
describe.runIf(isPerson && process.env["SIGNALBOX_DEEP"] !== undefined)("a lean session", () => {
  beforeAll(() => {
    walk.type();
  }, 120_000);
  afterAll(() => walk.end());

  test.for(walk.steps.map((step, index) => [index, step.command.trim().split("\n")[0] ?? ""] as const))(
    "step %i: %s",
    ([index]) => {
      const { shown } = walk.steps[index] ?? {};
      const { lines, exit } = walk.said(index);
      const promised = (shown ?? []).map(mask);
      const said = shown === undefined ? [] : shortened(lines.map(mask), promised);
      expect({ said, exit }).toEqual({ said: promised, exit: "0" });
    },
  );
});

function mask(line: string): string {
  return line
    .replace(/^( {2}mode lean: for what is clear as it is, changes three files at most, ).*/, "$1...")
    .replaceAll(/\d{4}-\d\d-\d\d/g, "DATE")
    .replace(/commit: \w{12} /, "commit: COMMIT ")
    .replaceAll(/(\/|^)[a-z0-9]{8}(\/| |$)/g, "$1RUN$2");
}
