/** `read_context`: the files that belong to an agent's task, and no others. */

import { call } from "../../app/client.ts";
import type { Door } from "../../cli/command.ts";
import { textIn, type AgentTool, type Spoken } from "../tool.ts";

export const readContext: AgentTool = {
  name: "read_context",
  title: "Read a file of your task",
  about:
    "Reads one of the files that belong to your task: what you must know, and what you write yourself. Without a file it lists them. A long one comes in parts: go on at next_offset.",
  looks: true,
  for: "agent",
  fields: { file: "a path that get_task names", offset: "where to go on, in characters" },
  isFor: () => true,
  input: () => ({
    type: "object",
    required: {},
    optional: { file: { type: "text" }, offset: { type: "number" } },
    open: false,
  }),
  call: async (given, { door }) => {
    const file = textIn(given, "file");
    if (file === undefined) return listed(door);
    const outcome = await call(door, "read-context", { file, offset: Number(given["offset"] ?? 0) });
    const { text, characters, next_offset: end } = outcome.data;
    const more = end === null ? "" : `\n(${characters - end} more characters: go on with offset ${end})\n`;
    return { ...outcome, text: `${text}${more}` };
  },
};

async function listed(door: Door): Promise<Spoken> {
  const outcome = await call(door, "list-context", {});
  const { files } = outcome.data;
  const lines = files.map(({ file, bytes, is }) => `${file}: ${is === "bytes" ? `${bytes} bytes` : is}\n`);
  return {
    ...outcome,
    data: { files: files.map(({ file, bytes, is }) => ({ file, bytes, there: is === "bytes" })) },
    text: lines.length === 0 ? "No file belongs to your task.\n" : lines.join(""),
  };
}
