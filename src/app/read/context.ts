/** The files that belong to an agent's task, and no others. */

import { decodeWhole } from "../../adapters/files/replace/decode.ts";
import { shownPath } from "../../core/text/run-files.ts";
import { openAt } from "../../adapters/files/artifacts/unreadable.ts";
import { UserError } from "../../adapters/user-error.ts";
import { closest } from "../../core/text/closest.ts";
import { EXIT_NOT_YOURS } from "../exit-codes.ts";
import { success, type Outcome } from "../outcome.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import type { Seen } from "../runs/find.ts";
import { dispatchOf, seenByAgent } from "./dispatch.ts";
import type { Reading } from "../declare.ts";

/** What one answer holds at most: more would push everything else out of an agent's mind. */
const CHARACTERS_MAX = 60_000;

type ContextOutcome = Outcome<DataOf<"read-context">>;

/** Without a file it lists them. */
export async function readContext(
  on: Reading,
  { file, offset = 0 }: InputOf<"read-context">,
): Promise<ContextOutcome> {
  const { seen, caller } = await seenByAgent(on);
  const { files } = await dispatchOf(seen, caller);
  if (file === undefined) return listed(seen, files);
  if (!files.includes(file)) throw notYours(file, files);
  return partOf(textAt(seen, file), { file, offset });
}

function listed({ root }: Seen, names: readonly string[]): ContextOutcome {
  const files = names.map((file) => {
    const opened = openAt(root, file);
    const there = opened.type === "bytes";
    return { file, bytes: there ? opened.bytes.length : 0, there };
  });
  const message = `${files.length} ${files.length === 1 ? "file belongs" : "files belong"} to your task`;
  return success(message, { files });
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
): ContextOutcome {
  if (!Number.isSafeInteger(offset) || offset < 0 || offset > text.length)
    throw new UserError("bad-usage", `offset must be a number from 0 to ${text.length}`, "leave offset out");
  const part = text.slice(offset, offset + CHARACTERS_MAX).replace(/[\uD800-\uDBFF]$/, "");
  const end = offset + part.length;
  const isWhole = end >= text.length;
  return success(
    isWhole ? file : `${file}, characters ${offset} to ${end} of ${text.length}`,
    { file, text: part, offset, characters: text.length, next_offset: isWhole ? null : end },
    { next: isWhole ? "" : `read_context with offset ${end}` },
  );
}

function notYours(file: string, files: readonly string[]): UserError {
  const near = closest(file, files);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  return new UserError("not-yours", `"${file}" is not among the files of your task${hint}`, {
    next: "read_context without a file lists them",
    exit: EXIT_NOT_YOURS,
  });
}
