/** ARCHITECTURE.md is a map of folders: it names each of them, it is short, and what it names exists. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { USES } from "../../src/app/uses.ts";

const LINES_MAX = 150;
const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
const named = [...page.matchAll(/`([^`\n]+)`/g)].map(([, word = ""]) => word);

test("it is short", () => {
  expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(LINES_MAX);
});

test("every folder of the sources is named", () => {
  const folders = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(folders.length).toBeGreaterThan(20);
  const isNamed = ({ name }: { readonly name: string }): boolean =>
    named.some((word) => word === name || word.endsWith(`/${name}`));
  expect(folders.filter((folder) => !isNamed(folder)).map(({ name }) => name)).toEqual([]);
});

test("what is named exists", () => {
  const paths = named.filter((word) =>
    /^(src|test|docs|bin|schema|skills|workflows|demos)\/[\w./-]*$/.test(word),
  );
  const files = named.filter((word) => /^[\w-]+\.ts$/.test(word));
  expect(paths.length).toBeGreaterThan(30);
  const all = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(files.filter((file) => !all.some((path) => path.endsWith(`/${file}`)))).toEqual([]);
});

test("every use case is named", () => {
  expect(Object.keys(USES).filter((name) => !named.includes(name))).toEqual([]);
});
