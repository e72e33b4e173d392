/** Commands that a workflow declares: each is another name of a command, or says what is done in which states. */

import type { DeclaredCommand, Definition } from "../../../core/model/workflow.ts";
import type { CommandFile } from "../schema/schema.ts";
import type { Build } from "./builder.ts";
import type { Path } from "../../problem.ts";
import { report, requireName } from "./context.ts";

/** A word that can be typed: an option begins with a dash, and a file has a dot. */
const WORD = /^[a-z][a-z0-9-]*$/;

export function buildCommands(on: Build, { states, params }: Definition): Record<string, DeclaredCommand> {
  checkIdentity(on, params);
  const phases = Object.values(states).flatMap(({ phase }) => (phase === undefined ? [] : [phase]));
  const known = [...Object.keys(states), ...phases];
  return Object.fromEntries(
    Object.entries(on.file.commands ?? {}).map(([name, command]) => {
      const path = ["commands", name];
      if (!WORD.test(name))
        tell(on, path, `"${name}" cannot be typed as a command: use a-z, 0-9 and -, and begin with a letter`);
      return [name, buildCommand({ on, path, states: known }, command)];
    }),
  );
}

type CommandSite = { readonly on: Build; readonly path: Path; readonly states: readonly string[] };

function buildCommand({ on, path, states }: CommandSite, command: CommandFile): DeclaredCommand {
  const { about = "", short = false, call, in: places = {}, begin = false } = command;
  if ((call === undefined) === (command.in === undefined))
    tell(
      on,
      path,
      `say either "call", the command that it is a name of, or "in", what is done in which state`,
    );
  if (call === undefined && command.with !== undefined)
    tell(on, [...path, "with"], `"with" gives options to the command that is named by "call"`);
  if (call !== undefined && command.begin !== undefined)
    tell(on, [...path, "begin"], `"begin" belongs to "in": "call: create" begins a run as well`);
  for (const place of Object.keys(places))
    requireName(on.context, { kind: "state", name: place, known: states, path: [...path, "in", place] });
  if (call === undefined) return { about, short, in: places, begin };
  const given = Object.entries(command.with ?? {}).map(([option, value]) => [option, String(value)] as const);
  return { about, short, call, with: Object.fromEntries(given) };
}

/** Two names for one run could say different things. */
function checkIdentity(on: Build, params: Definition["params"]): void {
  const names = Object.entries(params).flatMap(([name, param]) =>
    param.type === "text" && param.identifies === true ? [name] : [],
  );
  for (const name of names.slice(1))
    report(on.context, on.context.keyPlaceOf(["params", name, "identifies"]), {
      code: "bad-param",
      message: `"${names[0] ?? ""}" identifies a run already: one parameter does`,
    });
}

function tell({ context }: Build, path: Path, message: string): void {
  report(context, context.keyPlaceOf(path), { code: "bad-command", message });
}
