/** What is well, what is missing, what is broken, and what to do about it. */

import { examine } from "../../adapters/doctor/examine.ts";
import type { Finding, Status } from "../../adapters/doctor/finding.ts";
import { EXIT_DAMAGED, EXIT_FAILED, EXIT_OK } from "../exit-codes.ts";
import type { Invocation } from "../invocation.ts";
import type { Outcome } from "../outcome.ts";
import type { DataOf } from "../schemas.ts";

export function doctor(door: Invocation): Promise<Outcome<DataOf<"doctor">>> {
  return examined(door, { did: [], lost: [] });
}

/** Only for people: an agent may have broken something so that it is repaired the way that the agent wants. */
export async function repair(door: Invocation): Promise<Outcome<DataOf<"repair">>> {
  const { repair: repairAll } = await import("../../adapters/doctor/repair.ts");
  return examined(door, await repairAll({ cwd: door.cwd, env: door.env }));
}

async function examined(
  { cwd, env }: Invocation,
  { did, lost }: Pick<DataOf<"repair">, "did" | "lost">,
): Promise<Outcome<DataOf<"doctor">>> {
  const findings = await examine({ cwd, env });
  const exit = Math.max(exitOf(findings), lost.length > 0 ? EXIT_FAILED : EXIT_OK);
  const worst = findings.filter(({ status }) => RANK[status] > RANK.note).toSorted(worstFirst)[0];
  return {
    exit,
    code: CODES[exit] ?? "ok",
    message: summary(findings, lost.length),
    data: { findings, did, lost },
    next: worst?.next ?? "",
    notes: [],
  };
}

const RANK: Readonly<Record<Status, number>> = { ok: 0, note: 1, missing: 2, problem: 3, damaged: 4 };
const CODES: Readonly<Record<number, string>> = {
  [EXIT_OK]: "ok",
  [EXIT_FAILED]: "problems",
  [EXIT_DAMAGED]: "damaged",
};

function worstFirst(a: Finding, b: Finding): number {
  return RANK[b.status] - RANK[a.status];
}

function exitOf(findings: readonly Finding[]): number {
  const worst = Math.max(...findings.map(({ status }) => RANK[status]));
  if (worst === RANK.damaged) return EXIT_DAMAGED;
  return worst >= RANK.missing ? EXIT_FAILED : EXIT_OK;
}

function summary(findings: readonly Finding[], lost: number): string {
  const counted = (["damaged", "problem", "missing"] as const).flatMap((status) => {
    const count = findings.filter((finding) => finding.status === status).length;
    return count === 0 ? [] : [`${count} ${status}`];
  });
  if (lost > 0) counted.push(`${lost} lost`);
  return counted.length === 0 ? "all is well" : counted.join(", ");
}
