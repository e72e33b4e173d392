/** A list is several looks at the store, and runs change in between. */
import { afterAll, expect, test } from "vitest";
import { listRuns } from "../../src/app/view/lists/list.ts";
import { taskScene } from "../cli/task-support.ts";
import { removeHomes } from "../support/home.ts";
import { AT_HOME } from "../support/procs.ts";

afterAll(removeHomes);

test.for([false, true])("a run that changes between two looks is listed once; all: %s", async (all) => {
  const on = await taskScene();
  const id = await on.taskIn("planning");
  const door = { cwd: on.repo, home: "", env: on.env, procs: AT_HOME };
  await on.withStore(async (store) => {
    // Every look finds it.
    const list: typeof store.list = ({ status: _status, ...filter }) => store.list(filter);
    const moving = new Proxy(store, { get: (of, name) => (name === "list" ? list : bound(of, name)) });
    const { data } = await listRuns({ door, store: moving }, { all, limit: 9 });
    expect(data.runs.map(({ run }) => run)).toEqual([id]);
  });
});

function bound(of: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(of, name);
  return typeof value === "function" ? value.bind(of) : value;
}
