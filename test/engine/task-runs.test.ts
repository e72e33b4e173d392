/** Which files make the runs of tasks be read: those that name something of what they say, by whatever path. */

import { expect, test } from "vitest";
import { showsInside } from "../../src/engine/tasks/task-runs.ts";
import { fromText } from "../support/workflows.ts";

test.for<[data: string, isInside: boolean]>([
  ["{ each: tasks.work.list, give: { from: item.status } }", false],
  ["{ each: tasks.work.list, give: { from: item.phase } }", true],
  ["{ each: tasks.work.list, give: { from: item.id, cases: { meta: { from: item.params.goal } } } }", true],
  ["{ each: run.decisions, give: { from: item.phase } }", false],
  ["{ at: { from: tasks.work.current.id } }", false],
  ["{ at: { from: tasks.work.current.phase } }", true],
  ["{ each: [run.questions, tasks.work.all.questions], give: { from: item.id } }", true],
])("%s: %s", ([data, isInside]) => {
  const workflow = fromText(`$schema: workflow-1.schema.json
name: showing
title: A file shows what the runs of tasks say
artifacts: { work: { children: { id: meta, title: All }, workflow: child, fresh: judging } }
states: { judging: { enter: [start tasks work] }, over: { final: done } }
moves:
  - { from: start, to: judging, by: human }
  - { from: judging, to: over, by: engine, when: { work: [all, none] } }
projection: [{ file: status.json, as: json, data: ${data} }]
`);
  expect(showsInside(workflow)).toBe(isInside);
});
