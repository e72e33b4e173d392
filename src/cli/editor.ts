/** Words of a person, from their editor. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { badUsage } from "../app/failure.ts";
import type { Door } from "./command.ts";

/** Lines that begin with this sign are not part of the words. */
const COMMENT = "#";

/** Empty where nothing was written. */
export function wordsFromEditor(about: string, { env }: Pick<Door, "env">): string {
  const editor = [env["VISUAL"], env["EDITOR"]].find((name) => name !== undefined && name !== "");
  if (editor === undefined)
    throw badUsage("no words were given, and neither VISUAL nor EDITOR is set", "give the words as TEXT");
  const folder = mkdtempSync(join(tmpdir(), "signalbox-words-"));
  const file = join(folder, "WORDS.md");
  try {
    writeFileSync(
      file,
      `\n${COMMENT} ${about}\n${COMMENT} Lines that begin with ${COMMENT} are left out; without words nothing is done.\n`,
      {
        mode: 0o600,
      },
    );
    // An editor may be a command with arguments, as git takes it.
    const { status } = spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
    return status === 0 ? withoutComments(readFileSync(file, "utf8")) : "";
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function withoutComments(text: string): string {
  return text
    .split("\n")
    .filter((line) => !line.startsWith(COMMENT))
    .join("\n")
    .trim();
}
