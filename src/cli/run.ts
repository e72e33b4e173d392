/** One call of the command line, from its arguments to what it prints. Nothing here touches the process. */

import { realpathSync } from "node:fs";
import { GLOBAL, parseArguments, splitCommand } from "./arguments.ts";
import { EXIT_OK } from "../app/exit-codes.ts";
import type { Answer, Command, Door, Group } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { closest, failureOf, UserError } from "../app/failure.ts";
import { sayFailure } from "./render/failure.ts";
import { harmless, paintOf } from "./paint.ts";

export type World = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether people see stdout as it is printed. */
  readonly terminal?: boolean;
  /** How wide that is. */
  readonly width?: number;
  /** Whether a person types at a terminal and can be asked. */
  readonly isTyped?: () => boolean;
  readonly talk?: Door["talk"];
  readonly procs?: Door["procs"];
  readonly startSupervisor?: Door["startSupervisor"];
  /** For answers that come piece by piece: prints at once, and tells when it is enough. Without it they are collected. */
  readonly live?: { readonly print: (text: string) => void; readonly interrupted: () => AbortSignal };
};

export type Printed = { readonly code: number; readonly stdout: string; readonly stderr: string };

export async function run(argv: readonly string[], world: World): Promise<Printed> {
  const { code, stdout, stderr } = await answered(argv, world);
  const { width, terminal } = world;
  const fits = width === undefined || terminal !== true || stderr.length <= width;
  return { code, stdout, stderr: fits ? stderr : (await import("./fit.ts")).wrappedTalk(stderr, width) };
}

async function answered(argv: readonly string[], world: World): Promise<Printed> {
  // Read before anything can fail: a wrong option, too, is answered in the form that was asked for.
  const json = hasOption(argv, "--json");
  const quiet = hasOption(argv, "--quiet") || hasOption(argv, "-q");
  try {
    const answer = await answerTo(argv, world);
    if (answer.stream !== undefined) return await streamed(answer, { json, quiet }, world);
    return json ? asJson(answer) : asText(answer, quiet);
  } catch (error) {
    const failure = await failureOf(error, world);
    return json
      ? { ...asJson(failure), stderr: failure.stack }
      : { code: failure.exit, stdout: "", stderr: harmless(sayFailure(failure)) };
  }
}

function hasOption(argv: readonly string[], name: string): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes(name);
}

async function answerTo(argv: readonly string[], world: World): Promise<Answer> {
  const { command: word, rest } = splitCommand(argv);
  if (word === undefined || word === "help")
    return answerAlone(word === undefined ? argv : ["--help", ...rest], world);
  // Without a run there is no one status: people want to see all of them.
  const isOfAll = word === "status" && rest.every((argument) => argument.startsWith("-"));
  const name = word === "status" ? (isOfAll ? "list" : "show") : word;
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const command =
    entry === undefined
      ? await declaredCommand(name, doorOf(world, {}))
      : ((await entry.loadFor?.(rest, doorOf(world, {}))) ?? (await entry.load()).command);
  if ("parts" in command) return answerPart({ name, group: command, rest }, world);
  return answerCommand({ name, command, rest }, world);
}

/** The commands of the workflow of this name, or the command that a workflow has by this word. */
async function declaredCommand(word: string, door: Door): Promise<Command | Group> {
  const { groupAs, shortAs, waysToType } = await import("./declared/commands.ts");
  const found = (await groupAs(word, door)) ?? (await shortAs(word, door));
  if (found !== undefined) return found;
  const { hintFor } = await import("./hints.ts");
  throw unknownCommand(word, [hintFor(word) ?? [], await waysToType(word, door)].flat());
}

/** The first word that is no option says which of them is meant. */
async function answerPart(
  { name, group, rest }: { readonly name: string; readonly group: Group; readonly rest: readonly string[] },
  world: World,
): Promise<Answer> {
  const { command: word, rest: own } = splitCommand(rest);
  const help = `signalbox ${name} --help`;
  if (word === undefined) {
    const { options } = parseArguments(rest, GLOBAL, help);
    if (options["help"] !== undefined)
      return helped((await import("./help.ts")).helpOfGroup(name, group, doorOf(world, options)));
    const parts = Object.keys(group.parts).join(", ");
    throw new UserError("bad-usage", `signalbox ${name} needs one of ${parts}`, help);
  }
  const part = Object.hasOwn(group.parts, word) ? group.parts[word] : undefined;
  if (part === undefined) throw unknownPart(name, word, Object.keys(group.parts));
  const { command } = await part.load();
  return answerCommand({ name: `${name} ${word}`, command, rest: own }, world);
}

