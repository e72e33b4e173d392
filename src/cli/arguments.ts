/**
 * Command line arguments become words and options. What is not known is refused, with the nearest thing that is.
 *
 * citty parses, and lets pass what it does not know; a mistyped option that does nothing would be worse than an error.
 */

import { unknownOption, UserError } from "../app/failure.ts";
import { parseArgs, type ArgsDef } from "citty";
import type { Given } from "../app/invocation.ts";
import type { Option } from "./command.ts";

export type Known = Readonly<Record<string, Option>>;

export const GLOBAL: Known = {
  json: { about: "print exactly one JSON document, also on failure" },
  quiet: { about: "print the result and nothing else", short: "q" },
  "no-color": { about: "print without colours, as with NO_COLOR" },
  help: { about: "show how this is used", short: "h" },
  version: { about: "show the version", short: "V" },
};

/** The first word that is no option is the command; global options may stand on either side of it. */
export function splitCommand(argv: readonly string[]): {
  command: string | undefined;
  rest: readonly string[];
} {
  const at = argv.findIndex((argument) => !argument.startsWith("-") || argument === "-");
  if (at === -1) return { command: undefined, rest: argv };
  return { command: argv[at], rest: argv.toSpliced(at, 1) };
}

export function parseArguments(argv: readonly string[], known: Known, help: string): Given {
  // No shell gives such a thing; what is kept of it would not be what was said.
  if (argv.some((argument) => !argument.isWellFormed() || argument.includes("\0")))
    throw new UserError("bad-usage", "an argument is no text", help);
  const { rest, lists } = takeLists(argv, known, help);
  // Agents mostly call us with words alone: those need no parser.
  if (rest.every((argument) => !argument.startsWith("-") || argument === "-"))
    return { words: rest, options: {}, lists };
  const { _: words, ...values } = parseArgs(rest, definitionsOf(known));
  const shorts = new Set(Object.values(known).map(({ short }) => short));
  const options: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    if (shorts.has(key) || isEcho(key, rest)) continue;
    // citty takes `--no-x` for `--x=false`.
    const name = value === false ? `no-${key}` : key;
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    if (option === undefined)
      throw unknownOption(`${name.length === 1 ? "-" : "--"}${name}`, Object.keys(known), help);
    if (option.takes !== undefined && option.alone !== true && value === "")
      throw noValue(name, option, help);
    options[name] = typeof value === "string" ? value : "";
  }
  return { words, options, lists };
}

/** The option whose word in capitals stands for what was typed. */
function openNamed(typed: string, known: Known): { name: string; word: string } | undefined {
  for (const name of Object.keys(known)) {
    const before = /^(|.+-)[A-Z]+$/.exec(name)?.[1];
    const word = before === undefined || !typed.startsWith(before) ? "" : typed.slice(before.length);
    // What has a value, or a sign before it, is some other option that is mistyped.
    if (word !== "" && (before !== "" || /^\w[^=]+$/.test(word))) return { name, word };
  }
  return undefined;
}

/** citty gives `--default-branch` a second time, as defaultBranch. Whoever types that is told. */
function isEcho(key: string, argv: readonly string[]): boolean {
  const isTyped = (argument: string): boolean =>
    [`--${key}`, `--no-${key}`].includes(argument) || argument.startsWith(`--${key}=`);
  return /[A-Z]/.test(key) && !argv.some(isTyped);
}

/** Whether what follows this is its value, whatever that looks like. */
function takesNext(argument: string | undefined, known: Known): boolean {
  const name = argument?.startsWith("--") === true ? argument.slice(2) : "";
  return Object.hasOwn(known, name) && known[name]?.takes !== undefined;
}

/** citty keeps the last value of an option, takes `--no-x` for one of `--x`, and whatever follows one for its value. */
function takeLists(
  argv: readonly string[],
  known: Known,
  help: string,
): { rest: string[]; lists: Record<string, string[]> } {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const rest: string[] = [];
  const lists: Record<string, string[]> = {};
  for (let at = 0; at < end; at += 1) {
    const argument = argv[at] ?? "";
    const [, name = "", value] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    const following = at + 1 < end ? argv[at + 1] : undefined;
    if (option?.many === true) {
      const own = value ?? following;
      if (own === undefined || own === "") throw noValue(name, option, help);
      (lists[name] ??= []).push(own);
      if (value === undefined) at += 1;
    } else if (option?.alone === true && value === undefined && following?.startsWith("--") !== false) {
      rest.push(`${argument}=`);
    } else if (option === undefined && !takesNext(rest.at(-1), known)) {
      const open = argument.startsWith("--") ? openNamed(argument.slice(2), known) : undefined;
      if (open === undefined) rest.push(argument);
      else (lists[open.name] ??= []).push(open.word);
    } else rest.push(argument);
  }
  return { rest: [...rest, ...argv.slice(end)], lists };
}

function noValue(name: string, { takes = "" }: Option, help: string): UserError {
  return new UserError("bad-usage", `--${name} needs a value: --${name} ${takes}`, help);
}

function definitionsOf(known: Known): ArgsDef {
  const definitions = Object.entries(known).map(([name, { takes, short }]) => {
    const alias = short === undefined ? {} : { alias: short };
    return [name, { type: takes === undefined ? "boolean" : "string", ...alias }] as const;
  });
  return Object.fromEntries(definitions.filter(([name]) => !name.startsWith("no-")));
}
