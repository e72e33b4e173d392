/** A machine is lost with its disk: another one goes on from the remote, and the run says what was lost. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeStage, type Stage, type Worker } from "../../scripts/cluster/stage.ts";
import { openPostgres } from "../../src/adapters/postgres/open.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { newDatabase, NO_POSTGRES } from "../support/postgres.ts";

type Scene = {
  readonly stage: Stage;
  readonly store: Store;
  readonly run: string;
  readonly one: Worker;
  /** Turns of agents that began, one on each line. */
  readonly ledger: () => string;
  /** The state home of the first machine is gone, and another machine is at work. */
  readonly lose: () => Promise<void>;
};

async function scene(variables: Readonly<Record<string, string>>): Promise<Scene> {
  const database = await newDatabase();
  const stage = makeStage(database, 1);
  const workers: Worker[] = [];
  const store = await openPostgres(database);
  onTestFinished(async () => {
    for (const { process: child } of workers) child.kill("SIGKILL");
    await Promise.all(workers.map(({ ended }) => ended));
    await store.close();
    stage.remove();
  });
  for (const argv of [["project", "add", "--remote", stage.remote], ["trust"]])
    expect(await stage.person(...argv)).toMatchObject({ code: 0 });
  const one = stage.worker("one", ["--slots", "1"], variables);
  workers.push(one);
  const begun = await stage.person("run", "errand", "Lost", "--detach", "--json");
  const { run } = JSON.parse(begun.stdout) as { readonly run: string };
  return {
    stage,
    store,
    run,
    one,
    ledger: () => (existsSync(stage.ledger) ? readFileSync(stage.ledger, "utf8") : ""),
    async lose() {
      one.process.kill("SIGKILL");
      await one.ended;
      rmSync(join(stage.root, "one"), { recursive: true, force: true });
      workers.push(stage.worker("two", ["--slots", "1", "--take-over-after", "1"]));
      await expect.poll(async () => (await store.load(run))?.row.state).toBe("done");
    },
  };
}

function branchOf({ stage, run }: Scene): string {
  const argv = ["--git-dir", stage.remote, "rev-parse", `signalbox/${run}`];
  return execFileSync("git", argv, { encoding: "utf8" }).trim();
}

async function checkEnd({ store, run, ledger }: Scene): Promise<void> {
  const notes = await store.notes(run);
  expect(notes.map(({ text }) => text)).toEqual([expect.stringContaining("its machine is gone")]);
  expect(await store.verify(run)).toMatchObject({ ok: true });
  const turns = ledger().trim().split("\n");
  expect(new Set(turns).size).toBe(turns.length);
}

test.skipIf(NO_POSTGRES !== undefined)(
  "lost while the judge works: another judge gets the same work",
  async () => {
    const on = await scene({});
    await expect.poll(on.ledger).toMatch(/judge/);
    const before = branchOf(on);
    // The person's commands have another state home: what they cannot see is not reported as nothing.
    const { stdout } = await on.stage.person("diff", on.run);
    expect(stdout).toContain(`its work is in another state home: ${on.stage.root}/one/workspaces/${on.run}`);
    await on.lose();
    await checkEnd(on);
    const logs = await on.stage.person("logs", on.run, "--role", "judge", "--attempt", "1");
    expect(logs).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not on this machine") as string,
    });
    const ends = (await on.store.events(on.run)).map(({ event }) =>
      event.type === "agent-ended" ? `${event.role} ${event.cause}` : "",
    );
    expect(ends).toContain("judge infrastructure");
    expect(branchOf(on)).toBe(before);
  },
);

test.skipIf(NO_POSTGRES !== undefined)(
  "lost between an event and its handover: the work is on the remote",
  async () => {
    const on = await scene({ SIGNALBOX_FAILPOINT: "handover.before-ref" });
    await on.one.ended;
    await on.lose();
    await checkEnd(on);
    const work = ["--git-dir", on.stage.remote, "show", `signalbox/${on.run}:work-${on.run}.txt`];
    expect(execFileSync("git", work, { encoding: "utf8" }).trim()).toBe(on.run);
  },
);
