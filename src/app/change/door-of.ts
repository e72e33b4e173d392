/** The door that takes a change where a person's move would: people are told of doors, wherever there is one. */

import type { Why } from "../../core/explain/why.ts";
import type { Seen } from "../runs/find.ts";
import { doorInto } from "./doors.ts";
import { isRunOfName, WORKFLOW } from "./which.ts";

/** For each way what to type; empty where it is no change, or no door leads there: a door takes the first one that is open. */
export function doorsOf(seen: Seen, ways: readonly Why[]): readonly string[] {
  const taken = new Set<string>();
  return ways.map((way) => {
    const door = doorOf(seen, way);
    if (taken.has(door)) return "";
    if (way.open) taken.add(door);
    return door;
  });
}

function doorOf({ row, run, workflow }: Seen, { to, by, answer }: Pick<Why, "to" | "by" | "answer">): string {
  if (row.workflow !== WORKFLOW || answer !== undefined || !by.includes("human")) return "";
  const { states } = workflow.definition;
  if (states[to]?.final !== undefined || states[run.state]?.waits !== true) return "";
  const [from, into] = [run.state, to].map((state) => states[state]?.phase ?? state);
  const doing = doorInto(from ?? "", into ?? "");
  const name = String(run.params["change"] ?? "");
  return doing === undefined || !isRunOfName(row, name) ? "" : `signalbox ${doing} ${name}`;
}
