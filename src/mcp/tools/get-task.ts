/** `get_task`: everything that an agent has to know to begin, or to go on. */

import { call } from "../../app/client.ts";
import type { DataOf } from "../../app/schemas.ts";
import { command as nextCommand } from "../../cli/commands/look/next.ts";
import { texts, type AgentTool } from "../tool.ts";

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
  call: async (_given, { door }) => {
    const next = await nextCommand.answer({ words: [], options: {}, lists: {} }, door);
    const outcome = await call(door, "get-task", {});
    const data = { ...next.data(), ...outcome.data };
    return { ...outcome, data, next: next.next, text: sayTask(outcome.data, next.text()) };
  },
};

function sayTask(data: DataOf<"get-task">, next: string): string {
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
