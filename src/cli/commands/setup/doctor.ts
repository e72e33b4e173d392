/** `signalbox doctor`: what is well, what is missing, what is broken, and what to do about it. */

import { call } from "../../../app/client.ts";
import type { DataOf } from "../../../app/schemas.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { fitted } from "../../fit.ts";
import { SAID } from "./setup.ts";

export const command: Command = {
  usage: "[--repair] [--trial]",
  about:
    "Looks at the machine, the state home, every run, your key, settings and agents, and says what is missing or broken and how to get it.\nWith --repair it restores what the history allows. Nothing is deleted: what cannot be used is kept aside, with its reason. Only people can do that.\nWith --trial every installed agent answers one short prompt, which asks its model.",
  words: { min: 0, max: 0 },
  options: {
    repair: { about: "repair what can be repaired, and say what was done and what was lost" },
    trial: { about: "have every installed agent answer one short prompt" },
  },
  examples: ["signalbox doctor", "signalbox doctor --trial", "signalbox doctor --repair"],
  async answer({ options }, door): Promise<Answer> {
    const outcome = await call(door, options["repair"] === undefined ? "doctor" : "repair", {});
    const tried = options["trial"] === undefined ? undefined : await call(door, "try-agents", {});
    if (tried === undefined) return answerOf(outcome, () => show(outcome.data, door));
    const findings = [...outcome.data.findings, ...tried.data.trials.map(findingOf)];
    const worst = outcome.exit >= tried.exit ? outcome : { ...tried, message: tried.message };
    const data = { ...outcome.data, findings };
    return answerOf(
      { ...outcome, exit: worst.exit, code: worst.code, message: worst.message, next: worst.next, data },
      () => show(data, door),
    );
  },
};

function findingOf({
  agent,
  result,
  message,
  next,
}: DataOf<"try-agents">["trials"][number]): DataOf<"doctor">["findings"][number] {
  const status = result === "works" ? "ok" : "problem";
  return { status, name: `trial ${agent}`, text: `${SAID[result]}: ${message}`, next };
}

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
