/** What `--help` says. */

import { GLOBAL } from "./arguments.ts";
import type { Command, Door, Group, Option } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { fitted, wrapped } from "./fit.ts";
import { harmless, type Paint } from "./paint.ts";

/** How help is shown: with colours, in a width. */
type HelpStyle = Pick<Door, "paint" | "width">;

/** What people need every day: the first page. */
export const PEOPLE: readonly string[] = [
  "create",
  "run",
  "inbox",
  "answer",
  "accept",
  "send-back",
  "retry",
  "cancel",
  "list",
  "show",
  "watch",
  "serve",
  "follow",
  "history",
  "setup",
  "doctor",
  "demo",
];

/** All commands by who needs them; a test insists that each has its place. */
export const GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
  ["Every day", PEOPLE],
  [
    "For people",
    [
      "start",
      "attach",
      "cost",
      "logs",
      "next",
      "why",
      "diff",
      "waive",
      "stop",
      "resume",
      "respawn",
      "delete",
      "salvage",
      "verify",
    ],
  ],
  ["For agents", ["submit", "review", "complete", "update", "move", "mcp"]],
  ["For authors of workflows", ["workflows", "check", "graph", "simulate", "eject", "schema"]],
  [
    "Set up",
    [
      "init",
      "agents",
      "config",
      "trust",
      "key",
      "completion",
      "project",
      "workspace",
      "supervise",
      "worker",
      "bridge",
    ],
  ],
];

/** One screen of 24 lines. */
export function helpOfPeople({ paint }: HelpStyle): string {
  const width = Math.max(...PEOPLE.map((name) => name.length));
  return [
    "Signalbox drives coding agents through gated workflows.",
    "",
    `${paint.bold("Usage:")} signalbox COMMAND [ARGUMENT...] [OPTION...]`,
    "",
    ...PEOPLE.map((name) => `  ${name.padEnd(width)}  ${COMMANDS[name]?.about ?? ""}`),
    "",
    "signalbox COMMAND --help says more about a command.",
    "signalbox help all lists every command, also those of workflows.",
    "",
  ].join("\n");
}

/** Every command, also those that workflows declare here. */
export async function helpOfAll(door: Door): Promise<string> {
  const { paint } = door;
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  return [
    `${paint.bold("Usage:")} signalbox COMMAND [ARGUMENT...] [OPTION...]`,
    "",
    ...GROUPS.flatMap(([title, names]) => [
      paint.bold(`${title}:`),
      table(
        names.map((name) => [name.padEnd(width), COMMANDS[name]?.about ?? ""] as const),
        door,
      ),
    ]),
    paint.bold("Commands of workflows:"),
    table(await declaredRows(door), door),
    ...globalOptions(door),
    "signalbox COMMAND --help says more about a command.",
    "",
  ].join("\n");
}

async function declaredRows(door: Door): Promise<readonly (readonly [string, string])[]> {
  const { commandsOf, declaringHere } = await import("../app/commands/declared.ts");
  const { aboutOf, wayOf } = await import("./declared/commands.ts");
  const all = (await declaringHere(door)).flatMap(commandsOf);
  return all.map((own) => [wayOf(own), harmless(aboutOf(own))] as const);
}

export function helpOf(name: string, command: Command, style: HelpStyle): string {
  const { paint, width } = style;
  const own = optionRows(command.options);
  return [
    wrapped(command.about, width, 0),
    "",
    wrapped(`${paint.bold("Usage:")} ${`signalbox ${name} ${command.usage}`.trim()}`, width),
    "",
    ...(own.length === 0 ? [] : [paint.bold("Options:"), table(own, style)]),
    ...globalOptions(style),
    ...sayExamples(command.examples, paint),
    "",
  ].join("\n");
}

/** Of several commands under one word. */
export function helpOfGroup(name: string, { about, parts, examples }: Group, style: HelpStyle): string {
  const { paint, width } = style;
  const rows = Object.entries(parts).map(([part, own]) => [part, own.about] as const);
  return [
    wrapped(about, width, 0),
    "",
    `${paint.bold("Usage:")} signalbox ${name} COMMAND [ARGUMENT...] [OPTION...]`,
    "",
    paint.bold("Commands:"),
    table(rows, style),
    ...globalOptions(style),
    ...sayExamples(examples, paint),
    "",
    `signalbox ${name} COMMAND --help says more about one of them.`,
    "",
  ].join("\n");
}

function globalOptions(style: HelpStyle): string[] {
  return [style.paint.bold("Options of every command:"), table(optionRows(GLOBAL), style)];
}

function sayExamples(examples: readonly string[], paint: Paint): string[] {
  return [
    paint.bold(examples.length === 1 ? "Example:" : "Examples:"),
    ...examples.map((example) => `  ${example}`),
  ];
}

function optionRows(options: Readonly<Record<string, Option>>): [string, string][] {
  return Object.entries(options).map(([name, { takes, about, short }]) => [
    `--${name}${takes === undefined ? "" : ` ${takes}`}${short === undefined ? "" : `, -${short}`}`,
    about,
  ]);
}

/** Ends with an empty line. */
function table(rows: readonly (readonly [string, string])[], { width }: HelpStyle): string {
  return rows.length === 0
    ? "  none\n"
    : fitted(
        rows.map(([left, right]) => [`  ${left}`, right]),
        width,
      );
}
