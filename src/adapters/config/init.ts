/** Writes the files of a new `.signalbox`. What is there is never touched; each file appears whole or not at all. */

import { linkSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { whyNotWritten } from "../home/reasons.ts";
import { codeOf } from "../library/find.ts";
import { UserError } from "../user-error.ts";
import { CONFIG_TEMPLATE, WORKFLOWS_README } from "./template.ts";

export type Initialised = {
  /** Relative to the repository. *kept*: as we would write it. *changed*: somebody's own, which stays as it is. */
  readonly files: readonly { readonly path: string; readonly status: "written" | "kept" | "changed" }[];
};

const FILES: Readonly<Record<string, string>> = {
  ".signalbox/config.yaml": CONFIG_TEMPLATE,
  ".signalbox/workflows/README.md": WORKFLOWS_README,
};

export function initialise(tree: string): Initialised {
  const folders = [".signalbox", ".signalbox/workflows"].map((folder) => join(tree, folder));
  for (const folder of folders) requireFolder(folder);
  try {
    for (const folder of folders) makeFolder(folder);
    const files = Object.entries(FILES).map(([path, text]) => ({
      path,
      status: put(join(tree, path), text),
    }));
    return { files };
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const reason = whyNotWritten(code);
    throw new UserError("not-written", `${tree}/.signalbox cannot be written: ${reason}`, `ls -ld ${tree}`);
  }
}

function put(file: string, text: string): "written" | "kept" | "changed" {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats !== undefined) return stats.isFile() && readFileSync(file, "utf8") === text ? "kept" : "changed";
  const draft = `${file}.${process.pid}.draft`;
  failpoint("init.before-write");
  try {
    writeFileSync(draft, text, { flag: "wx" });
    publish(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  failpoint("init.after-write");
  return "written";
}

/** One by one: Node gives another reason than the true one where it makes several. */
function makeFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) mkdirSync(path);
}

/** A link fails where somebody else was faster; a rename would replace their file. */
function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return;
    // Some file systems have no links.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP") throw error;
    renameSync(draft, file);
  }
}

/** Nothing is written through a link, and what lies behind one could not be trusted anyway. */
function requireFolder(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return;
  const what = stats.isSymbolicLink() ? "a link" : "no folder";
  throw new UserError("no-folder", `${path} is ${what}; nothing was written`, `mv ${path} ${path}~`);
}
