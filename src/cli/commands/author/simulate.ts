/** `signalbox simulate`: a walk through a workflow, with dice in the place of agents. */

import { randomInt } from "node:crypto";
import { UserError } from "../../../adapters/user-error.ts";
import { check } from "../../../core/check/check.ts";
import { sayConsequences, sayEvent } from "../../../core/check/words.ts";
import type { Workflow } from "../../../core/model/compile.ts";
import { PEOPLE, simulate, type People, type Walk, type WalkStep } from "../../../core/check/simulate.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { Given } from "../../../app/invocation.ts";
import type { Answer, Command } from "../../command.ts";
import { diceOf } from "../../dice.ts";
import type { Paint } from "../../paint.ts";
import { requireWorkflow } from "../../../app/workflows/load.ts";
import { sayWorst } from "../../worst.ts";

const STEPS = 60;
const STEPS_MAX = 10_000;
/** So many situations are looked at within a second or two. */
const NODES_MAX = 5000;
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
    const [wanted = ""] = given.words;
    const seed = numberOf(given, "seed", { otherwise: () => randomInt(1000), max: SEED_MAX });
    const steps = numberOf(given, "steps", { otherwise: () => STEPS, max: STEPS_MAX });
    const people = peopleOf(given);
    const { workflow } = await requireWorkflow(wanted, door);
    const walk = simulate(workflow, {}, { chance: diceOf(seed), steps, people });
    const told = walk.steps.map((step) => tell(workflow, step));
    const state = walk.steps.at(-1)?.run.state ?? "start";
    const ending = sayEnding(walk, state);
    return {
      exit: EXIT_OK,
      code: "ok",
      message: ending,
      data: () => ({ name: workflow.definition.name, seed, people, steps: told, end: walk.end, state }),
      text: () => show(workflow, { seed, told, ending }, door.paint),
      next: `signalbox check ${wanted}`,
      talk: [
        "\nWhat to try next:",
        `  ${door.self} check ${wanted}`,
        `  ${door.self} graph ${wanted}`,
        `  ${door.self} simulate ${wanted} --seed ${(seed + 1) % SEED_MAX}`,
        "",
      ].join("\n"),
    };
  },
};

type Told = { readonly event: string; readonly followed: readonly string[]; readonly state: string };

function tell(workflow: Workflow, { event, events, run }: WalkStep): Told {
  return { event: sayEvent(workflow, run, event), followed: sayConsequences(events), state: run.state };
}

function sayEnding({ steps, end }: Walk, state: string): string {
  const count = `${steps.length} ${steps.length === 1 ? "step" : "steps"}`;
  switch (end) {
    case "final":
      return `It ended in ${state} after ${count}.`;
    case "limit":
      return `It was in ${state} after ${count}, which was the limit; --steps allows more.`;
    case "stranded":
      return `It was stranded in ${state} after ${count}: nothing could happen any more.`;
  }
}

function show(
  workflow: Workflow,
  on: { seed: number; told: readonly Told[]; ending: string },
  paint: Paint,
): string {
  const { name, title } = workflow.definition;
  const number = String(on.told.length).length;
  const width = Math.min(EVENT_WIDTH_MAX, Math.max(...on.told.map(({ event }) => event.length)));
  const lines = on.told.map(({ event, followed }, index) => {
    const step = `  ${paint.dim(String(index + 1).padStart(number))}  ${followed.length === 0 ? event : event.padEnd(width)}`;
    return `${step}${followed.length === 0 ? "" : `  ${followed.map((each) => (each.startsWith("-> ") ? paint.cyan(each) : each)).join(", ")}`}`;
  });
  return [
    `${paint.bold(name)}: ${title}`,
    paint.dim(`Seed ${on.seed}. Agents and people are played by dice; the state machine is the real one.`),
    "",
    ...lines,
    "",
    paint.bold(on.ending),
    sayAtWorst(workflow, paint),
  ].join("\n");
}

/** A walk is over at once: whoever wants more than that can be found in a moment asks for it. */
function sayAtWorst(workflow: Workflow, paint: Paint): string {
  const { name } = workflow.definition;
  const { defects, worst } = check(workflow, NODES_MAX);
  if (defects.length === 0) return sayWorst(workflow, worst, paint);
  return defects.every(({ code }) => code === "too-large")
    ? `  What it can take at most takes a while to find: signalbox check ${name}\n`
    : `  It has problems: signalbox check ${name}\n`;
}

function numberOf(given: Given, name: string, on: { otherwise: () => number; max: number }): number {
  const text = given.options[name];
  if (text === undefined) return on.otherwise();
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= on.max) return value;
  throw new UserError("bad-usage", `--${name} is a whole number from 0 to ${on.max}, not "${text}"`, HELP);
}

function peopleOf({ options }: Given): People {
  const text = options["people"] ?? PEOPLE[0];
  const people = PEOPLE.find((known) => known === text);
  if (people === undefined)
    throw new UserError("bad-usage", `--people is ${PEOPLE.join(" or ")}, not "${text}"`, HELP);
  return people;
}