async function answerCommand(
  {
    name,
    command,
    rest,
  }: { readonly name: string; readonly command: Command; readonly rest: readonly string[] },
  world: World,
): Promise<Answer> {
  const help = `signalbox ${name} --help`;
  const given = parseArguments(rest, { ...GLOBAL, ...command.options }, help);
  const door = doorOf(world, given.options);
  if (given.options["help"] !== undefined)
    return helped((await import("./help.ts")).helpOf(name, command, door));
  const { min, max } = command.words;
  const { length } = given.words;
  if (length < min) throw new UserError("bad-usage", `signalbox ${name} needs ${command.usage}`, help);
  const [word] = given.lists["VALUE"] ?? [];
  if (length > max && word !== undefined) {
    const value = rest[rest.indexOf(`--${word}`) + 1] ?? "VALUE";
    throw (await import("../app/start/typed-options.ts")).isParam(
      word,
      `${word.replaceAll("-", "_")}=${value}`,
    );
  }
  if (length > max) {
    const quotes = /TEXT|SUMMARY|GOAL/.test(command.usage) ? ": put a text of several words in quotes" : "";
    const message = `signalbox ${name} does not take "${given.words[max] ?? ""}"${quotes}`;
    throw new UserError("bad-usage", message, help);
  }
  return command.answer(given, door);
}

/** Options without a command. */
async function answerAlone(argv: readonly string[], world: World): Promise<Answer> {
  const { words, options } = parseArguments(argv, GLOBAL, "signalbox --help");
  if (words[0] === "all") return helped(await (await import("./help.ts")).helpOfAll(doorOf(world, options)));
  if (words[0] !== undefined) return answerTo([...words, "--help"], world);
  if (options["version"] !== undefined) {
    return {
      exit: EXIT_OK,
      code: "ok",
      message: SIGNALBOX_VERSION,
      data: () => ({ version: SIGNALBOX_VERSION }),
      text: () => `${SIGNALBOX_VERSION}\n`,
      next: "",
    };
  }
  return helped((await import("./help.ts")).helpOfPeople(doorOf(world, options)));
}

function helped(text: string): Answer {
  return {
    exit: EXIT_OK,
    code: "ok",
    message: "how it is used",
    data: () => ({ help: text }),
    text: () => text,
    next: "",
  };
}

export function doorOf(world: World, options: Readonly<Record<string, string>>): Door {
  const { cwd, env, terminal, width, isTyped, talk, procs, startSupervisor } = world;
  if (cwd === "") throw new UserError("no-folder", "the folder you are in is gone", "cd ..");
  const isPlain = options["no-color"] !== undefined || isSet(env["NO_COLOR"]) || isSet(env["CI"]);
  const isResultOnly = options["json"] !== undefined || options["quiet"] !== undefined;
  // `npm start` in a checkout: there is no signalbox on the path of whoever reads this.
  const isCheckout = env["npm_package_name"] === "signalbox";
  return {
    cwd: realpathSync.native(cwd),
    home: env["HOME"] ?? "",
    env,
    ...(talk === undefined || isResultOnly ? {} : { talk }),
    ...(procs === undefined ? {} : { procs }),
    ...(startSupervisor === undefined ? {} : { startSupervisor }),
    ...(width === undefined || terminal !== true ? {} : { width }),
    ...(isTyped === undefined ? {} : { isTyped }),
    paint: paintOf(terminal === true && !isPlain),
    self: isCheckout ? "./bin/signalbox" : "signalbox",
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}

function unknownCommand(name: string, instead: readonly string[]): UserError {
  if (instead.length > 0)
    return new UserError("unknown-command", `there is no command "${name}"`, instead.join(", or: "));
  const near = closest(name, Object.keys(COMMANDS));
  return new UserError(
    "unknown-command",
    `there is no command "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`,
    near === undefined ? "signalbox --help" : `signalbox ${near} --help`,
  );
}

function unknownPart(name: string, word: string, parts: readonly string[]): UserError {
  const near = closest(word, parts);
  const hint = near === undefined ? `; there are ${parts.join(", ")}` : `; did you mean "${near}"?`;
  const next = near === undefined ? `signalbox ${name} --help` : `signalbox ${name} ${near} --help`;
  return new UserError("unknown-command", `there is no command "${name} ${word}"${hint}`, next);
}

function asText({ exit, text, talk }: Answer, quiet: boolean): Printed {
  return { code: exit, stdout: harmless(text()), stderr: quiet ? "" : harmless(talk ?? "") };
}

/** What comes first is printed first: a stream may go on for ever. */
async function streamed(
  answer: Answer,
  how: { readonly json: boolean; readonly quiet: boolean },
  { live }: World,
): Promise<Printed> {
  let collected = "";
  const print = live?.print ?? ((text: string): void => void (collected += text));
  const first = asText(answer, how.quiet);
  if (!how.json) print(first.stdout);
  const code = await (answer.stream?.(
    ({ text, data }) => print(how.json ? `${JSON.stringify(data)}\n` : harmless(text)),
    live?.interrupted() ?? new AbortController().signal,
  ) ?? answer.exit);
  return { code, stdout: collected, stderr: how.json ? "" : first.stderr };
}

function asJson(answer: Omit<Answer, "text">): Printed {
  const document = JSON.stringify(documentOf(answer), undefined, 2);
  return { code: answer.exit, stdout: `${escaped(document)}\n`, stderr: "" };
}

/** An answer or a failure for programs. */
export function documentOf({
  exit,
  code,
  message,
  data,
  next,
}: Omit<Answer, "text">): Record<string, unknown> {
  return { ok: exit === EXIT_OK, code, message, ...data(), next };
}

/** The same document: what JSON need not escape and a terminal would obey is escaped, too. */
function escaped(json: string): string {
  return json.replaceAll(
    /[\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
