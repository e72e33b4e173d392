/** Whatever state a workspace is in, and however its run ends: nothing is lost, and the user's repository is not touched. */
import { claim, newFence, settle } from "../../support/effects.ts";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { deskOf, removeDesks, type Desk } from "./desk.ts";
import { expectNothingLost, lookAt } from "./proof.ts";
import { FEWER, STATES, type State } from "./states.ts";

afterAll(removeDesks);

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;

const CHOSEN = isDeep ? STATES : FEWER;

/** `end` is the final state; `row` chooses where the process is killed. */
type Lot = { readonly end: string; readonly row: number };

type Ending = (desk: Desk, path: string, lot: Lot) => Promise<void | { readonly isGitDeleted: true }>;

/** Killed there, the next supervisor finishes. Every release comes by each of them. */
const FAILPOINTS = [
  "workspace.before-keep",
  "workspace.after-keep",
  "workspace.before-compact",
  "workspace.after-compact",
  "workspace.before-forget",
  "registry.before-workspace",
  "registry.after-workspace",
];

/** One after the other: the next one can be killed, too. */
function deathsOf(lot: number): readonly string[] {
  const at = (place: number): string => FAILPOINTS[place % FAILPOINTS.length] ?? "";
  return isDeep ? [at(lot), at(lot + 2), at(lot + 5)] : [at(lot)];
}

async function finish(desk: Desk, end: string): Promise<void> {
  await desk.move("r1", end);
  await desk.carryOut();
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  done: (desk, _path, { end }) => finish(desk, end),
  cancel: async (desk) => {
    await desk.move("r1", "dropped");
    await desk.carryOut();
  },
  // The run is over, and its workspace was never released.
  gc: async (desk, _path, { end }) => {
    await desk.move("r1", end);
    await desk.withStore(async (store) => {
      const fence = await newFence(store);
      for (const { key } of await store.deeds("r1")) {
        await claim(store, key, { fence, leaseUntil: Date.now() });
        await settle(store, key, { fence, outcome: { type: "done", note: "" } });
      }
    });
    expect((await desk.call("workspace", "gc")).code).toBe(0);
  },
  "repair of a lost bench": async (desk, _path, { end }) => {
    rmSync(join(desk.home.root, "git"), { recursive: true });
    expect((await desk.call("doctor", "--repair")).stderr).not.toContain("Error");
    await finish(desk, end);
  },
  "repair of a deleted .git": async (desk, path, { end }) => {
    rmSync(join(path, ".git"), { recursive: true });
    expect((await desk.call("doctor", "--repair")).stderr).not.toContain("Error");
    await finish(desk, end);
    return { isGitDeleted: true };
  },
  recovery: async (desk, _path, { end, row }) => {
    await desk.move("r1", end);
    const [first, ...more] = deathsOf(row);
    expect(await desk.carryOutApart(first ?? "")).toBe("SIGKILL");
    for (const name of more) await desk.carryOutApart(name);
    await desk.carryOut();
  },
};

const CELLS = CHOSEN.flatMap((state, row) =>
  Object.entries(ENDINGS).map(([how, end], column) => ({ state, row, how, end, column })),
);
/** Each ending once, with states from both halves of the table. */
const SAMPLE = CELLS.filter(
  ({ row, column }) => isDeep || row === column + (column % 2) * Object.keys(ENDINGS).length,
);

test.for(SAMPLE)("$state.name, $how", async ({ state, end, row }) => {
  const desk = await deskOf({ agents: 1 });
  onTestFinished(() => desk.remove());
  const path = await desk.begin("r1");
  makeState(desk, path, state);
  const before = lookAt(desk, "r1", path);
  const expected = await end(desk, path, { end: await finalFor(desk, state), row });
  expect(await desk.withStore(async (store) => (await store.workspace("r1"))?.status)).toBe("released");
  expect(existsSync(path)).toBe(false);
  await expectNothingLost(desk, before, { ...state, ...expected });
});

/** A run whose work cannot be delivered is refused its end, and can still be dropped. */
async function finalFor(desk: Desk, { isUndeliverable }: State): Promise<string> {
  if (isUndeliverable !== true) return "finished";
  await expect(desk.move("r1", "finished")).rejects.toThrow(/nested|submodule/);
  return "dropped";
}

function makeState(desk: Desk, path: string, state: State): void {
  const env = {
    ...desk.env,
    GIT_AUTHOR_NAME: "Agent",
    GIT_AUTHOR_EMAIL: "agent@example.org",
    GIT_COMMITTER_NAME: "Agent",
    GIT_COMMITTER_EMAIL: "agent@example.org",
  };
  state.make({ path, beside: join(desk.root, "beside"), env });
  expect(existsSync(path)).toBe(true);
}
