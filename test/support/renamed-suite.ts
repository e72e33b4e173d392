/**
 * A copy of this repository in which the states, commands and names of the built-in workflows have other names, in the
 * definitions and in the tests alike. The sources stay as they are: a test that fails there shows code that knows a name.
 *
 * A name that the sources contain as a word keeps it, because there it means something else: `done` is also a kind of end.
 */

import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../..");
const COPIED = ["bench", "demos", "docs", "schema", "scripts", "skills", "src", "test", "workflows"];
/** Where names are replaced. */
const RENAMED = ["bench", "demos", "docs", "schema", "skills", "test", "workflows"];
/** Also words of agents' answers, or roles. */
const OTHERS = new Set(["BLOCKED", "QA", "REVIEW", "SECURITY", "RESEARCH", "DESIGN"]);
const TEXTS = new Set([".json", ".jsonl", ".md", ".mjs", ".sh", ".ts", ".tsx", ".txt", ".yaml"]);

export type RenamedCopy = {
  readonly folder: string;
  readonly names: number;
  readonly renamed: readonly string[];
};

export function renamedCopy(folder: string): RenamedCopy {
  mkdirSync(folder, { recursive: true });
  for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const each of readdirSync(root, { withFileTypes: true }))
    if (each.isFile()) cpSync(join(root, each.name), join(folder, each.name));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const names = namesOfWorkflows();
  const words = wordsOf(filesBelow(join(root, "src")));
  const renamed = names.filter((name) => /[a-z]{2}/i.test(name) && !words.has(name) && !OTHERS.has(name));
  const other = new Map(renamed.map((name) => [name, otherName(name, new Set([...names, ...words]))]));
  const word = new RegExp(
    `(?<![\\w-])(?:${renamed.toSorted((a, b) => b.length - a.length).join("|")})(?![\\w-])`,
    "g",
  );
  const replaced = (text: string): string => text.replaceAll(word, (name) => other.get(name) ?? name);
  for (const part of RENAMED)
    for (const file of filesBelow(join(folder, part))) {
      if (!TEXTS.has(extname(file))) continue;
      writeFileSync(file, replaced(readFileSync(file, "utf8")));
    }
  // Prompts are named after states, and folders after workflows.
  for (const path of pathsBelow(join(folder, "workflows"))) {
    const name = replaced(basename(path, extname(path))) + extname(path);
    if (name !== basename(path)) renameSync(path, join(dirname(path), name));
  }
  return { folder, names: names.length, renamed };
}

function namesOfWorkflows(): readonly string[] {
  const folder = join(root, "workflows");
  const all = readdirSync(folder).flatMap((name) => {
    const file = tree(parse(readFileSync(join(folder, name, "workflow.yaml"), "utf8")));
    return [
      String(file["name"]),
      ...Object.keys(tree(file["states"])),
      ...Object.keys(tree(file["commands"])),
    ];
  });
  return [...new Set(all)];
}

/** Every word in these files outside comments. */
function wordsOf(files: readonly string[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const file of files) {
    const code = readFileSync(file, "utf8").replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
    for (const [word] of code.matchAll(/[\w-]+/g)) words.add(word);
  }
  return words;
}

/** As long as before, so that tables look alike, and with the same beginning, so that lists have the same order. */
function otherName(name: string, taken: ReadonlySet<string>): string {
  const [start, last] = [name.slice(0, -1), name.slice(-1)];
  const letters = last === last.toUpperCase() ? ["Q", "X", "Z"] : ["q", "x", "z"];
  const free = letters.map((letter) => `${start}${letter}`).find((each) => !taken.has(each));
  if (free === undefined) throw new Error(`${name} has no other name`);
  return free;
}

/** What is deeper comes first. */
function pathsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .toSorted((a, b) => b.length - a.length);
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
}

function tree(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
