/** What turns of agents used, added up by what is asked for. */

import { basename } from "node:path";
import { UserError } from "../../../adapters/user-error.ts";
import { familyOf } from "../../../engine/tasks/descendants.ts";
import type { TurnRecord } from "../../../engine/ports/journal.ts";
import type { Store } from "../../../engine/ports/store.ts";
import type { Looking } from "../../declare.ts";
import { success, type Outcome } from "../../outcome.ts";
import { homeMissing, seeRun } from "../../runs/find.ts";
import type { DataOf, InputOf } from "../../schemas.ts";
import { agentName, sayTime } from "../words.ts";
import type { CostBy, CostRow } from "./schemas.ts";
import { usedIn } from "./used.ts";

const DAYS = 30;
const DAY_MS = 86_400_000;
const DATE = "2026-01-31".length;

export async function cost(
  { door, store }: Looking,
  { run: word, by: asked, since: day }: InputOf<"cost">,
): Promise<Outcome<DataOf<"cost">>> {
  const since = day ?? (word === undefined ? dayOf(new Date(Date.now() - DAYS * DAY_MS).toISOString()) : "");
  const begin = since === "" ? undefined : beginOf(since);
  const seen = word === undefined ? undefined : await seeRun(store, door, word);
  const by = asked ?? (seen === undefined ? "run" : "turn");
  const records =
    store === undefined
      ? []
      : await store.reports({
          ...(seen === undefined ? {} : { runs: await familyOf(store, seen.run.id) }),
          ...(begin === undefined ? {} : { since: begin }),
        });
  const rows = store === undefined ? [] : await rowsOf(store, by, records);
  const total = usedIn(records.map(({ report }) => report));
  return success(
    `${total.said}${since === "" ? "" : ` since ${since}`}`,
    { run: seen?.run.id ?? "", by, since, rows, total },
    { next: nextOf(by, rows, seen?.run.id), notes: homeMissing(door) },
  );
}

function nextOf(by: CostBy, rows: readonly CostRow[], run: string | undefined): string {
  if (run !== undefined) return `signalbox show ${run}`;
  const [first] = rows;
  return by === "run" && first !== undefined ? `signalbox cost ${first.run}` : "";
}

/** The day in the time zone of the caller. */
function dayOf(at: string): string {
  return sayTime(at).slice(0, DATE);
}

/** When that day began in the time zone of the caller. */
function beginOf(day: string): string {
  const begin = new Date(`${day}T00:00:00`);
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(begin.getTime()))
    throw new UserError("bad-usage", `"${day}" is not a day`, "signalbox cost --since 2026-01-31");
  return begin.toISOString();
}

async function rowsOf(store: Store, by: CostBy, records: readonly TurnRecord[]): Promise<CostRow[]> {
  if (by === "turn") return records.map(turnRow);
  const projects = new Map((await store.projects()).map(({ repo, name }) => [repo, name]));
  const nameOf: Readonly<Record<Exclude<CostBy, "turn">, (record: TurnRecord) => string>> = {
    role: ({ report }) => report.role,
    run: ({ run }) => run,
    project: ({ repo }) => projects.get(repo) ?? basename(repo),
    day: ({ at }) => dayOf(at),
    model: ({ report }) => report.model || "unknown",
  };
  const rows = [...Map.groupBy(records, nameOf[by])].map(([name, group]): CostRow => {
    const run = by === "run" ? name : "";
    return {
      name: by === "run" ? (group[0]?.goal ?? "") : name,
      run,
      at: group.at(-1)?.at ?? "",
      used: usedIn(group.map(({ report }) => report)),
      turn: null,
    };
  });
  return by === "day" ? rows : rows.toSorted(mostFirst);
}

function mostFirst({ used: one }: CostRow, { used: other }: CostRow): number {
  const tokens = ({ input, output }: CostRow["used"]): number => (input ?? 0) + (output ?? 0);
  return (other.usd ?? 0) - (one.usd ?? 0) || tokens(other) - tokens(one);
}

function turnRow({ run, at, report }: TurnRecord): CostRow {
  const { role, slot, attempt, turn, harness, model, conversation, end, failure, refused } = report;
  return {
    name: agentName(report),
    run,
    at,
    used: usedIn([report]),
    turn: {
      role,
      slot,
      attempt,
      turn,
      harness,
      model,
      conversation,
      end,
      class: failure?.class ?? "",
      failure: failure?.message ?? "",
      refused,
    },
  };
}
