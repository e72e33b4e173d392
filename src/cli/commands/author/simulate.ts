/** `signalbox simulate`: a walk through a workflow, with dice in the place of agents. */

import { randomInt } from "node:crypto";
import { call } from "../../../app/client.ts";
import { badUsage } from "../../../app/failure.ts";
import type { Given } from "../../../app/invocation.ts";
import type { DataOf, InputOf } from "../../../app/schemas.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { numberOption } from "../../number-option.ts";
import { sayWorst } from "../../worst.ts";

const PEOPLE = ["helpful", "random"] as const;
const STEPS = 60;
const STEPS_MAX = 10_000;
/** So many situations are looked at within a second or two. */
const SITUATIONS_MAX = 5000;
const SEED_MAX = 4_294_967_295;
const HELP = "signalbox simulate --help";
const EVENT_WIDTH_MAX = 48;

export const command: Command = {
  usage: "WORKFLOW [--seed N] [--steps N] [--people helpful|random]",
  about:
    "Walks through a workflow without any agent: dice choose what happens, and the real state machine decides what follows.\nThe same seed gives the same walk.",
  words: { min: 1, max: 1 },
  options: {
    seed: { takes: "N", about: "the walk to show; another one each time unless given" },
    steps: { takes: "N", about: `stop after so many steps; ${STEPS} unless given` },
    people: {
      takes: PEOPLE.join("|"),
      about: "whether people want it done, or do anything they may; helpful unless given",
    },
  },
  examples: [
    "signalbox simulate task --seed 7",
    "signalbox simulate design-approval --people random --steps 200",
  ],
  async answer(given, door): Promise<Answer> {
    const [workflow = ""] = given.words;
    const seed = numberOption(given, "seed", {
      otherwise: randomInt(1000),
      min: 0,
      max: SEED_MAX,
      help: HELP,
    });
    const steps = numberOption(given, "steps", { otherwise: STEPS, min: 0, max: STEPS_MAX, help: HELP });
    const outcome = await call(door, "simulate", { workflow, seed, steps, people: peopleOf(given) });
    const isJson = given.options["json"] !== undefined;
    const worst = isJson ? "" : await sayAtWorst(workflow, door);
    return {
      ...answerOf(outcome, () => show(outcome.data, { ending: outcome.message, worst }, door)),
      talk: [
        "\nWhat to try next:",
        `  ${door.self} check ${workflow}`,
        `  ${door.self} graph ${workflow}`,
        `  ${door.self} simulate ${workflow} --seed ${(seed + 1) % SEED_MAX}`,
        "",
      ].join("\n"),
    };
  },
};

function show(
  { name, title, seed, steps }: DataOf<"simulate">,
  { ending, worst }: { readonly ending: string; readonly worst: string },
  { paint }: Door,
): string {
  const number = String(steps.length).length;
  const width = Math.min(EVENT_WIDTH_MAX, Math.max(...steps.map(({ event }) => event.length)));
  const lines = steps.map(({ event, followed }, index) => {
    const step = `  ${paint.dim(String(index + 1).padStart(number))}  ${followed.length === 0 ? event : event.padEnd(width)}`;
    return `${step}${followed.length === 0 ? "" : `  ${followed.map((each) => (each.startsWith("-> ") ? paint.cyan(each) : each)).join(", ")}`}`;
  });
  return [
    `${paint.bold(name)}: ${title}`,
    paint.dim(`Seed ${seed}. Agents and people are played by dice; the state machine is the real one.`),
    "",
    ...lines,
    "",
    paint.bold(ending),
    worst,
  ].join("\n");
}

/** A walk is over at once: only what can be found in a moment is added to it. */
async function sayAtWorst(workflow: string, door: Door): Promise<string> {
  const { data } = await call(door, "check", { workflows: [workflow], situations: SITUATIONS_MAX });
  const [checked] = data.workflows;
  if (checked === undefined) return "";
  const { name, defects } = checked;
  if (defects.length === 0) return sayWorst(checked, door);
  return defects.every(({ code }) => code === "too-large")
    ? `  What it can take at most takes a while to find: signalbox check ${name}\n`
    : `  It has problems: signalbox check ${name}\n`;
}

function peopleOf({ options }: Given): InputOf<"simulate">["people"] {
  const text = options["people"] ?? PEOPLE[0];
  const people = PEOPLE.find((known) => known === text);
  if (people === undefined) throw badUsage(`--people is ${PEOPLE.join(" or ")}, not "${text}"`, HELP);
  return people;
}
