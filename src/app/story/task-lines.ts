/** The tasks of a run as they go: a line when one begins, ends, or waits for a person. */

import { flatMapped } from "../../engine/lists.ts";
import type { Run } from "../../core/model/run.ts";
import type { ChildRow } from "../../engine/ports/graphs.ts";
import type { Seen } from "../runs/find.ts";
import { firstLine } from "../view/words.ts";
import { statusOf } from "../view/work/children.ts";

export type Piece = {
  readonly at: string;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
};

export type TaskTeller = (seen: Seen) => Promise<readonly Piece[]>;

/** Tells what is new since it was last asked. */
export function taskTeller(): TaskTeller {
  const told = new Map<string, string>();
  return async (seen) => {
    if (!hasTasks(seen)) return [];
    return flatMapped(await seen.store.childrenOf(seen.run.id), async (child) => {
      const key = `${child.artifact}:${child.entry}:${child.task.id}`;
      const [before, now] = [told.get(key) ?? "open", statusOf(child, false)];
      if (before === now || isUnsettled(child)) return [];
      told.set(key, now);
      return piecesOf(seen, child, { before, now });
    });
  };
}

/** Its run has ended, and what it says of itself is not noted yet. */
function isUnsettled({ status, outcome }: ChildRow): boolean {
  return outcome === "" && (status === "done" || status === "failed");
}

function hasTasks({ workflow }: Seen): boolean {
  return Object.values(workflow.definition.artifacts).some(({ reader }) => reader.type === "children");
}

type Change = { readonly before: string; readonly now: string };

/** Between two looks, one may have begun and ended. */
async function piecesOf({ store, run }: Seen, child: ChildRow, { before, now }: Change): Promise<Piece[]> {
  const { task, run: own } = child;
  const kept = own === "" ? undefined : await store.load(own);
  const piece = (at: string, status: string, what: string): Piece => ({
    at,
    text: `task ${task.id} ${what}`,
    data: { run: run.id, task: task.id, child: own, at, status, what },
  });
  const begun =
    before === "open" && kept !== undefined
      ? [piece(kept.row.startedAt, "running", `begins: ${firstLine(task.title)} (${own})`)]
      : [];
  const at = kept?.row.updatedAt ?? (await latest({ store, run }));
  if (now === "running") return before === "open" ? begun : [piece(at, now, "goes on")];
  return [...begun, piece(at, now, sayNow(child, now, kept?.run))];
}

/** What never began has no time of its own: it is known since the last thing that became of the others. */
async function latest({ store, run }: Pick<Seen, "store" | "run">): Promise<string> {
  const times = await flatMapped(
    await store.childrenOf(run.id),
    async (one) => (await store.load(one.run))?.row.updatedAt ?? [],
  );
  return [run.updatedAt, ...times].toSorted().at(-1) ?? "";
}

function sayNow({ run, took, summary }: ChildRow, status: string, own: Run | undefined): string {
  const said = summary === "" ? "" : `: ${firstLine(summary)}`;
  switch (status) {
    case "waiting":
      return `waits for a person: signalbox show ${run}`;
    case "done":
      return took === "" || run !== "" ? `is done${sayCounted(own)}${said}` : `was done before (${took})`;
    case "failed":
      return `has failed${sayCounted(own)}${said === "" ? `: signalbox show ${run}` : said}`;
    case "blocked":
      return "cannot begin: what it depends on has failed";
  }
  return `is ${status}`;
}

/** It did not go straight: what was counted on the way. */
function sayCounted(own: Run | undefined): string {
  const counted = Object.entries(own?.counters ?? {}).filter(([, value]) => value > 0);
  return counted.length === 0 ? "" : ` after ${counted.map((pair) => pair.join(" ")).join(", ")}`;
}
