/** Sessions of `orchestrated` as rows of tables: what agents and people do, and the way that it takes. */

import type { Literal } from "../../src/core/model/value.ts";
import { live, session, type Lived } from "./orchestrated.ts";

/** Who does what, what people do, the way from the first of its states on. */
export type Row = readonly [
  agents: Record<string, string>,
  people: string,
  expected: string,
  params?: Record<string, Literal>,
];

export function lived([agents, people, , params = {}]: Row): Lived {
  return live(session, { agents, params, people: people === "" ? [] : people.split(", ") });
}

export function wayOf(row: Row): string {
  const { way, waived } = lived(row);
  const told = way.slice(way.indexOf(row[2].split(" ")[0] ?? "")).join(" ");
  return waived.length === 0 ? told : `${told}; waived ${waived.join(" ")}`;
}
