/** Keeps artifacts out of commits, in the repository's own list of what to ignore: a block of ours, and nothing else is touched. */

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

const BEGIN = "# signalbox: artifacts of runs, not part of the work (this block is kept up to date)";
const END = "# signalbox: end";

export function exclude(commonDir: string, lines: readonly string[]): void {
  const file = join(commonDir, "info", "exclude");
  const before = unless(["ENOENT"], () => readFileSync(file, "latin1")) ?? "";
  const after = withBlock(before, lines);
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

/** Lines of earlier runs stay: they may still be at work. */
function withBlock(text: string, lines: readonly string[]): string {
  const wanted = lines.map((line) => Buffer.from(line).toString("latin1"));
  const from = text.indexOf(`${BEGIN}\n`);
  const to = from === -1 ? -1 : text.indexOf(`\n${END}\n`, from);
  if (to === -1) {
    const gap = text === "" || text.endsWith("\n") ? "" : "\n";
    return `${text}${gap}${BEGIN}\n${wanted.join("\n")}\n${END}\n`;
  }
  const inside = text.slice(from + BEGIN.length + 1, to).split("\n");
  const missing = wanted.filter((line) => !inside.includes(line));
  if (missing.length === 0) return text;
  return `${text.slice(0, to)}\n${missing.join("\n")}${text.slice(to)}`;
}
