/** Whoever is killed between the move and the answer of `resume --restart-stage` types it again, and goes on from there. */

import { isHalted } from "../../src/engine/halted.ts";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { begun, relay } from "../cli/stages-support.ts";
import { isPerson } from "../support/person.ts";

const PROGRAM = join(import.meta.dirname, "../../bin/signalbox");

test.runIf(isPerson)("killed between the move and the answer", async () => {
  const on = await relay();
  const { row } = await begun(on, ["A goal", "--to", "3.1"]);
  // Nothing is due for it then, so that nobody is started.
  await on.say(`stop ${row.id} --now`);
  const state = async (): Promise<string> =>
    (await on.withStore(async (store) => (await store.load(row.id))?.run.state)) ?? "";
  const { signal } = spawnSync(PROGRAM, ["resume", row.id, "--restart-previous"], {
    cwd: on.repo,
    env: { ...on.env, SIGNALBOX_FAILPOINT: "resume.between-move-and-answer" },
  });
  expect([signal, await state()]).toEqual(["SIGKILL", "rewind"]);
  expect(await on.withStore((store) => isHalted(store, row.id))).toBe(true);
  expect((await on.say(`resume ${row.id} --restart-previous`)).code).toBe(0);
  expect(await state()).toBe("2.1");
  expect(await on.withStore((store) => isHalted(store, row.id))).toBe(false);
  expect((await on.say(`verify ${row.id}`)).code).toBe(0);
});
