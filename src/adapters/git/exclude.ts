/**
 * Keeps artifacts out of commits, in the repository's own list of what to ignore: a block for each run, and nothing else is
 * touched. Git has one list for all worktrees, so that the block is taken out again when the run gives its workspace back.
 */

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { syncFolder } from "../home/folders.ts";

type Block = { readonly commonDir: string; readonly run: string };

export function exclude(of: Block, lines: readonly string[]): void {
  const block = lines.map((line) => Buffer.from(line).toString("latin1")).join("\n");
  rewrite(of, `${beginOf(of)}\n${block}\n${endOf(of)}\n`);
}

/** The run is gone: what it kept out of commits is the user's again. */
export function includeAgain(of: Block): void {
  rewrite(of, "");
}

function rewrite(of: Block, block: string): void {
  const file = join(of.commonDir, "info", "exclude");
  const before = unless(["ENOENT"], () => readFileSync(file, "latin1")) ?? "";
  const after = withBlock(before, of, block);
  if (after === before) return;
  mkdirSync(dirname(file), { recursive: true });
  const mode = unless(["ENOENT"], () => statSync(file).mode & 0o777) ?? 0o644;
  const aside = `${file}.signalbox`;
  failpoint("workspace.before-exclude");
  const fd = openSync(aside, "w", mode);
  try {
    writeFileSync(fd, after, "latin1");
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(aside, file);
  syncFolder(dirname(file));
  failpoint("workspace.after-exclude");
}

function beginOf({ run }: Block): string {
  return `# signalbox: artifacts of run ${run}, not part of the work; taken out when it is over`;
}

function endOf({ run }: Block): string {
  return `# signalbox: end of run ${run}`;
}

function withBlock(text: string, of: Block, block: string): string {
  const from = text.indexOf(`${beginOf(of)}\n`);
  const end = `${endOf(of)}\n`;
  const to = from === -1 ? -1 : text.indexOf(end, from);
  if (to !== -1) return `${text.slice(0, from)}${block}${text.slice(to + end.length)}`;
  if (block === "") return text;
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${text}${gap}${block}`;
}
