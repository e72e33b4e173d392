/** What docs/runs.md says about commands, options, places and exit codes is so. */

import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { homeAt, runFolders } from "../../src/adapters/home/paths.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { run } from "../../src/cli/run.ts";
import { LEAVES } from "../cli/leaves.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/runs.md"), "utf8");
const readme = readFileSync(join(root, "README.md"), "utf8");

async function help(name: string): Promise<string> {
  return (await run([...name.split(" "), "--help"], { cwd: root, env: {} })).stdout;
}

test("every command with its options exists", async () => {
  const calls = [...page.matchAll(/signalbox ([a-z]+(?:-[a-z]+)*)((?: [^`\n|]*)?)/g)];
  expect(calls.length).toBeGreaterThan(30);
  const unknown: string[] = [];
  for (const [call, name = "", rest = ""] of calls) {
    const part = `${name}${/^ [a-z-]+/.exec(rest)?.[0] ?? ""}`;
    const told = Object.hasOwn(COMMANDS, name) ? await help(LEAVES.has(part) ? part : name) : "";
    const options = [...rest.matchAll(/--[a-z]+(?:-[a-z]+)*/g)].map(([option]) => option);
    if (told === "" || !options.every((option) => told.includes(`\n  ${option}`))) unknown.push(call);
  }
  expect(unknown).toEqual([]);
});

test("the options of run are those that there are", async () => {
  const section = page.split("\n## Begin")[1]?.split("\n## ")[0] ?? "";
  const told = [...section.matchAll(/^\| `(--[a-z-]+)/gm)].map(([, word = ""]) => word);
  const [own = ""] = (await help("run")).split("Options of every command:");
  const real = [...own.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, word = ""]) => word);
  expect([...told, "--branch"].toSorted()).toEqual(real.toSorted());
});

test("the commands that take a key are those that are named", async () => {
  const [, line = ""] = /\*\*Keys\.\*\* (.*?) take/s.exec(page) ?? [];
  const told = [...line.matchAll(/`([a-z-]+)`/g)].map(([, word = ""]) => word);
  const real: string[] = [];
  for (const name of LEAVES.keys())
    if ((await help(name)).includes("\n  --key ")) real.push(name.split(" ")[0] ?? "");
  expect(told.toSorted()).toEqual([...new Set(real)].toSorted());
});

test("every place in the state home is told", () => {
  const section = page.split("\n## The state home")[1]?.split("\n## ")[0] ?? "";
  const { root: at, ...places } = homeAt("/home");
  const folders = runFolders(homeAt("/home"), "RUN");
  for (const path of [...Object.values(places), ...Object.values(folders)])
    expect(section).toContain(`\`${relative(at, path)}`);
});

test("both pages have the same exit codes", () => {
  const codes = (text: string): string[] =>
    [...text.matchAll(/^\| (\d+) \| \S/gm)].map(([, word = ""]) => word);
  expect(codes(page)).toEqual(codes(readme));
});
