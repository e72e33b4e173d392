/** The whole way, straight: what happened and what files tell of it, held against what was kept. */

import { join } from "node:path";
import { test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { LIFE_MS, story, type Story } from "./support.ts";

const PHASES = ".agents/tmp/phases";

test.runIf(isPerson)(
  "straight through: thirteen phases, three tasks, a commit",
  { timeout: LIFE_MS },
  async ({ expect }) => {
    await story({}, async (on) => {
      await on.until("completed");
      const golden = (name: string, text: string): Promise<void> =>
        expect(text).toMatchFileSnapshot(join(import.meta.dirname, "golden", `${name}.txt`));
      await golden("straight-history", `${(await on.history()).join("\n")}\n`);
      await golden("straight-state", shape(on, await on.file(".agents/tmp/state.json")));
      await golden("straight-tasks", shape(on, await on.file(`${PHASES}/2.1-tasks.json`)));
      await golden("straight-test-results", shape(on, await on.file(`${PHASES}/3.1-test-results.json`)));
      const called = on.order().filter((line) => line.startsWith("begin "));
      expect(called).toHaveLength(new Set(called).size);
      expect((await on.person("verify", on.run)).code).toBe(0);
    });
  },
);

/** Without what every life has of its own: ids, times, and which member of a fan-out was the first. */
function shape({ run }: Story, text: string): string {
  const sorted = JSON.stringify(
    JSON.parse(text),
    (key, value: unknown) =>
      key === "files" && typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    2,
  );
  return `${sorted
    .replaceAll(run, "RUN")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\b[\da-f]{40}\b/g, "HASH")}\n`;
}
