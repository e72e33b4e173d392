/** Going back in a run: `resume` with a phase, a stage, or what failed. */
import { isHalted } from "../../src/engine/halted.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import { AGENT_ABOVE, parsed, type Scene } from "./acting-support.ts";
import { begun, relay } from "./stages-support.ts";

let on: Scene;
beforeAll(async () => {
  on = await relay();
});

/** A run in this state: begun there, or blocked because its agent has died. */
async function runIn(state: string, ...more: readonly string[]): Promise<string> {
  const { row } = await begun(on, ["A goal", "--to", state, ...more]);
  return row.id;
}

async function blocked(state: string, role: string): Promise<string> {
  const id = await runIn(state);
  await on.crash(id, role);
  return id;
}

async function stateOf(id: string): Promise<string> {
  return (await on.withStore(async (store) => (await store.load(id))?.run.state)) ?? "";
}

/** The state that the option leads to, or why it does not. */
async function resumed(id: string, line: string): Promise<string> {
  const { code, stdout, stderr } = await on.say(`resume ${id} ${line}`);
  return code === 0 ? stateOf(id) : `${code} ${stderr.split("\n")[0]?.replaceAll(id, "RUN") ?? stdout}`;
}

describe("from a phase, through the question that has it", () => {
  test.for<[state: string, line: string, after: string]>([
    ["3.1", "--from-phase 2.1", "2.1"],
    ["3.1", "--from-phase 0", "0"],
    ["3.1", "--from-phase 3.1", "3.1"],
    ["3.1", "--retry-failed", "3.1"],
    ["3.1", "--restart-stage", "3.1"],
    ["3.1", "--restart-previous", "2.1"],
    ["1.1", "--restart-previous", "0"],
    [
      "3.1",
      "--from-phase 4.1",
      '4 signalbox: run RUN in 3.1 cannot go to "4.1"; there are 0, 1.1, 2.1, 2.2, 3.1',
    ],
    ["1.1", "--from-phase plan", '4 signalbox: run RUN in 1.1 cannot go to "plan"; there are 0, 1.1'],
    ["1.1", "--from-phase abort", '4 signalbox: run RUN in 1.1 cannot go to "abort"; there are 0, 1.1'],
    ["0", "--restart-previous", "4 signalbox: run RUN is in EXPLORE, and no stage comes before that"],
    [
      "0",
      "--retry-failed --restart-stage",
      "2 signalbox: --retry-failed and --restart-stage do not go together",
    ],
    ["0", "--from-phase", "2 signalbox: --from-phase needs a value: --from-phase PHASE"],
  ])("in %s, %s: %s", async ([state, line, after]) => {
    const id = await runIn(state);
    expect(await resumed(id, line)).toBe(after);
    expect(await stateOf(id)).toBe(after.includes(" ") ? state : after);
  });

  test("a stage that is not part of the run is not the one before", async () => {
    expect(await resumed(await runIn("4.1", "--no-test"), "--restart-previous")).toBe("2.1");
    expect(await resumed(await runIn("1.1", "--no-explore"), "--restart-previous")).toContain(
      "no stage comes before",
    );
  });

  test("the stage begins with its first phase", async () => {
    const id = await runIn("3.1");
    await resumed(id, "--from-phase 2.2");
    expect(await resumed(id, "--retry-failed")).toBe("2.2");
    expect(await resumed(id, "--restart-stage")).toBe("2.1");
  });
});

