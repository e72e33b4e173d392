/** `signalbox demo`: a whole workflow on the real engine, with scripts for agents, in a place that is thrown away. */

import { workflowToCreate } from "../../../app/commands/declared.ts";
import { UserError } from "../../../app/failure.ts";
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { EXIT_FAILED, EXIT_OK } from "../../../app/exit-codes.ts";
import type { Given } from "../../../app/invocation.ts";
import type { Emit } from "../../../app/outcome.ts";
import type { Answer, Command, Door } from "../../command.ts";
import {
  COLUMNS,
  exportOf,
  isSomebodyThere,
  performAll,
  typed,
  type Ended,
  type Player,
} from "../../cast.ts";
import { wrapped } from "../../fit.ts";
import { setStage, STAND_IN, typedAnywhere, untilQuiet, type Stage } from "../../../app/demo.ts";

export const command: Command = {
  usage: "[DEMO] [--yes] [--keep]",
  about:
    "Plays a workflow from its beginning to its good end: a throw-away repository, scripted agents, the real engine. No model and no\nset-up. Where the workflow asks a person, you are asked at the keyboard. DEMO is the name of the workflow: there are demos of task (three tasks at once; one asks a question, one\nfails its first review), of staged (thirteen phases, with tasks of their own), of change (from a proposal to the archive) and of orchestrated\n(a team of agents with contracts, from a goal to a release).",
  words: { min: 0, max: 1 },
  options: {
    yes: { about: "answer for the person, as without a keyboard", short: "y" },
    keep: { about: "leave the repository and everything that was written" },
  },
  examples: ["signalbox demo", "signalbox demo staged --yes --keep", "signalbox demo orchestrated"],
  async answer(given, door): Promise<Answer> {
    const workflow = given.words[0] ?? (await workflowToCreate({ ...door, cwd: "/" }));
    const stage = setStage(workflow, door.env);
    const own: Door = { ...door, cwd: stage.repo, env: stage.env, procs: STAND_IN };
    return {
      exit: EXIT_OK,
      code: "ok",
      message: `a demo of ${workflow}`,
      data: () => ({}),
      text: () => opening(workflow, stage, door),
      next: "",
      stream: (emit, signal) => play({ workflow, stage, door: own, given, emit, signal }),
    };
  },
};

function opening(workflow: string, { repo, script }: Stage, { paint }: Door): string {
  const lines = [
    `${paint.bold(`A demo of ${workflow}:`)} ${script.about}`,
    `  repository ${repo}`,
    `  agents     ${Object.keys(script.harnesses).join(", ")}: scripts, no model`,
    ...script.runs.map(({ name, goal }) => `  ${name.padEnd(NAME_MIN)} ${goal}`),
  ];
  return `${lines.join("\n")}\n\n`;
}

const NAME_MIN = 10;

type Play = {
  readonly workflow: string;
  readonly stage: Stage;
  readonly door: Door;
  readonly given: Given;
  readonly emit: Emit;
  readonly signal: AbortSignal;
};

/** Whatever goes wrong, what there is of it can be looked at. */
async function play(on: Play): Promise<number> {
  try {
    return await playThrough(on);
  } catch (error) {
    const isTold = error instanceof UserError;
    const reason = error instanceof Error ? error.message.trim() : String(error);
    const failed = new UserError(
      "demo-failed",
      `the demo failed, and everything is kept in ${on.stage.root}: ${reason}`,
      {
        next: isTold ? error.next : "signalbox doctor",
        exit: isTold ? error.exit : EXIT_FAILED,
      },
    );
    failed.cause = error;
    throw failed;
  }
}

