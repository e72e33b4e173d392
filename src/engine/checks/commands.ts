/** The commands of a check: all are run, one after the other, also when an earlier one is red, and each says how it ended. */

import type { Reading } from "../../core/model/event.ts";
import type { Run } from "../../core/model/run.ts";
import { valueOf } from "../../core/gates/artifact-status.ts";
import type { Reader } from "../../core/model/artifact.ts";

export type Check = Extract<Reader, { type: "check" }>;

/** Settings may have a command by its name. What is empty is left out: a parameter says so that there is none. */
export function commandsOf(run: Run, reader: Check, named: Readonly<Record<string, string>>): string[] {
  return [reader.command, ...(reader.more ?? [])]
    .map((command) => String(valueOf(run, command)))
    .filter((command) => command.trim() !== "")
    .map((command) => (Object.hasOwn(named, command) ? (named[command] ?? command) : command));
}

/** Nothing to run is nothing that could pass. */
const NOTHING = `echo "there is nothing to run: every command of this check is empty"; exit 1`;

/** It ends as the first that was red; `$0` is where the exit codes go, a line for each. */
const ALL = `
sb_gap= sb_red=0
for sb_command do
  printf '%b$ %s\\n' "$sb_gap" "$sb_command"
  /bin/sh -c "$sb_command" && sb_code=0 || sb_code=$?
  echo "$sb_code" >>"$0"
  [ "$sb_red" -ne 0 ] || sb_red=$sb_code
  sb_gap='\\n'
done
exit "$sb_red"
`;

export function argvOf(commands: readonly string[], reader: Check, codes: string): string[] {
  const [first] = commands;
  if (first === undefined) return ["/bin/sh", "-c", NOTHING];
  return reader.more === undefined ? ["/bin/sh", "-c", first] : ["/bin/sh", "-c", ALL, codes, ...commands];
}

/** Of a check with several commands: what they were, and how each ended that did. */
export function listsOf(commands: readonly string[], reader: Check, codes: string): Reading["lists"] {
  if (reader.more === undefined) return {};
  return { commands, exit_codes: codes.split("\n").filter((line) => line !== "") };
}
