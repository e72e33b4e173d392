/** All tasks of a run are shown, those of each list in a table of its own; a long list does not flood the screen. */

import { expect, test } from "vitest";
import type { Seen } from "../../src/app/runs/find.ts";
import { sayTasks, tasksShown } from "../../src/app/view/work/tasks.ts";
import { fromText } from "../support/workflows.ts";

const TASK = fromText(`$schema: workflow-1.schema.json
name: part
title: One of them
counters:
  fixes: { max: 3, per: run }
artifacts:
  work: { in: work.json, json: true, by: coder, review: { verdict: verdict, values: { OK: pass } } }
  review: { in: review.json, json: true, by: reviewer, review: { verdict: verdict, values: { OK: pass } } }
  audit: { in: audit.json, json: true, by: auditor, review: { verdict: verdict, values: { OK: pass } } }
roles:
  coder: { prompt: worker }
  reviewer: { prompt: worker, access: read }
  auditor: { prompt: worker, access: read }
states:
  open: { enter: [start coder, start reviewer, start auditor] }
  closed: { final: done }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: open, by: coder, count: fixes }
  - { from: open, to: closed, by: [coder, reviewer, auditor], need: [work, review, audit] }
`);

type Listed = readonly [list: string, entry: number, task: string, run: string, outcome: string];

const good = (artifact: string): object => ({
  by: artifact === "review" ? "reviewer" : "coder",
  tree: "",
  inputs: {},
  reading: {
    artifact,
    slot: "",
    found: true,
    digest: "d",
    verdict: "pass",
    faults: [],
    fields: {},
    lists: {},
  },
});

/** Every run has a fix behind it, a good review, and an audit that a person has waived. */
function seenWith(listed: readonly Listed[]): Seen {
  const children = listed.map(([artifact, entry, id, run, outcome]) => ({
    artifact,
    entry,
    task: { id, title: `Part ${id}`, dependsOn: [], files: [] },
    run,
    took: "",
    outcome,
    status: outcome,
    summary: "",
  }));
  const run = {
    counters: { fixes: 1, other: 0 },
    waivers: { audit: { artifact: "audit", by: "human" } },
    held: { work: good("work"), review: good("review") },
    slots: {},
    baseline: {},
    params: {},
  };
  const store = {
    childrenOf: () => children,
    load: () => ({ row: { id: "r", definition: "h" }, run }),
    definition: () => TASK.definition,
  };
  return { store, run: { id: "parent", waivers: {} } } as unknown as Seen;
}

async function tables(listed: readonly Listed[], verbose = false): Promise<string[]> {
  return sayTasks(await tasksShown(seenWith(listed)), { run: "parent", verbose }).flatMap(
    ({ title, rows }) => [title, ...rows.map((row) => row.join(" "))],
  );
}

const WENT = "(fixes 1; approved by reviewer; audit waived by a person)";

test.for<[what: string, listed: readonly Listed[], lines: readonly string[]]>([
  ["one list", [["work", 2, "1", "a", "done"]], ["Tasks", `1 done a Part 1 ${WENT}`]],
  [
    "two lists, one after the other",
    [
      ["work", 2, "1", "a", "done"],
      ["all", 4, "meta", "b", "done"],
    ],
    ["Tasks of work", `1 done a Part 1 ${WENT}`, "Tasks of all", `meta done b Part meta ${WENT}`],
  ],
  [
    "of a list that was begun again, the last",
    [
      ["work", 2, "1", "a", "done"],
      ["work", 3, "1", "b", "failed"],
    ],
    ["Tasks", `1 failed b Part 1 ${WENT}`],
  ],
  [
    "what an earlier list has left open is nobody's",
    [
      ["work", 2, "1", "a", "failed"],
      ["work", 2, "2", "", ""],
      ["all", 4, "meta", "", ""],
    ],
    [
      "Tasks of work",
      `1 failed a Part 1 ${WENT}`,
      "Tasks of all",
      "meta open  Part meta (waits for its turn)",
    ],
  ],
])("%s", async ([, listed, lines]) => {
  expect(await tables(listed)).toEqual(lines);
});

test("of a long list, what is not done is shown, and how many are", async () => {
  const many = Array.from({ length: 100 }, (_, at): Listed => [
    "work",
    2,
    String(at),
    `r${at}`,
    at === 7 ? "failed" : "done",
  ]);
  const lines = await tables(many);
  expect(lines).toHaveLength(32);
  expect(lines[1]).toMatch(/^7 failed/);
  expect(lines.at(-1)).toBe("and 70 more that are done: signalbox show parent --verbose");
  expect(await tables(many, true)).toHaveLength(101);
});
