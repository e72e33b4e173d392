/** While a demo asks, somebody types in another terminal what `show` proposes there: the demo goes on. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { command } from "../../src/cli/commands/author/demo.ts";
import { paintOf } from "../../src/cli/paint.ts";
import { AT_HOME } from "../support/procs.ts";
import { isPerson } from "../support/person.ts";

const PROGRAM = join(import.meta.dirname, "../../bin/signalbox");

test.runIf(isPerson)("every question is answered elsewhere first", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "signalbox-demo-elsewhere-"));
  const own = { PATH: process.env["PATH"] ?? "", HOME: cwd, DEMO_PAUSE: "0" };
  const door = { cwd, home: cwd, env: own, procs: AT_HOME, paint: paintOf(false), self: PROGRAM, width: 400 };
  const answer = await command.answer({ words: ["task"], options: { yes: "" }, lists: {} }, door);
  const lines: string[] = [];
  // What the other terminal was told to set; it stays open.
  const exported: Record<string, string> = {};
  const code = await answer.stream?.(({ text, data }) => {
    lines.push(text.replace(/^\w+ +/, ""));
    if (!("asks" in data)) return;
    const repo = /cd (\S+) &&/.exec(text)?.[1] ?? "";
    const [, given = ""] = /\n +export (.*) &&\n/.exec(text) ?? [];
    for (const [, name = "", value = ""] of given.matchAll(/(\w+)=(\S+)/g)) exported[name] = value;
    const env = { ...own, ...exported };
    const words = text.includes("The worker asks")
      ? ["answer", String(data["run"]), "See you"]
      : ["accept", String(data["run"])];
    expect(spawnSync(PROGRAM, words, { cwd: repo, env, encoding: "utf8" })).toMatchObject({ status: 0 });
  }, new AbortController().signal);
  rmSync(cwd, { recursive: true });
  expect(code).toBe(0);
  // As wide as the terminal.
  expect(lines.filter((line) => /^\d\d:\d\d:\d\d .*\n +\S/.test(line))).toEqual([]);
  expect(lines.filter((line) => line === "decided in another terminal\n")).toHaveLength(4);
});