describe("where the open question has an answer of its own, that is given", () => {
  test.for<[line: string, after: string, answer: string]>([
    ["--retry-failed", "1.1", "retry"],
    ["--restart-stage", "1.1", "restart"],
    ["--restart-previous", "0", "restart-previous"],
    ["--from-phase 0", "0", "0"],
    ["--from-phase 1.1", "1.1", "1.1"],
  ])("%s", async ([line, after, answer]) => {
    const id = await blocked("1.1", "planner");
    expect(await stateOf(id)).toBe("PLAN-blocked");
    expect(await resumed(id, line)).toBe(after);
    const decisions = (await on.withStore(async (store) => (await store.load(id))?.run.decisions)) ?? [];
    expect(decisions.at(-1)?.answer).toBe(answer);
  });

  test("otherwise its phase and its stage are those that it goes back to", async () => {
    const id = await blocked("4.1", "reporter");
    expect(await stateOf(id)).toBe("FINAL-blocked");
    expect(await resumed(id, "--restart-previous")).toBe("3.1");
  });
});

test("whoever died in between types it again", async () => {
  for (const [line, after] of [
    ["--from-phase 2.1", "2.1"],
    ["--restart-stage", "3.1"],
    ["--restart-previous", "2.1"],
    ["--retry-failed", "3.1"],
  ] as const) {
    const id = await runIn("3.1");
    await on.say(`move ${id} rewind`);
    expect(await stateOf(id)).toBe("rewind");
    expect(await resumed(id, line)).toBe(after);
  }
});

test("a run that was stopped goes on by it", async () => {
  const id = await runIn("3.1");
  await on.say(`stop ${id}`);
  const answer = parsed(await on.say(`resume ${id} --from-phase 2.2 --json`));
  expect(answer).toMatchObject({ state: "2.2", unhalted: true, answered: "2.2", respawned: [] });
  expect(await on.withStore((store) => isHalted(store, id))).toBe(false);
});

test("what is refused leaves it stopped", async () => {
  const id = await runIn("1.1");
  await on.say(`stop ${id}`);
  expect(await resumed(id, "--from-phase 3.1")).toMatch(/^4 /);
  expect(await on.withStore((store) => isHalted(store, id))).toBe(true);
});

test("it is signed by a person, and nobody else may", async () => {
  const id = await runIn("3.1");
  expect((await on.say(`resume ${id} --retry-failed`, { procs: AGENT_ABOVE })).code).toBe(4);
  await resumed(id, "--retry-failed");
  const { stdout } = await on.say(`history ${id}`);
  expect(stdout).toMatch(/moved it to rewind/);
  expect(stdout).toMatch(/3\.1/);
  expect((await on.say(`verify ${id}`)).code).toBe(0);
});

test("a run that is over does not begin again", async () => {
  const id = await runIn("3.1");
  await on.say(`move ${id} rewind`);
  await on.say(`answer ${id} abort`);
  expect(await resumed(id, "--retry-failed")).toMatch(/^4 /);
});

test("a run that was stopped shows it when nobody is at work for it any more", async () => {
  const id = await runIn("1.1");
  const agent = { run: id, role: "planner", slot: "", attempt: 1, token: "t", dir: "", turn: 1 } as const;
  const rest = { ...agent, entry: 0, startedAt: 0 };
  const shown = (): unknown =>
    JSON.parse(readFileSync(join(runFolders(on.home, id).files, "status.json"), "utf8"));
  await on.withStore((store) => store.commit([{ type: "put-agent", agent: { ...rest, status: "running" } }]));
  await on.say(`stop ${id}`);
  expect(shown()).toEqual({ status: "in_progress" });
  await on.withStore((store) => store.commit([{ type: "put-agent", agent: { ...rest, status: "ended" } }]));
  await on.say(`stop ${id}`);
  expect(shown()).toEqual({ status: "stopped" });
});

test.for<[state: string, said: string]>([
  ["1.1", "aborted"],
  ["rewind", "4 signalbox: only an answer ends the run early from rewind"],
])("a workflow without such an end is cancelled by giving up: from %s", async ([state, said]) => {
  const id = await runIn("1.1");
  if (state !== "1.1") await on.say(`move ${id} ${state}`);
  const { code, stderr } = await on.say(`cancel ${id}`);
  expect(code === 0 ? await stateOf(id) : `${code} ${stderr.split("\n")[0]}`).toBe(said);
});
