/** A change is known by its name wherever a run is meant, and its doors name doors. */
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { run, type Printed } from "../../src/cli/run.ts";
import { CHANGE_FILES, runOfChange } from "../support/change.ts";
import { copyOf, prepareHome, removeHomes, type Prepared } from "../support/home.ts";
import { AT_HOME } from "../support/procs.ts";

afterAll(removeHomes);

const origin = prepareHome({ ...CHANGE_FILES, "src/deep/a.txt": "a\n" });
await origin.call("trust");
// Its letters are not all those of an id: no run is ever meant by the beginning of its own.
await origin.call(["plan", "loud", "Greetings that shout", "--detach"]);
const id = runOfChange(origin.repo, "loud");

function callIn(on: Prepared, cwd: string, line: string): Promise<Printed> {
  return run(line.split(" "), { cwd, env: on.env, procs: AT_HOME, startSupervisor: () => undefined });
}

describe("by its name", () => {
  test.for([
    "show loud",
    "why loud",
    "next loud",
    "history loud --json",
    "stop loud",
    "move loud challenged",
  ])("%s", async (line) => {
    const { code, stdout } = await copyOf(origin).call(line);
    expect([code, stdout]).toEqual([0, expect.stringContaining(id) as string]);
  });

  test("from every folder of its repository, and nowhere else", async () => {
    expect((await callIn(origin, join(origin.repo, "src/deep"), "show loud")).code).toBe(0);
    const { code, stderr } = await callIn(origin, "/", "show loud");
    expect([code, stderr]).toEqual([2, expect.stringContaining('there is no run "loud"') as string]);
  });

  test("of one that was dropped, until it is taken again", async () => {
    const on = copyOf(origin);
    await on.call("move loud dropped");
    expect((await on.call("show loud")).stdout).toContain(id);
    const { stdout } = await on.call("plan loud again --detach");
    expect((await on.call("show loud")).stdout).toContain(stdout.trim());
  });

  test("it is listed, and agents are told the goal alone", async () => {
    expect((await origin.call("list")).stdout).toMatch(/^loud: Greetings that shout .*\n$/m);
    const goal = await origin.withStore(async (store) => (await store.load(id))?.run.params["goal"]);
    expect(goal).toBe("Greetings that shout");
  });
});

describe("what to type is a door", () => {
  test("where another works here", async () => {
    const on = copyOf(origin);
    const { code, stderr } = await on.call("plan y something");
    expect([code, stderr]).toEqual([5, expect.stringContaining(`run ${id} works there`) as string]);
    expect(stderr).not.toContain("signalbox move");
  });

  test.for<[states: string, door: string, to: string, others: string]>([
    ["challenged", "signalbox impl loud", "building", "move ID halted, cancel ID"],
    ["rejected", "signalbox reopen loud", "drafting", "cancel ID"],
    ["challenged building complete", "signalbox archive loud", "merging", "cancel ID"],
  ])("%s: %s", async ([states, door, to, others]) => {
    const on = copyOf(origin);
    for (const state of states.split(" ")) await on.call(`move loud ${state}`);
    for (const line of ["show loud", "inbox", "next loud"]) {
      const { stdout, stderr } = await on.call(line);
      expect([line, `${stdout}${stderr}`]).toEqual([line, expect.stringContaining(door) as string]);
      expect(`${stdout}${stderr}`).not.toContain(`signalbox move ${id} ${to}`);
    }
    // What no door does is a verb or a move.
    const { stdout } = await on.call("next loud --all");
    for (const other of others.split(", ")) expect(stdout).toContain(`signalbox ${other.replace("ID", id)}`);
  });

  test("also of a run that was begun by its parameters", async () => {
    const on = prepareHome(CHANGE_FILES);
    await on.call("trust");
    const { stdout } = await on.call("run change another --param change=loud --detach");
    await on.call(`move ${stdout.trim()} challenged`);
    expect((await on.call(`show ${stdout.trim()}`)).stdout).toContain("signalbox impl loud ");
    const { code, stderr } = await on.call("run change more --param change=loud --detach");
    expect([code, stderr]).toEqual([6, expect.stringContaining("loud is a run already") as string]);
  });

  test("a run that was begun without a name is called after its goal", async () => {
    const on = prepareHome(CHANGE_FILES);
    await on.call("trust");
    const { stdout } = await on.call(["run", "change", "Users can log in", "--detach"]);
    expect((await on.call("show users-can-log-in")).stdout).toContain(stdout.trim());
  });

  test("where it was rejected", async () => {
    const on = copyOf(origin);
    await on.call("move loud rejected");
    const { code, stdout, stderr } = await on.call("plan loud");
    expect([code, stdout]).toEqual([3, "loud is in rejected\n"]);
    expect(stderr).toBe("  next: signalbox reopen loud\n");
  });
});
