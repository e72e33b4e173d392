/** `signalbox setup`: finds the agents of this machine, tries them, and makes them the ones that every workflow uses. */

import { call } from "../../../app/client.ts";
import { badUsage, UserError } from "../../../app/failure.ts";
import type { DataOf, InputOf } from "../../../app/schemas.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { choose, isConfirmed } from "../../confirm.ts";
import { harmless, type Paint } from "../../paint.ts";
import { showAgents } from "./agents.ts";

type Extra = InputOf<"setup">["install"][number];

const QUESTIONS: Readonly<Record<Extra, string>> = {
  completion: "Complete signalbox commands in your shell?",
  skill: "Install the skill with which Claude Code hands work to Signalbox?",
  mcp: "Give agents of runs their tools over MCP, besides the commands?",
  "agents-md": "Add a section about Signalbox to AGENTS.md of this repository?",
};
const ALL: readonly Extra[] = ["completion", "skill", "mcp", "agents-md"];

export const command: Command = {
  usage: "[--agent NAME] [--reviewer NAME] [--install LIST] [--no-trial] [--yes]",
  about:
    "Finds the agents that are installed, has each chosen one answer one short prompt, and writes your own config.yaml so that every workflow uses them. Without --reviewer one agent works and reviews.\nShows the difference of every file before it writes. Typed again, it changes nothing.",
  words: { min: 0, max: 0 },
  options: {
    agent: {
      takes: "NAME",
      about: "the agent of every workflow, such as codex; replaces what you set before",
    },
    reviewer: { takes: "NAME", about: "another agent for the roles that write a verdict" },
    install: {
      takes: "LIST",
      about: `also: ${ALL.join(",")}, or all; without it each is asked at a terminal`,
    },
    "no-trial": { about: "do not ask a model" },
    yes: { about: "do not ask", short: "y" },
  },
  examples: ["signalbox setup", "signalbox setup --agent codex --install completion --yes"],
  async answer({ options }, door): Promise<Answer> {
    const isAsked = options["yes"] === undefined && door.talk !== undefined && door.isTyped?.() === true;
    const named = await agentsFor(options, door, isAsked);
    const first = await call(door, "setup-plan", { ...named, install: [] });
    if (options["no-trial"] === undefined) await requireAnswers(first.data, door, isAsked);
    const wish = { ...named, install: await installsFor(options["install"], isAsked) };
    const { data } = await call(door, "setup-plan", wish);
    if (data.files.length > 0) {
      door.talk?.print(harmless(showFiles(data, door.paint)));
      if (isAsked && !(await isConfirmed("Write these files?")))
        throw new UserError("not-confirmed", "Nothing was written", "signalbox setup");
    }
    const outcome = await call(door, "setup", { ...wish, shown: data.shown });
    const written = outcome.data.files.map(({ path, isNew }) => `${isNew ? "created" : "changed"} ${path}\n`);
    return answerOf(outcome, () => `${written.join("")}${outcome.message}\n`);
  },
};

type NamedAgents = { readonly agent?: string | undefined; readonly reviewer?: string | undefined };

async function agentsFor(
  { agent, reviewer }: Readonly<Record<string, string>>,
  door: Door,
  isAsked: boolean,
): Promise<NamedAgents> {
  const { data } = await call(door, "agents", {});
  door.talk?.print(harmless(showAgents(data.agents, door)));
  const there = data.agents.filter(({ place }) => place !== "").map(({ name }) => name);
  if (!isAsked || agent !== undefined || there.length < 2) return { agent, reviewer };
  const usual = data.agents.find((each) => each.usual && each.place !== "")?.name ?? there[0] ?? "";
  const works = await choose("Which agent works?", there, usual);
  return { agent: works, reviewer: reviewer ?? (await choose("Which agent reviews?", there, works)) };
}

/** Settings for an agent that does not answer would only move the failure into the first run. */
async function requireAnswers(
  { agent, reviewer }: Pick<DataOf<"setup-plan">, "agent" | "reviewer">,
  door: Door,
  isAsked: boolean,
): Promise<void> {
  const { data } = await call(door, "try-agents", { agents: [...new Set([agent, reviewer])] });
  door.talk?.print(harmless(showTrials(data.trials, door.paint)));
  const failed = data.trials.find(({ result }) => result !== "works");
  if (failed === undefined) return;
  if (isAsked && failed.result !== "interrupted" && (await isConfirmed("Go on with it all the same?")))
    return;
  throw new UserError("no-answer", `Nothing was written: ${failed.agent}: ${failed.message}`, {
    next: `${failed.next}, or without asking a model: signalbox setup --no-trial`,
  });
}

export const SAID: Readonly<Record<DataOf<"try-agents">["trials"][number]["result"], string>> = {
  works: "works",
  "not-installed": "not installed",
  login: "not logged in",
  trust: "does not trust the folder",
  quota: "quota used up",
  configuration: "wrong model or option",
  provider: "the service of its provider failed",
  "no-answer": "no answer",
  other: "failed",
  interrupted: "interrupted",
};

export function showTrials(trials: DataOf<"try-agents">["trials"], paint: Paint): string {
  return trials
    .map(({ agent, result, message, ms }) => {
      const colour = result === "works" ? paint.green : paint.red;
      return `${agent}: ${colour(SAID[result])} after ${(ms / 1000).toFixed(1)} s: ${message}\n`;
    })
    .join("");
}

async function installsFor(list: string | undefined, isAsked: boolean): Promise<Extra[]> {
  if (list === "all") return [...ALL];
  if (list !== undefined && list !== "none") {
    const words = list.split(",").filter((word) => word !== "");
    const unknown = words.find((word) => !ALL.some((name) => name === word));
    if (unknown !== undefined)
      throw badUsage(
        `--install knows ${ALL.join(", ")}, all and none, and not "${unknown}"`,
        "signalbox setup --help",
      );
    return ALL.filter((name) => words.includes(name));
  }
  const wanted: Extra[] = [];
  if (list === undefined && isAsked)
    for (const name of ALL) if (await isConfirmed(QUESTIONS[name])) wanted.push(name);
  return wanted;
}

function showFiles({ files, kept }: DataOf<"setup-plan">, paint: Paint): string {
  const all = files.map(({ path, isNew, diff }) => {
    const lines = diff.split("\n").map((line) => {
      if (line.startsWith("+")) return paint.green(line);
      return line.startsWith("-") ? paint.red(line) : paint.dim(line);
    });
    return `\n${paint.bold(path)}${isNew ? " (new)" : ""}\n${lines.join("\n")}\n`;
  });
  return [...all, ...kept.map((line) => `stays as you set it: ${line}\n`)].join("");
}
