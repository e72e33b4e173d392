/** `signalbox demo`: a whole workflow on the real engine, with scripts for agents, in a place that is thrown away. */

import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { packageRoot } from "../../adapters/library/package.ts";
import { isSupervisorAlive } from "../../adapters/supervisor/lock.ts";
import { UserError } from "../../adapters/user-error.ts";
import { acting } from "../acting.ts";
import {
  EXIT_FAILED,
  EXIT_OK,
  EXIT_WAITING,
  type Answer,
  type Command,
  type Door,
  type Emit,
  type Given,
} from "../command.ts";
import { askAtKeyboard, isSomebodyThere, STAND_IN, typed } from "../demo/person.ts";
import { setStage, type Stage } from "../demo/stage.ts";
import { follow, type Followed } from "../follow.ts";

export const command: Command = {
  usage: "[WORKFLOW] [--yes] [--keep]",
  about:
    "Plays a workflow from its beginning to its good end: a throw-away repository, scripted agents, the real engine. No model and no\nset-up. A review fails, is mended and passes; then a person is asked at the keyboard.",
  words: { min: 0, max: 1 },
  options: {
    yes: { about: "answer for the person, as without a keyboard", short: "y" },
    keep: { about: "leave the repository and everything that was written" },
  },
  examples: ["signalbox demo", "signalbox demo task --yes --keep"],
  answer(given, door): Answer {
    const [workflow = "task"] = given.words;
    const stage = setStage(workflow, door.env);
    const own: Door = { ...door, cwd: stage.repo, env: stage.env, procs: STAND_IN };
    return {
      exit: EXIT_OK,
      code: "ok",
      message: `a demo of ${workflow}`,
      data: () => ({}),
      text: () =>
        `${door.paint.bold(`A demo of ${workflow}:`)} ${stage.script.goal}\n  repository ${stage.repo}\n  agents     ${Object.keys(stage.script.harnesses).join(", ")}: scripts, no model\n\n`,
      next: "",
      stream: (emit, signal) => play({ workflow, stage, door: own, given, emit, signal }),
    };
  },
};

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
      `the demo broke off, and everything is kept in ${on.stage.root}: ${reason}`,
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
  const { stage, given, emit } = on;
  const run = await begin(on);
  let from = 0;
  let end: Followed;
  for (;;) {
    end = await watch(on, run, from);
    from = end.seq;
    if (end.exit !== EXIT_WAITING || !(await isAnswered(on, run, end))) break;
  }
  const isKept = given.options["keep"] !== undefined || end.exit !== EXIT_OK;
  const { reads: _reads, ...told } = end;
  emit({
    text: closing(on, run, { end, isKept }),
    data: { run, ...told, repository: stage.repo, kept: isKept },
  });
  await untilQuiet(stage);
  if (!isKept) rmSync(stage.root, { recursive: true, force: true });
  return end.exit;
}

async function begin({ workflow, stage }: Play): Promise<string> {
  const params = Object.entries(stage.script.params).flatMap(([name, value]) => [
    "--param",
    `${name}=${value}`,
  ]);
  const answer = await typed(stage, ["run", workflow, stage.script.goal, ...params, "--detach", "--json"]);
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

function watch({ door, emit, signal }: Play, run: string, from: number): Promise<Followed> {
  return acting(door, (acts) => follow(acts, { run, from, emit, signal }));
}

/** Whether somebody said yes, and it was carried out. */
async function isAnswered({ stage, door, given, emit }: Play, run: string, end: Followed): Promise<boolean> {
  const gate = stage.script.gates[end.state];
  if (gate === undefined || end.code !== "waiting-for-person") return false;
  const isStandIn = given.options["yes"] !== undefined || !isSomebodyThere();
  const look = gate.look.replace("BRANCH", `signalbox/${run}`);
  emit({
    text: `\n${door.paint.yellow(gate.question)}\n  to look at it: cd ${stage.repo} && ${look}\n`,
    data: { run, asks: gate.question },
  });
  if (isStandIn) {
    emit({ text: "  nobody is asked here: yes\n\n", data: { run, answer: "yes", by: "stand-in" } });
  } else if ((await askAtKeyboard("Is it done?", door.paint)) === "no") {
    return false;
  }
  const [verb = "", ...rest] = gate.yes;
  await typed(stage, [verb, run, ...rest]);
  return true;
}

function closing(
  { stage, door, workflow }: Play,
  run: string,
  on: { readonly end: Followed; readonly isKept: boolean },
): string {
  const { end, isKept } = on;
  const { bold, green, red, dim } = door.paint;
  const commits = spawnSync("git", ["log", "--oneline", "--reverse", `main..signalbox/${run}`], {
    cwd: stage.repo,
    env: { ...stage.env },
    encoding: "utf8",
  });
  const lines = commits.stdout
    .trim()
    .split("\n")
    .filter((line) => line !== "");
  const self = typedAnywhere();
  const env = `SIGNALBOX_HOME=${stage.home.root} XDG_CONFIG_HOME=${String(stage.env["XDG_CONFIG_HOME"])}`;
  return [
    "",
    end.exit === EXIT_OK ? green(bold(`${workflow} ${run}: ${end.state}.`)) : red(bold(end.message)),
    ...(lines.length === 0 ? [] : ["Written, on a branch of its own:", ...lines.map((line) => `  ${line}`)]),
    ...(isKept
      ? [
          "Kept. To look around:",
          `  cd ${stage.repo}`,
          `  export ${env}`,
          `  ${self} history ${run}`,
          ...end.ways.map((way) => `  ${way.replaceAll("signalbox ", `${self} `)}`),
        ]
      : [dim("The repository and everything in it is gone again; --keep leaves it.")]),
    "In a repository of yours:",
    `  ${self} init        settings, with every key explained`,
    `  ${self} run ${workflow} "What is to be done"`,
    "",
  ].join("\n");
}

/** As it can be typed anywhere: whoever tries a checkout has no such command yet. */
function typedAnywhere(): string {
  const root = packageRoot();
  return basename(dirname(root)) === "node_modules" ? "signalbox" : join(root, "bin", "signalbox");
}

const QUIET_MS = 5000;

/** Nothing is removed under somebody who still works there. */
async function untilQuiet({ home }: Stage): Promise<void> {
  const until = performance.now() + QUIET_MS;
  while (performance.now() < until && isSupervisorAlive(home)) await pause(50);
}
