/** What the command lines of all drivers have in common. */

import { join } from "node:path";
import type { Turn } from "../../engine/ports/drivers.ts";
import { fillArgv } from "../../format/settings/argv.ts";

/** `options` after the program, then the arguments of the person, then `last`: what must be at the end. */
export function called(
  turn: Turn,
  options: readonly string[],
  last: readonly string[] = [],
): readonly string[] {
  const { harness } = turn;
  return [...filled(turn, harness.program), ...options, ...filled(turn, harness.arguments), ...last];
}

/** What a person wrote, with the values of the turn for its placeholders. */
export function filled(turn: Turn, argv: readonly string[]): readonly string[] {
  const { model, effort, access, prompt, session, run, role, workspace } = turn;
  return fillArgv(argv, { model, effort, access, prompt, session, run, role, workspace });
}

/** A model that begins with a dash would be an option: joined to its flag, it is a value. */
export function flag(name: string, value: string): readonly string[] {
  if (value === "") return [];
  return value.startsWith("-") ? [`${name}=${value}`] : [name, value];
}

/** For a program in a terminal: its standard input is the terminal. */
export function promptOf({ prompt }: Turn): string {
  return `Read the file ${prompt} and do what it says.`;
}

export function fileIn(env: Readonly<Record<string, string>>, name: string): string {
  return join(env["HOME"] ?? "/", name);
}

export function words(line: string): readonly string[] {
  return line.split(" ");
}
