/** The files that belong to an agent's task, and no others. */

import { decodeWhole } from "../../adapters/files/replace/decode.ts";
import { shownPath } from "../../adapters/files/artifacts/paths.ts";
import { openAt } from "../../adapters/files/artifacts/unreadable.ts";
import { UserError } from "../../adapters/user-error.ts";
import { closest } from "../../core/text/closest.ts";
import { EXIT_NOT_YOURS, EXIT_OK } from "../exit-codes.ts";
import type { InputOf } from "../schemas.ts";
import type { Outcome } from "../outcome.ts";
import type { Seen } from "../runs/find.ts";
import { dispatchOf, seenByAgent } from "./dispatch.ts";
import type { Reading } from "../declare.ts";

/** What one answer holds at most: more would push everything else out of an agent's mind. */
const CHARACTERS_MAX = 60_000;

type ContextFile = { readonly file: string; readonly bytes: number; readonly is: string };

export function listContext(on: Reading): Outcome<{ readonly files: readonly ContextFile[] }> {
  const { seen, caller } = seenByAgent(on);
  const files = dispatchOf(seen, caller).files.map((file) => {
    const opened = openAt(seen.root, file);
    return { file, bytes: opened.type === "bytes" ? opened.bytes.length : 0, is: opened.type };
  });
  const message = `${files.length} ${files.length === 1 ? "file belongs" : "files belong"} to your task`;
  return { exit: EXIT_OK, code: "ok", message, data: { files }, next: "", notes: [] };
}

type Part = {
  readonly file: string;
  readonly text: string;
  readonly offset: number;
  readonly characters: number;
  readonly next_offset: number | null;
};

export function readContext(on: Reading, { file, offset }: InputOf<"read-context">): Outcome<Part> {
  const { seen, caller } = seenByAgent(on);
  const { files } = dispatchOf(seen, caller);
  if (!files.includes(file)) throw notYours(file, files);
  return partOf(textAt(seen, file), { file, offset });
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

function partOf(
  text: string,
  { file, offset }: { readonly file: string; readonly offset: number },
): Outcome<Part> {
  if (!Number.isSafeInteger(offset) || offset < 0 || offset > text.length)
    throw new UserError("bad-usage", `offset must be a number from 0 to ${text.length}`, "leave offset out");
  const part = text.slice(offset, offset + CHARACTERS_MAX).replace(/[\uD800-\uDBFF]$/, "");
  const end = offset + part.length;
  const isWhole = end >= text.length;
  return {
    exit: EXIT_OK,
    code: "ok",
    message: isWhole ? file : `${file}, characters ${offset} to ${end} of ${text.length}`,
    data: { file, text: part, offset, characters: text.length, next_offset: isWhole ? null : end },
    next: isWhole ? "" : `read_context with offset ${end}`,
    notes: [],
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
