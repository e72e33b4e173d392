/** Command line arguments become words and options. What is not known is refused, with the nearest thing that is. */

import { UserError } from "../adapters/user-error.ts";
import { closest } from "../core/closest.ts";
import type { Given, Option } from "./command.ts";

export type Known = Readonly<Record<string, Option>>;

export const GLOBAL: Known = {
  json: { about: "print exactly one JSON document, also on failure" },
  quiet: { about: "print the result and nothing else" },
  "no-color": { about: "print without colours, as with NO_COLOR" },
  help: { about: "show how this is used" },
  version: { about: "show the version" },
};

const SHORT: Readonly<Record<string, string>> = { "-h": "--help", "-q": "--quiet", "-V": "--version" };

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
  const words: string[] = [];
  const options: Record<string, string> = {};
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] ?? "";
    if (argument === "--") {
      words.push(...argv.slice(index + 1));
      break;
    }
    if (!argument.startsWith("-") || argument === "-") {
      words.push(argument);
      continue;
    }
    const { name, value } = splitOption(SHORT[argument] ?? argument);
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    if (option === undefined) throw unknownOption(argument, known, help);
    if (option.takes === undefined) {
      if (value !== undefined) throw new UserError("bad-usage", `--${name} takes no value`, help);
      options[name] = "";
      continue;
    }
    const given = value ?? argv[(index += 1)];
    if (given === undefined)
      throw new UserError("bad-usage", `--${name} needs a value: --${name} ${option.takes}`, help);
    options[name] = given;
  }
  return { words, options };
}

function splitOption(argument: string): { name: string; value: string | undefined } {
  const at = argument.indexOf("=");
  const name = argument.slice(2, at === -1 ? undefined : at);
  return argument.startsWith("--")
    ? { name, value: at === -1 ? undefined : argument.slice(at + 1) }
    : { name: argument, value: undefined };
}

function unknownOption(argument: string, known: Known, help: string): UserError {
  const near = closest(
    argument.split("=")[0] ?? "",
    Object.keys(known).map((name) => `--${name}`),
  );
  return new UserError(
    "bad-usage",
    `there is no option ${argument}${near === undefined ? "" : `; did you mean ${near}?`}`,
    help,
  );
}
