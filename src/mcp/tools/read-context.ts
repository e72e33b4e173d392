/** `read_context`: the files that belong to an agent's task, and no others. */

import { decodeWhole } from "../../adapters/files/decode.ts";
import { shownPath } from "../../adapters/files/paths.ts";
import { openAt } from "../../adapters/files/unread.ts";
import { UserError } from "../../adapters/user-error.ts";
import { withStore, type Seen } from "../../app/runs/find.ts";
import { EXIT_NOT_YOURS, EXIT_OK } from "../../app/exit-codes.ts";
import type { Answer } from "../../cli/command.ts";
import { closest } from "../../core/closest.ts";
import { dispatchOf, seenBy } from "../dispatch.ts";
import { textIn, type AgentTool } from "../tool.ts";

/** What one answer holds at most: more would push everything else out of an agent's mind. */
const CHARACTERS_MAX = 60_000;

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
  answer: (given, { door, caller }) =>
    withStore(door, (store) => {
      const seen = seenBy(store, door, caller);
      const { files } = dispatchOf(seen, caller);
      const file = textIn(given, "file");
      if (file === undefined) return listed(seen, files);
      if (!files.includes(file)) throw notYours(file, files);
      return partOf(textAt(seen, file), { file, offset: Number(given["offset"] ?? 0) });
    }),
};

function listed({ root }: Seen, files: readonly string[]): Answer {
  const all = files.map((file) => {
    const opened = openAt(root, file);
    return { file, bytes: opened.type === "bytes" ? opened.bytes.length : 0, is: opened.type };
  });
  const shown = all.map(({ file, bytes, is }) => `${file}: ${is === "bytes" ? `${bytes} bytes` : is}\n`);
  return {
    exit: EXIT_OK,
    code: "ok",
    message: `${all.length} ${all.length === 1 ? "file belongs" : "files belong"} to your task`,
    data: () => ({ files: all.map(({ file, bytes, is }) => ({ file, bytes, there: is === "bytes" })) }),
    text: () => (shown.length === 0 ? "No file belongs to your task.\n" : shown.join("")),
    next: "",
  };
}

function textAt({ root, row }: Seen, file: string): string {
  const opened = openAt(root, file);
  const next = `signalbox next ${row.id}`;
  if (opened.type === "missing") throw new UserError("not-found", `there is no file ${file} yet`, next);
  if (opened.type === "refused")
    throw new UserError("unreadable", `${shownPath(file)} cannot be read: it ${opened.reason}`, next);
  const text = decodeWhole(opened.bytes);
  if (text === undefined) throw new UserError("not-text", `${file} is not valid UTF-8`, `file ${file}`);
  return text;
}

function partOf(text: string, on: { readonly file: string; readonly offset: number }): Answer {
  const { file, offset } = on;
  if (!Number.isSafeInteger(offset) || offset < 0 || offset > text.length)
    throw new UserError("bad-usage", `offset must be a number from 0 to ${text.length}`, "leave offset out");
  const part = text.slice(offset, offset + CHARACTERS_MAX).replace(/[\uD800-\uDBFF]$/, "");
  const end = offset + part.length;
  const isWhole = end >= text.length;
  return {
    exit: EXIT_OK,
    code: "ok",
    message: isWhole ? file : `${file}, characters ${offset} to ${end} of ${text.length}`,
    data: () => ({
      file,
      text: part,
      offset,
      characters: text.length,
      next_offset: isWhole ? null : end,
    }),
    text: () => part,
    next: isWhole ? "" : `read_context with offset ${end}`,
    ...(isWhole ? {} : { talk: `\n(${text.length - end} more characters: go on with offset ${end})\n` }),
  };
}

function notYours(file: string, files: readonly string[]): UserError {
  const near = closest(file, files);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  return new UserError("not-yours", `"${file}" is not among the files of your task${hint}`, {
    next: "read_context without a file lists them",
    exit: EXIT_NOT_YOURS,
  });
}
