/** Every command that does something: those of one word, and the parts of the others, as `project add`. */
import type { Command } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/commands.ts";

async function leaves(): Promise<ReadonlyMap<string, Command>> {
  const found = new Map<string, Command>();
  for (const [name, { load }] of Object.entries(COMMANDS)) {
    const { command } = await load();
    if (!("parts" in command)) {
      found.set(name, command);
      continue;
    }
    for (const [part, { load: loadPart }] of Object.entries(command.parts))
      found.set(`${name} ${part}`, (await loadPart()).command);
  }
  return found;
}

export const LEAVES = await leaves();
