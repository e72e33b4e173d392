/** `signalbox trust`: a person looks at what a repository would run, and allows exactly that. */

import { call } from "../../../app/client.ts";
import { badUsage, UserError } from "../../../app/failure.ts";
import type { DataOf } from "../../../app/schemas.ts";
import { answerOf, sayNext } from "../../acted.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { isConfirmed } from "../../confirm.ts";
import { harmless, type Paint } from "../../paint.ts";

export const command: Command = {
  usage: "[--show | --revoke] [--yes]",
  about:
    "Shows what the .signalbox folder of this repository would run, and allows exactly that content. A later change must be trusted again.\nAsks first at a terminal, after it has shown every file that a command line names. Only people can do this.",
  words: { min: 0, max: 0 },
  options: {
    show: { about: "only show it; exit 7 while it is not trusted" },
    revoke: { about: "take trust back" },
    yes: { about: "do not ask", short: "y" },
  },
  examples: ["signalbox trust --show", "signalbox trust"],
  async answer({ options }, door): Promise<Answer> {
    const [isShow, revoke] = [options["show"] !== undefined, options["revoke"] !== undefined];
    if (isShow && revoke) throw badUsage("--show and --revoke do not go together", "signalbox trust --help");
    const isAsked =
      !isShow &&
      !revoke &&
      options["yes"] === undefined &&
      door.talk !== undefined &&
      door.isTyped?.() === true;
    const shown = isAsked ? await confirmed(door) : undefined;
    const outcome = isShow
      ? await call(door, "trust-plan", {})
      : await call(door, "trust", { revoke, shown });
    const { message, next, data, notes } = outcome;
    const isResult = isShow || (shown === undefined && options["quiet"] === undefined);
    return {
      ...answerOf(outcome, () => (isResult ? showPlan(data.runs, data, door.paint) : "")),
      talk: `${[message, ...notes].join("\n  ")}\n${sayNext(next)}`,
    };
  },
};

/** The digest of what the person has seen and said yes to; undefined where there is nothing to ask. */
async function confirmed(door: Door): Promise<string | undefined> {
  const { data } = await call(door, "trust-plan", {});
  if ((data.trusted && data.changes.length === 0) || data.runs.problems.length > 0) return undefined;
  door.talk?.print(harmless(showPlan(data.runs, data, door.paint)));
  if (await isConfirmed("Trust exactly this?")) return data.shown;
  throw new UserError("not-confirmed", "Nothing was trusted", "signalbox trust");
}

type TrustPlan = DataOf<"trust">["runs"];

/** What a repository would run. All of it is a stranger's text: it must not be able to hide or to forge a line. */
function showPlan(
  plan: TrustPlan,
  of: Pick<DataOf<"trust">, "repo" | "digest" | "changes">,
  paint: Paint,
): string {
  const head = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ["", paint.bold(title), ...lines.map((line) => `  ${line}`)];
  const lines = [
    `${of.repo}/.signalbox`,
    ...head("Changed since runs began, which wait for you", of.changes.flatMap(showChange)),
    ...head("Problems of config.yaml, which is not used while it has any", plan.problems.map(oneLine)),
    ...head("Ignored", plan.warnings.map(oneLine)),
    ...head("Agents are called like this", Object.entries(plan.harnesses).flatMap(showHarness)),
    ...head("Roles that name no harness get", plan.harness === "" ? [] : [plan.harness]),
    ...head("Agents have terminals", plan.terminal === "" ? [] : [plan.terminal]),
    ...head("Every agent and check is given these of your variables", plan.env),
    ...head(
      "Checks run these command lines",
      Object.entries(plan.checks).map(([name, line]) => `${name}: ${oneLine(line)}`),
    ),
    ...head(
      "Runs begin with these parameters, unless somebody says otherwise",
      Object.entries(plan.params).flatMap(([name, tree]) => leavesOf(tree).map((leaf) => `${name}.${leaf}`)),
    ),
    ...plan.workflows.flatMap((workflow) => head(`Workflow ${workflow.name}`, showWorkflow(workflow))),
    ...head(
      "Other files",
      plan.others.map(({ path, size }) => `${path} (${size} bytes)`),
    ),
    ...plan.others.flatMap((file) =>
      isCalled(plan, file.path) ? head(file.path, textLines(file.text)) : [],
    ),
    ...(of.digest === "" ? [] : ["", paint.dim(of.digest)]),
    "",
  ];
  return lines.join("\n");
}

