/** Where only one run and tasks of it are under way, nobody has to name it. */
import { expect, test } from "vitest";
import { parsed, scene, type Scene } from "./acting-support.ts";

const ASKED = `$schema: workflow-1.schema.json
name: asked
title: A person is asked
states:
  open: { waits: true }
  asked: { ask: agree }
  closed: { final: done }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: asked, by: human }
asks:
  agree: { question: agree, options: { agreed: { to: closed } } }
`;

type Family = { readonly on: Scene; readonly parent: string; readonly children: readonly string[] };

async function family(size: number): Promise<Family> {
  const on = await scene({
    ".signalbox/workflows/asked/workflow.yaml": ASKED,
    ".signalbox/workflows/asked/prompts/agree.md": "Is it good?\n",
  });
  const begin = async (): Promise<string> => (await on.say("run asked --detach --quiet")).stdout.trim();
  const parent = await begin();
  const children: string[] = [];
  for (let n = 0; n < size; n += 1) children.push(await begin());
  await on.withStore(async (store) => {
    const key = { parent, artifact: "work", entry: 1 };
    const definition = (await store.load(parent))?.row.definition ?? "";
    const tasks = children.map((_, n) => ({ id: `${n + 1}`, title: "", dependsOn: [], files: [] }));
    await store.commit([
      {
        type: "put-graph",
        graph: { ...key, definition, most: size },
        children: tasks.map((task) => ({ task, params: {} })),
      },
    ]);
    await store.commit(children.map((run, n) => ({ type: "name-child", graph: key, task: `${n + 1}`, run })));
  });
  return { on, parent, children };
}

test("of several tasks that ask, the person says which one is meant", async () => {
  const { on, parent, children } = await family(2);
  for (const child of children) await on.say(`move ${child} asked`);
  const { code, stderr } = await on.say(`answer ${parent} agreed`);
  expect([code, stderr]).toEqual([5, expect.stringContaining(`2 tasks of ${parent} wait for you`)]);
  expect(stderr).toContain(`signalbox answer ${children[1]}`);
  expect((await on.say(`answer ${children[1]} agreed`)).code).toBe(0);
});

test("a key that was used on a task is not a key of its parent", async () => {
  const { on, parent, children } = await family(1);
  await on.say(`move ${children[0]} asked --key 5`);
  expect((await on.say(`accept ${parent} --key 5`)).code).not.toBe(0);
});

test("a key that went to a task does nothing twice, also when that task has ended", async () => {
  const { on, parent, children } = await family(2);
  await on.say(`move ${children[0]} asked`);
  const first = parsed(await on.say(`answer ${parent} agreed --key q --json`));
  expect(first).toMatchObject({ run: children[0], to: "closed" });
  await on.say(`move ${children[1]} asked`);
  expect(parsed(await on.say(`answer ${parent} agreed --key q --json`))).toMatchObject({ run: children[0] });
  expect(parsed(await on.say(`show ${children[1]} --json`))["state"]).toBe("asked");
});

test("the run is meant, and the question is its task's", async () => {
  const { on, parent, children } = await family(1);
  const [child = ""] = children;
  expect(parsed(await on.say("show --json"))["run"]).toBe(parent);
  await on.say(`move ${child} asked`);
  const { code, stdout } = await on.say("answer agreed");
  expect([code, stdout]).toEqual([0, `the answer is agreed; ${child} goes from asked to closed\n`]);
});
