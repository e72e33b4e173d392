/** `signalbox doctor`: what is well, what is missing, what is broken, and what to do about it. */

import { call } from "../../../app/client.ts";
import type { DataOf } from "../../../app/schemas.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { fitted } from "../../fit.ts";

export const command: Command = {
  usage: "[--repair]",
  about:
    "Looks at the machine, the state home, every run, your key, settings and agents, and says what is missing or broken and how to get it.\nWith --repair it restores what the history allows. Nothing is deleted: what cannot be used is kept aside, with its reason. Only people can do that.",
  words: { min: 0, max: 0 },
  options: { repair: { about: "repair what can be repaired, and say what was done and what was lost" } },
  examples: ["signalbox doctor", "signalbox doctor --repair"],
  async answer({ options }, door): Promise<Answer> {
    const outcome = await call(door, options["repair"] === undefined ? "doctor" : "repair", {});
    return answerOf(outcome, () => show(outcome.data, door));
  },
};

function show({ findings, did, lost }: DataOf<"doctor">, { paint, width }: Door): string {
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
  return `${done.length === 0 ? "" : `${done.join("")}\n`}${fitted(rows, width)}`;
}
