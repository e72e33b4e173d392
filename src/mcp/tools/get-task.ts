/** `get_task`: everything that an agent has to know to begin, or to go on. */

import { maxOf } from "../../core/gate.ts";
import { withStore, type Seen } from "../../app/runs/find.ts";
import { command as nextCommand } from "../../cli/commands/next.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import { dispatchOf, seenBy, type Dispatch } from "../dispatch.ts";
import { texts, type AgentTool, type Caller } from "../tool.ts";

export const getTask: AgentTool = {
  name: "get_task",
  title: "Your task",
  about:
    "Your instructions, what you were told since, where the run is, what you are to hand in and where, and the files to read. Call this first, and again after a pause: answers of people are in it.",
  looks: true,
  for: "agent",
  fields: {},
  isFor: () => true,
  input: () => texts([], []),
  answer: async (_given, { door, caller }) => {
    const next = await nextCommand.answer({ words: [], options: {}, lists: {} }, door);
    return withStore(door, (store) => {
      const seen = seenBy(store, door, caller);
      const data = { ...next.data(), ...dataOf(seen, caller) };
      return {
        exit: EXIT_OK,
        code: "ok",
        message: `you are "${caller.role}" of run ${caller.run}, which is in ${seen.run.state}`,
        data: () => data,
        text: () => sayTask(data, next.text()),
        next: next.next,
      };
    });
  },
};

type TaskData = Dispatch & {
  readonly role: string;
  readonly slot: string;
  readonly attempt: number;
  readonly workflow: string;
  readonly goal: string;
  readonly state: string;
  readonly title: string;
  readonly folder: string;
  /** Rounds and the like: how often, of how many times. */
  readonly counters: Readonly<Record<string, { readonly is: number; readonly max: number }>>;
};

function dataOf(seen: Seen, caller: Caller): TaskData {
  const { workflow, run, row, root } = seen;
  const { definition } = workflow;
  const counters = Object.keys(definition.counters).map(
    (name) => [name, { is: run.counters[name] ?? 0, max: maxOf(workflow, run, name) }] as const,
  );
  const { role, slot, attempt } = caller;
  return {
    role,
    slot,
    attempt,
    workflow: definition.name,
    goal: row.goal,
    state: run.state,
    title: definition.states[run.state]?.title ?? "",
    folder: root,
    counters: Object.fromEntries(counters),
    ...dispatchOf(seen, caller),
  };
}

function sayTask(data: TaskData, next: string): string {
  const { role, slot, attempt, workflow, state, title, folder, counters, files, instructions, told } = data;
  const who = `You are ${role}${slot === "" ? "" : ` for ${slot}`}, attempt ${attempt}, of a run of ${workflow}.`;
  const spent = Object.entries(counters).filter(([, { is }]) => is > 0);
  return [
    who,
    `The run is in ${state}${title === "" ? "" : ` (${title})`}. Files are in ${folder}.`,
    ...spent.map(([name, { is, max }]) => `${name}: ${is} of ${max}.`),
    "",
    ...section("What you were told", instructions),
    ...section("What you were told last", told),
    ...section("Files to read, with read_context", files.map((file) => `- ${file}`).join("\n")),
    ...section("What you can do now", next),
  ].join("\n");
}

function section(title: string, text: string): readonly string[] {
  return text.trim() === "" ? [] : [`## ${title}`, "", text.trimEnd(), ""];
}
