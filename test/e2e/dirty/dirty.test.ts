/** Whatever state a workspace is left in, and however its run ends: nothing is lost, and nobody's checkout is touched. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { deskOf, removeDesks, type Desk } from "./desk.ts";
import { expectNothingLost, lookAt } from "./proof.ts";
import { FEWER, git, put, STATES, type State } from "./states.ts";

afterAll(removeDesks);

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;

const CHOSEN = isDeep ? STATES : FEWER;

type Ending = (desk: Desk, path: string, lot: number) => Promise<void>;

/** Killed there, the next supervisor finishes. Every release to a pool comes by each of them. */
const FAILPOINTS = [
  "workspace.before-saved",
  "workspace.after-saved",
  "workspace.before-clear",
  "workspace.before-index",
  "workspace.after-index",
  "workspace.after-clear",
  "workspace.before-park",
  "workspace.before-free",
  "workspace.after-free",
  "registry.before-workspace",
  "registry.after-workspace",
  "registry.before-leave-pool",
  "registry.after-leave-pool",
];

/** One after the other: the next one can be killed, too. */
function deathsOf(lot: number): readonly string[] {
  const at = (place: number): string => FAILPOINTS[place % FAILPOINTS.length] ?? "";
  return isDeep ? [at(lot), at(lot + 4), at(lot + 9)] : [at(lot)];
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  done: async (desk) => {
    await desk.move("r1", "finished");
    await desk.carryOut();
  },
  cancel: async (desk) => {
    await desk.move("r1", "dropped");
    await desk.carryOut();
  },
  // Its run is over, and nobody gave it back.
  gc: async (desk) => {
    await desk.move("r1", "finished");
    desk.withStore((store) => {
      const fence = store.fence();
      for (const { key } of store.deeds("r1")) {
        store.claim(key, fence, Date.now());
        store.settle(key, fence, { type: "done", note: "" });
      }
    });
    expect((await desk.call("workspace", "gc")).code).toBe(0);
  },
  // Somebody has removed its pointer to the repository.
  repair: async (desk, path) => {
    rmSync(join(path, ".git"));
    await desk.call("doctor", "--repair");
    await desk.move("r1", "finished");
    await desk.carryOut();
  },
  recovery: async (desk, _path, lot) => {
    await desk.move("r1", "finished");
    const [first, ...more] = deathsOf(lot);
    const signal = await desk.carryOutApart(first ?? "");
    // A sparse worktree is not for the next one: it is removed, and comes by other places.
    if (!CHOSEN[lot]?.isSparse) expect(signal).toBe("SIGKILL");
    for (const name of more) await desk.carryOutApart(name);
    await desk.carryOut();
  },
  reuse: async (desk, path) => {
    await desk.move("r1", "finished");
    await desk.carryOut();
    const next = await desk.begin("r2");
    expect(next).toBe(path);
    const at = { path: next, env: desk.env };
    expect(git(at, "status", "--porcelain", "--ignored")).toBe("");
    expect(git(at, "symbolic-ref", "HEAD")).toBe("refs/heads/signalbox/r2");
    put(next, { "a.txt": "of the next one\n", ".env": "NEXT\n" });
  },
};

const CELLS = CHOSEN.flatMap((state, row) =>
  Object.entries(ENDINGS).map(([how, end], column) => ({ state, row, how, end, column })),
);
/** Each ending once, with states from both halves of the table. */
const SAMPLE = CELLS.filter(
  ({ row, column }) => isDeep || row === column + (column % 2) * Object.keys(ENDINGS).length,
);

test.for(SAMPLE)("$state.name, $how", async ({ state, how, end, row }) => {
  const desk = deskOf({ poolSize: 1 });
  onTestFinished(() => desk.remove());
  const path = await desk.begin("r1");
  makeState(desk, path, state);
  const before = lookAt(desk, "r1", path);
  await end(desk, path, row);
  expect(desk.withStore((store) => store.workspace("r1")?.status)).toBe("released");
  await expectNothingLost(desk, before, state);
  if (how !== "reuse") return;
  // What the next one does is its own.
  await desk.move("r2", "finished");
  await desk.carryOut();
  await expectNothingLost(desk, before, state);
});

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
