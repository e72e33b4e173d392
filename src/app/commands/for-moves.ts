/** The declared command that takes a run where a person's move would: people are told of it instead of the move. */

import type { Why } from "../../core/explain/why.ts";
import type { DeclaredCommand, Definition } from "../../core/model/workflow.ts";
import type { Seen } from "../runs/find.ts";
import { nameOfRun } from "../runs/name.ts";

type Going = Extract<DeclaredCommand, { readonly in: unknown }>;

/** What a command does in a state: by the name of the state, else by its phase. Undefined where it has nothing to do. */
export function stepIn(
  { states }: Definition,
  command: Going,
  state: string,
): Going["in"][string] | undefined {
  const phase = states[state]?.phase ?? "";
  const place = [state, phase].find((name) => Object.hasOwn(command.in, name));
  return place === undefined ? undefined : command.in[place];
}

/** As it is typed about a run. */
export function typedAbout({ row, run, workflow: { definition } }: Seen, name: string): string {
  const word = definition.commands?.[name]?.short === true ? name : `${row.workflow} ${name}`;
  return `signalbox ${word} ${nameOfRun({ row, run }, definition) || run.id}`;
}

/** For each way what to type; empty where no command takes it. A command takes the first way that is open. */
export function commandsForWays(seen: Seen, ways: readonly Why[]): readonly string[] {
  const { workflow, run } = seen;
  const moves = workflow.movesFrom[run.state] ?? [];
  const taken = new Set<string>();
  return ways.map(({ open }, index) => {
    const verb = moves[index]?.answer === undefined ? moves[index]?.mark?.verb : undefined;
    const name = verb === undefined ? undefined : commandIn(workflow.definition, run.state, verb);
    if (name === undefined || taken.has(name)) return "";
    if (open) taken.add(name);
    return typedAbout(seen, name);
  });
}

/** The first command of the workflow that carries out a verb in a state; any verb, where none is named. */
export function commandIn(definition: Definition, state: string, verb?: string): string | undefined {
  const found = Object.entries(definition.commands ?? {}).find(([, command]) => {
    const step = "in" in command ? stepIn(definition, command, state) : undefined;
    return verb === undefined ? step !== undefined : step === verb;
  });
  return found?.[0];
}
