/** What `--help` says. */

import { GLOBAL } from "./arguments.ts";
import type { Command, Group, Option } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import type { Paint } from "./paint.ts";

/** Commands by what somebody wants to do; a test insists that each has its place. */
export const GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
  ["Set up", ["demo", "init", "config", "doctor", "trust", "key", "completion", "project", "workspace"]],
  ["Run", ["run", "task", "move", "submit", "review", "resume", "stop", "cancel", "mcp", "supervise"]],
  ["Change", ["plan", "impl", "archive", "reopen"]],
  ["Look", ["list", "watch", "show", "next", "why", "history", "follow", "logs", "salvage", "verify"]],
  ["Decide", ["inbox", "accept", "send-back", "answer", "retry", "waive"]],
  ["Write workflows", ["workflows", "check", "graph", "simulate", "eject", "schema"]],
];

export function helpOfAll(paint: Paint): string {
  const groups = GROUPS.map(([title, names]) => ({ title, names: names.filter(isCommand) }));
  const present = groups.filter(({ names }) => names.length > 0);
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  return [
    "Signalbox drives coding agents through gated workflows: agents propose, the state machine decides.",
    "",
    `${paint.bold("Usage:")} signalbox COMMAND [ARGUMENT...] [OPTION...]`,
    "",
    ...present.flatMap(({ title, names }) => [
      paint.bold(`${title}:`),
      ...names.map((name) => `  ${name.padEnd(width)}  ${COMMANDS[name]?.about ?? ""}`),
      "",
    ]),
    paint.bold("Options of every command:"),
    ...table(optionRows(GLOBAL)),
    "",
    paint.bold("Examples:"),
    ...present.map(({ names: [first = ""] }) => `  ${COMMANDS[first]?.example ?? ""}`),
    "",
    "signalbox COMMAND --help says more about a command.",
    "",
  ].join("\n");
}

function isCommand(name: string): boolean {
  return Object.hasOwn(COMMANDS, name);
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

/** Of several commands under one word. */
export function helpOfGroup(name: string, { about, parts, examples }: Group, paint: Paint): string {
  const rows = Object.entries(parts).map(([part, own]) => [part, own.about] as const);
  return [
    about,
    "",
    `${paint.bold("Usage:")} signalbox ${name} COMMAND [ARGUMENT...] [OPTION...]`,
    "",
    paint.bold("Commands:"),
    ...table(rows),
    "",
    paint.bold("Options of every command:"),
    ...table(optionRows(GLOBAL)),
    "",
    paint.bold(examples.length === 1 ? "Example:" : "Examples:"),
    ...examples.map((example) => `  ${example}`),
    "",
    `signalbox ${name} COMMAND --help says more about one of them.`,
    "",
  ].join("\n");
}

function optionRows(options: Readonly<Record<string, Option>>): [string, string][] {
  return Object.entries(options).map(([name, { takes, about, short }]) => [
    `--${name}${takes === undefined ? "" : ` ${takes}`}${short === undefined ? "" : `, -${short}`}`,
    about,
  ]);
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