function showChange({ file, key, before, after, runs }: DataOf<"trust">["changes"][number]): string[] {
  const name = key === "" ? file : `${key} in ${file}`;
  return [
    `${oneLine(name)} (${runs.join(", ")})`,
    ...(before === null ? [] : [`  - ${oneLine(before)}`]),
    ...(after === null ? [] : [`  + ${oneLine(after)}`]),
  ];
}

/** A command line of a harness or a check names it. */
function isCalled({ harnesses, checks, workflows }: TrustPlan, path: string): boolean {
  const lines = [
    ...Object.values(harnesses).flatMap((harness) => [
      ...(harness.command ?? []),
      ...(harness.program ?? []),
      ...(harness.arguments ?? []),
      ...(harness.again ?? []),
      ...(harness.terminal ?? []),
    ]),
    ...Object.values(checks),
    ...workflows.flatMap((workflow) => workflow.checks.map(({ command: line }) => line)),
  ];
  return lines.some((line) => line.includes(`.signalbox/${path}`));
}

const LINES_MAX = 60;

function textLines(text: string): readonly string[] {
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => oneLine(line.replaceAll("\t", "    ")));
  const more = lines.length - LINES_MAX;
  return more > 0 ? [...lines.slice(0, LINES_MAX), `... and ${more} more lines`] : lines;
}

function leavesOf(tree: object): string[] {
  return Object.entries(tree).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return [`${oneLine(key)}: ${sayValue(value)}`];
    return leavesOf(value).map((leaf) => `${oneLine(key)}.${leaf}`);
  });
}

function sayValue(value: unknown): string {
  return typeof value === "string" ? oneLine(value) : quoted(value);
}

function showHarness([name, harness]: [string, TrustPlan["harnesses"][string]]): string[] {
  const { driver, command: first, program, again, terminal, terminal_again: terminalAgain } = harness;
  const { model, effort, folders = [], mcp, stays, env = [], set = {}, stdin } = harness;
  const line = (title: string, argv: readonly string[] | undefined): string[] =>
    argv === undefined ? [] : [`  ${title}: ${argv.map(argument).join(" ")}`];
  return [
    `${name}: ${first === undefined ? (driver ?? "as elsewhere, but") : first.map(argument).join(" ")}`,
    ...line("called as", program),
    ...line("with the arguments", harness.arguments),
    ...line("later turns", again),
    ...line("in a terminal", terminal),
    ...line("in a terminal, going on", terminalAgain),
    ...(model === undefined ? [] : [`  with the model ${argument(model)}`]),
    ...(effort === undefined ? [] : [`  with the effort ${effort}`]),
    ...(folders.length === 0 ? [] : [`  may also write in ${folders.map(argument).join(" ")}`]),
    ...(mcp === true ? ["  has the tools of signalbox mcp"] : []),
    ...(stays === true ? ["  stays in its terminal"] : []),
    ...(env.length === 0 ? [] : [`  given of your variables: ${env.join(" ")}`]),
    ...Object.entries(set).map(([key, value]) => `  with ${key}=${argument(value)}`),
    ...(stdin === false ? ["  with nothing on standard input"] : []),
    ...limits(harness),
  ];
}

function limits({ minutes, stall_minutes: stall }: TrustPlan["harnesses"][string]): string[] {
  return [
    ...(minutes === undefined ? [] : [`  ended after ${minutes} minutes`]),
    ...(stall === undefined ? [] : [`  ended after ${stall} minutes of silence`]),
  ];
}

function showWorkflow({
  title,
  checks,
  roles,
  prompts,
  commands,
  problems,
}: TrustPlan["workflows"][number]): string[] {
  return [
    ...(title === "" ? [] : [oneLine(title)]),
    ...problems.map((problem) => `problem: ${oneLine(problem)}`),
    ...checks.map(({ artifact, command: line }) => `check ${artifact}: ${oneLine(line)}`),
    ...roles.map(({ role, harness }) => `agent ${role}${harness === "" ? "" : `: ${oneLine(harness)}`}`),
    ...(prompts.length === 0 ? [] : [`prompts: ${prompts.join(" ")}`]),
    ...commands.map((line) => `command ${oneLine(line)}`),
  ];
}

function argument(text: string): string {
  return /^[\w@%+=:,./{}-]+$/.test(text) ? text : quoted(text);
}

/** The end of a line is where the next thing is believed to begin. */
function oneLine(text: string): string {
  return text.search(UNSEEN) === -1 ? text : quoted(text);
}

/** What ends a line, cannot be seen, or turns the direction of what follows. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function quoted(value: unknown): string {
  return (JSON.stringify(value) ?? "").replaceAll(UNSEEN, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
