/** Where only one run and tasks of it are under way, nobody has to name it. */
import { expect, test } from "vitest";
import { parsed, scene } from "./acting-support.ts";

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

test("the run is meant, and the question is its task's", async () => {
  const on = scene({
    ".signalbox/workflows/asked/workflow.yaml": ASKED,
    ".signalbox/workflows/asked/prompts/agree.md": "Is it good?\n",
  });
  const begin = async (): Promise<string> => (await on.say("run asked --detach --quiet")).stdout.trim();
  const [parent, child] = [await begin(), await begin()];
  expect((await on.say("show")).stderr).toContain("name one of the runs under way");
  on.withStore((store) => {
    const key = { parent, artifact: "work", entry: 1 };
    const task = { id: "1", title: "Part 1", dependsOn: [], files: [] };
    store.putGraph({ ...key, definition: store.load(child)?.row.definition ?? "", most: 1 }, [
      { task, params: {} },
    ]);
    store.nameChild(key, "1", child);
  });
  expect(parsed(await on.say("show --json"))["run"]).toBe(parent);
  await on.say(`move ${child} asked`);
  const { code, stdout } = await on.say("answer agreed");
  expect([code, stdout]).toEqual([0, `the answer is agreed; ${child} goes from asked to closed\n`]);
});
