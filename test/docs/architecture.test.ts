/** Every folder of the sources has its room in ARCHITECTURE.md, and every file of the layers that it tells file by file. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
const told = [...page.matchAll(/`([^`\n]+)`/g)].map(([, word = ""]) => word);

function isTold(name: string): boolean {
  return told.some((word) => word === name || word === `${name}/` || word.endsWith(`/${name}`));
}

test("every folder of the sources has a room", () => {
  const folders = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(folders.length).toBeGreaterThan(20);
  const names = folders.map(({ name }) => name).filter((name) => name !== "steps");
  expect(names.filter((name) => !isTold(name))).toEqual([]);
});

test.for(["src/engine", "src/cli", "src/core"])("every file of %s is named", (folder) => {
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith(".ts"));
  expect(files.filter((name) => !isTold(name))).toEqual([]);
});

test("what is named exists", () => {
  const all = ["src", "test", "bin"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).map((entry) =>
      relative(root, join(entry.parentPath, entry.name)),
    ),
  );
  const files = told.filter((word) => /^[\w./-]+\.(ts|sh)$/.test(word));
  expect(
    files.filter(
      (word) =>
        !existsSync(join(root, word)) && !all.some((path) => path === word || path.endsWith(`/${word}`)),
    ),
  ).toEqual([]);
});
