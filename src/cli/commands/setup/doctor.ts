/** `signalbox doctor`: what is well, what is missing, what is broken, and what to do about it. */

import { examine, type Where } from "../../../adapters/doctor/examine.ts";
import type { Finding, Status } from "../../../adapters/doctor/finding.ts";
import type { Repaired } from "../../../adapters/doctor/repair.ts";
import { requirePerson, whoTypes } from "../../../adapters/person/who.ts";
import { EXIT_DAMAGED, EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { columns } from "../../render/table.ts";

const EXIT_WRONG = 1;

export const command: Command = {
  usage: "[--repair]",
  about:
    "Looks at the machine, the state home, every run, your key, settings and agents, and says what is missing or broken and how to get it.\nWith --repair it restores what the history allows. Nothing is deleted: what cannot be used is kept aside, with its reason. Only people can do that.",
  words: { min: 0, max: 0 },
  options: { repair: { about: "mend what can be mended, and say what was done and what was lost" } },
  examples: ["signalbox doctor", "signalbox doctor --repair"],
  async answer({ options }, door): Promise<Answer> {
    const where = { cwd: door.cwd, env: door.env };
    const isRepair = options["repair"] !== undefined;
    // What is mended is what an agent may have broken, so that it is mended the way it wants.
    if (isRepair) requirePerson(whoTypes(door));
    const { did, lost } = isRepair ? await repaired(where) : NOTHING;
    const findings = await examine(where);
    const exit = Math.max(exitOf(findings), lost.length > 0 ? EXIT_WRONG : EXIT_OK);
    const next = findings.filter(({ status }) => RANK[status] > 1).toSorted(worstFirst)[0]?.next ?? "";
    return {
      exit,
      code: CODES[exit] ?? "ok",
      message: summary(findings, lost.length),
      data: () => ({ findings, did, lost }),
      text: () => show({ findings, did, lost }, door),
      next,
      ...(next === "" ? {} : { talk: `  next: ${next}\n` }),
    };
  },
};

const NOTHING: Repaired = { did: [], lost: [] };

/** Who only looks does not wait for what mends. */
async function repaired(where: Where): Promise<Repaired> {
  const { repair } = await import("../../../adapters/doctor/repair.ts");
  return repair(where);
}

const RANK: Readonly<Record<Status, number>> = { ok: 0, note: 1, missing: 2, problem: 3, damaged: 4 };
const CODES: Readonly<Record<number, string>> = {
  0: "ok",
  [EXIT_WRONG]: "problems",
  [EXIT_DAMAGED]: "damaged",
};

function worstFirst(a: Finding, b: Finding): number {
  return RANK[b.status] - RANK[a.status];
}

function exitOf(findings: readonly Finding[]): number {
  const worst = Math.max(...findings.map(({ status }) => RANK[status]));
  if (worst === RANK.damaged) return EXIT_DAMAGED;
  return worst >= RANK.missing ? EXIT_WRONG : EXIT_OK;
}

function summary(findings: readonly Finding[], lost: number): string {
  const counted = (["damaged", "problem", "missing"] as const).flatMap((status) => {
    const count = findings.filter((finding) => finding.status === status).length;
    return count === 0 ? [] : [`${count} ${status}`];
  });
  if (lost > 0) counted.push(`${lost} lost`);
  return counted.length === 0 ? "all is well" : counted.join(", ");
}

type Told = {
  readonly findings: readonly Finding[];
  readonly did: readonly string[];
  readonly lost: readonly string[];
};

function show({ findings, did, lost }: Told, { paint }: Door): string {
  const colour = {
    ok: paint.green,
    note: paint.dim,
    missing: paint.yellow,
    problem: paint.red,
    damaged: paint.red,
  };
  const rows = findings.map(({ status, name, text, next }) => [
    colour[status](status),
    name,
    next === "" ? text : `${text}; try: ${next}`,
  ]);
  const done = [
    ...did.map((text) => `done  ${text}\n`),
    ...lost.map((text) => `${paint.red("lost")}  ${text}\n`),
  ];
  return `${done.length === 0 ? "" : `${done.join("")}\n`}${columns(rows)}`;
}
