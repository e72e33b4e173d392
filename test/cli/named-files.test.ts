/** What is bound to the files that a list of tasks names: they are looked at whenever somebody does something. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parsed, scene } from "./acting-support.ts";

const NAMED = `$schema: workflow-1.schema.json
name: named
title: Files that a list names are approved, as they are
artifacts:
  list: { in: tasks.md, tasks: checkbox, by: human }
  work: { files: list }
  approval: { in: approval.md, file: true, by: human, bind: work }
states:
  open: { waits: true }
  approved: { waits: true }
  busy: { waits: true }
  closed: { final: done }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: approved, by: human, need: [list, approval] }
  - { from: approved, to: open, by: engine, when: { approval: stale } }
  - { from: approved, to: closed, by: human }
  - { from: approved, to: busy, by: human, reserve: place }
  - { from: busy, to: open, by: human, do: [release place] }
`;

test("a file that the list names takes the approval back, another one does not", async () => {
  const on = await scene({ ".signalbox/workflows/named/workflow.yaml": NAMED });
  const write = (file: string, text: string): void => writeFileSync(join(on.repo, file), text);
  const call = async (line: string): Promise<string> => {
    const { ok, message } = parsed(await on.say(`${line} --json`));
    if (ok !== true) return String(message);
    return String(parsed(await on.say(`show ${id} --json`))["state"]);
  };
  const id = (await on.say("run named --detach --quiet")).stdout.trim();
  write("tasks.md", "- [ ] 1.1 Do\n  - File: `a.ts`\n");
  write("approval.md", "yes\n");
  write("a.ts", "1");
  expect(await call(`submit ${id} list`)).toBe("open");
  expect(await call(`submit ${id} approval`)).toBe("open");
  expect(await call(`move ${id} approved`)).toBe("approved");
  write("b.ts", "2");
  expect(await call(`submit ${id} list`)).toBe("approved");
  write("a.ts", "3");
  expect(await call(`submit ${id} list`)).toBe("open");
  expect(await call(`submit ${id} work`)).toContain("engine");
});
