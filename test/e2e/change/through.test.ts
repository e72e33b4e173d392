/** A change from end to end by its three commands, held against what was kept. */

import { join } from "node:path";
import { test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { filesBelow } from "../activities/stage.ts";
import { inChange, LONG } from "./play.ts";

/** What a change leaves behind, and what of it people read. */
const LEFT = /^(archive|specs|changes|src)\//;
const SHOWN = /(STATE\.yaml|REVIEW\.md|CHANGELOG\.md|\/proposal\.md)$/;

/** Without what every life has of its own: ids, times, digests, and who of several was the first. */
function shape(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\b\d{4}-\d\d-\d\d\b|\b\d{8}(?=-x)/g, "DATE")
    .replaceAll(/sha256:[\da-f]{64}/g, "DIGEST")
    .replaceAll(/^run: .*$/gm, "run: RUN")
    .replace(/^checksums:[^]*(?=^telemetry)/m, "")
    .replaceAll(/work\/[a-z0-9]{8}\b/g, "work/TASK");
}

test.runIf(isPerson)("straight through: plan, impl, archive", LONG, async ({ expect }) => {
  await inChange({}, async (on) => {
    expect(await on.door("impl", "x")).toBe("4 unknown-run");
    expect(await on.door("plan", "x", "Something else")).toBe("3 challenged");
    expect(await on.door("plan", "x")).toBe("3 challenged");
    expect(await on.door("archive", "x")).toBe("4 not-ready");
    expect(await on.door("impl", "x")).toBe("3 complete");
    expect(await on.door("impl", "x")).toBe("4 not-ready");
    expect(await on.door("archive", "x")).toBe("0 archived");
    expect(await on.door("plan", "x")).toBe("0 archived");
    const golden = (name: string, text: string): Promise<void> =>
      expect(text).toMatchFileSnapshot(join(import.meta.dirname, "golden", `${name}.txt`));
    // Both are merged at the same time.
    const history = (await on.history("x")).filter((line) => line !== "merged is not valid");
    await golden("straight-history", `${history.join("\n")}\n`);
    const left = Object.entries(filesBelow(on.repo)).filter(([file]) => LEFT.test(file));
    await golden("straight-files", `${left.map(([file]) => shape(file)).join("\n")}\n`);
    const texts = left.filter(([file]) => SHOWN.test(file));
    await golden(
      "straight-texts",
      texts.map(([file, text]) => `== ${shape(file)}\n${shape(text)}`).join("\n"),
    );
    expect(on.read("changes/x/STATE.yaml")).toBe("");
    expect((await on.type("verify", on.of("x"))).code).toBe(0);
  });
});
