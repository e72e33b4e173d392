/** What `--help` says. */

import { GLOBAL } from "./arguments.ts";
import type { Command, Option } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import type { Paint } from "./paint.ts";

export function helpOfAll(paint: Paint): string {
  return [
    "Signalbox drives coding agents through gated workflows: agents propose, the state machine decides.",
    "",
    `${paint.bold("Usage:")} signalbox COMMAND [ARGUMENT...] [OPTION...]`,
    "",
    paint.bold("Commands:"),
    ...table(Object.entries(COMMANDS).map(([name, { about }]) => [name, about])),
    "",
    paint.bold("Options of every command:"),
    ...table(optionRows(GLOBAL)),
    "",
    paint.bold("Examples:"),
    ...Object.values(COMMANDS).map(({ example }) => `  ${example}`),
    "",
    "signalbox COMMAND --help says more about a command.",
    "",
  ].join("\n");
}

export function helpOf(name: string, command: Command, paint: Paint): string {
  const own = optionRows(command.options);
  return [
    command.about,
    "",
    `${paint.bold("Usage:")} ${`signalbox ${name} ${command.usage}`.trim()}`,
    "",
    ...(own.length === 0 ? [] : [paint.bold("Options:"), ...table(own), ""]),
    paint.bold("Options of every command:"),
    ...table(optionRows(GLOBAL)),
    "",
    paint.bold(command.examples.length === 1 ? "Example:" : "Examples:"),
    ...command.examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}

function optionRows(options: Readonly<Record<string, Option>>): [string, string][] {
  return Object.entries(options).map(([name, { takes, about }]) => [
    takes === undefined ? `--${name}` : `--${name} ${takes}`,
    about,
  ]);
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