async function playThrough(on: Play): Promise<number> {
  const { stage, door, given, emit, signal } = on;
  const { before, runs: wanted, params, gates } = stage.script;
  for (const argv of before) await typed(stage, argv);
  const cast: Player[] = [];
  for (const { name, argv } of wanted) cast.push({ name, run: await begun(stage, [...argv, ...params]) });
  const isStandIn = given.options["yes"] !== undefined || !isSomebodyThere();
  const ends = await performAll(cast, { stage, door, emit, signal, gates, isStandIn });
  const isGood = ends.every(({ end }) => end.exit === EXIT_OK);
  const isKept = given.options["keep"] !== undefined || !isGood;
  const exit = isGood ? EXIT_OK : (ends.find(({ end }) => end.exit !== EXIT_OK)?.end.exit ?? EXIT_FAILED);
  const runs = ends.map(({ name, run, end: { code, message, state, status } }) => {
    return { name, run, code, message, state, status };
  });
  emit({
    text: closing(on, ends, isKept),
    data: { exit, code: isGood ? "ok" : "unfinished", runs, repository: stage.repo, kept: isKept },
  });
  await untilQuiet(stage);
  if (!isKept) rmSync(stage.root, { recursive: true, force: true });
  return exit;
}

async function begun(stage: Stage, argv: readonly string[]): Promise<string> {
  const answer = await typed(stage, [...argv, "--json"]);
  const document: unknown = JSON.parse(answer);
  if (
    typeof document === "object" &&
    document !== null &&
    "run" in document &&
    typeof document.run === "string"
  )
    return document.run;
  throw new Error(`the demo could not begin: ${answer}`);
}

function closing({ stage, door }: Play, ends: readonly Ended[], isKept: boolean): string {
  const { bold, green, red, dim } = door.paint;
  const self = typedAnywhere();
  const commits = commitsOf(stage, "main");
  return [
    "",
    ...ends.map(({ name, run, end }) =>
      end.exit === EXIT_OK
        ? green(bold(`${name} ${run}: ${end.state}.`))
        : red(bold(wrapped(end.message, COLUMNS))),
    ),
    ...(commits.length === 0 ? [] : ["Merged into main:", ...commits.map((line) => `  ${line}`)]),
    ...branchesOf(stage).flatMap((branch) => [
      `On the branch ${branch}:`,
      ...commitsOf(stage, branch).map((line) => `  ${line}`),
    ]),
    ...(isKept
      ? [
          "Kept. To look around:",
          `  cd ${stage.repo}`,
          `  ${exportOf(stage)}`,
          `  ${self} list --all`,
          ...ends.flatMap(({ end }) => end.left.pages.map((page) => `  less ${page}`)),
          ...ends.flatMap(({ end }) =>
            end.ways.map((way) => `  ${way.replaceAll("signalbox ", `${self} `)}`),
          ),
          ...ending(ends, self),
        ]
      : [dim("The repository and everything in it is gone again; --keep leaves it.")]),
    "In a repository of yours:",
    `  ${self} init        settings, with every key explained`,
    `  ${self} ${stage.script.begin}`,
    "",
  ].join("\n");
}

/** Whoever waits for an answer does so for as long as it takes. */
function ending(ends: readonly Ended[], self: string): readonly string[] {
  const open = ends.filter(({ end }) => end.status === "running" || end.status === "waiting");
  if (open.length === 0) return [];
  return ["Agents still wait there. To end them:", ...open.map(({ run }) => `  ${self} cancel ${run}`)];
}

/** What is handed over and not merged. */
function branchesOf(stage: Stage): readonly string[] {
  return linesOf(stage, ["branch", "--no-merged", "main", "--format=%(refname:short)"]);
}

function commitsOf(stage: Stage, branch: string): readonly string[] {
  // The first is the project as it was.
  return linesOf(stage, ["log", "--oneline", "--reverse", "--no-merges", branch]).slice(1);
}

function linesOf({ repo, env }: Stage, argv: readonly string[]): readonly string[] {
  const { stdout } = spawnSync("git", argv, { cwd: repo, env: { ...env }, encoding: "utf8" });
  return stdout.split("\n").filter((line) => line !== "");
}
