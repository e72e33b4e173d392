/** Commands that are typed in a folder of a run: they mean its project, and never the clone that the agents work in. */
import { mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { homeAt, runFolders } from "../../src/adapters/home/paths.ts";
import { taskScene, type Tasks } from "./task-support.ts";

type Place = readonly [name: string, at: (on: Tasks, run: string) => string];

const PLACES: readonly Place[] = [
  ["a workspace", ({ home }, run) => join(home.workspaces, run)],
  ["a judge's checkout", ({ home }, run) => join(runFolders(home, run).agents, "reviewer.1-x/work")],
  ["what a release kept", ({ home }, run) => join(runFolders(home, run).kept, "workspace")],
];

/** A task, and a clone of the repository in a place of it. */
async function cloned([, at]: Place): Promise<Tasks & { readonly cwd: string; readonly id: string }> {
  const on = await taskScene({ ".signalbox/config.yaml": "minutes: 7\n" });
  const id = await on.create("Dates are local");
  const path = at({ ...on, home: homeAt(realpathSync(on.home.root)) }, id);
  mkdirSync(dirname(path), { recursive: true });
  on.git(on.repo, "clone", "--quiet", on.repo, path);
  mkdirSync(join(path, "src/deep"), { recursive: true });
  return { ...on, id, cwd: join(path, "src/deep") };
}

test.for(PLACES)("in %s, a command is about the project of that run", async (place) => {
  const on = await cloned(place);
  const { say, repo, cwd, id } = on;
  const at = { cwd };
  for (const words of [
    ["task", "create", "Times are local too", "--no-start"],
    ["run", "task", "And zones", "--detach", "--no-start"],
    ["project", "update", "--agents", "9"],
  ]) {
    const { code, stdout, stderr } = await say(words, at);
    expect([code, stdout + stderr]).toEqual([0, expect.anything()]);
  }
  expect((await on.rows()).map((row) => row.repo)).toEqual([repo, repo, repo]);
  const projects = await on.withStore((store) => store.projects());
  expect(projects.map((row) => [row.repo, row.agents])).toEqual([[repo, 9]]);
  for (const words of [
    ["task", "list"],
    ["list", "--here"],
  ])
    expect((await say(words, at)).stdout).toContain(id.slice(0, 4));
  expect((await say(["config"], at)).stdout).toMatch(/minutes +7/);
});

test.for(PLACES)("in %s, nobody trusts the clone or makes it a project", async (place) => {
  const on = await cloned(place);
  const { say, repo, cwd, id } = on;
  for (const [what, words] of [
    ["trust", ["trust"]],
    ["trust", ["trust", "--show"]],
    ["add", ["project", "add"]],
  ] as const) {
    const { code, stdout, stderr } = await say([...words], { cwd });
    expect([code === 0, stdout]).toEqual([false, ""]);
    expect(stderr).toContain(`You are in a folder of run ${id}: ${what} its project, ${repo}.`);
    expect(stderr).toContain(`cd ${repo}`);
  }
  expect((await on.withStore((store) => store.projects())).map((row) => row.repo)).toEqual([repo]);
});
