/**
 * The README's tour, typed: every block of shell is run, and every console block must print what it shows.
 *
 * Ids, times, names and folders are masked. A line `...` in a console block stands for any number of lines. Lines that the engine
 * adds about its processes come when they come, so they are compared as a set; everything else is compared in its order.
 */

import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isSupervisorAlive } from "../../src/adapters/supervisor/lock.ts";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isPerson } from "../support/person.ts";
import { shortened } from "./shortened.ts";
import { GITCONFIG, stepsOf, type Step } from "./steps.ts";

type Typed = Step & { readonly exit: number; readonly printed: readonly string[] };

const root = join(import.meta.dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const ID = "k3d9m2xp";

const steps = stepsOf(sectionOf("## A tour"));
const place = mkdtempSync(join(realpathSync(tmpdir()), "signalbox-tour-"));
const home = join(place, "home");
let typed: readonly Typed[] = [];

beforeAll(async () => {
  if (isPerson) typed = await typeAll();
});

afterAll(async () => {
  // Nothing is removed under somebody who still clears away.
  await rest();
  rmSync(place, { recursive: true, force: true });
});

test("there is a tour", () => {
  expect(steps.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(8);
});

test.runIf(isPerson).for(steps.map((step, index) => [index, step.command.trim()] as const))(
  "step %i: %s",
  ([index]) => {
    const { exit = -1, printed = [], shown } = typed[index] ?? {};
    const [said, promised] = [printed.map(mask), (shown ?? []).map(mask)];
    // A block of shell shows nothing: it must do what it is for.
    const result = shown === undefined ? { exit, said: exit === 0 ? [] : said } : saidOf(said, promised);
    expect(result).toEqual(shown === undefined ? { exit: 0, said: [] } : saidOf(promised, promised));
  },
);

function saidOf(said: readonly string[], promised: readonly string[]): object {
  const processes = promised.filter((line) => isAboutProcess(line) && said.includes(line));
  return { said: shortened(quiet(said), quiet(promised)), processes };
}

function sectionOf(title: string): string {
  const [, after = ""] = readme.split(`\n${title}`);
  return after.split("\n## ")[0] ?? "";
}

/** All of it in one shell, as somebody would: folders and variables carry over, and nobody types before all is at rest. */
async function typeAll(): Promise<readonly Typed[]> {
  mkdirSync(join(place, "out"), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(home, ".gitconfig"), GITCONFIG);
  const shell = spawn("bash", {
    cwd: root,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, USER: "ada" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  const all: Typed[] = [];
  for (const [index, step] of steps.entries()) {
    const out = join(place, "out", String(index));
    shell.stdin.write(scriptOf(step, out));
    while (!existsSync(`${out}.exit`) && shell.exitCode === null) await pause(10);
    await rest();
    const printed = readFileSync(out, "utf8").trimEnd().split("\n");
    all.push({ ...step, exit: Number(readFileSync(`${out}.exit`, "utf8")), printed });
  }
  shell.stdin.end();
  return all;
}

/** The supervisor leaves when nothing is due and nothing lives. */
async function rest(): Promise<void> {
  const state = homeAt(join(home, ".local/state/signalbox"));
  while (isSupervisorAlive(state)) await pause(20);
}

/** The id in the README is replaced by the one that the run really has. */
function scriptOf({ command, shown }: Step, out: string): string {
  const real = command
    .replaceAll(ID, "$RUN")
    .replaceAll(new RegExp(`\\b${ID.slice(0, 4)}\\b`, "g"), "${RUN:0:4}");
  // Of a block, every command must succeed; what is shown may be about the exit code before it.
  const [before, after] =
    shown === undefined
      ? ["bad=0; trap bad=1 ERR", "trap - ERR; code=$bad"]
      : [`(exit "\${code:-0}")`, "code=$?"];
  return [
    before,
    `{\n${real}\n} >'${out}' 2>&1`,
    after,
    `RUN=\${RUN:-$(grep -oEx -m1 '[a-z0-9]{8}' '${out}')}`,
    // Whole from the moment that it is there.
    `echo $code >'${out}.new' && mv '${out}.new' '${out}.exit'`,
    "",
  ].join("\n");
}

function mask(line: string): string {
  return (
    line
      .replaceAll(home, "~")
      .replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, "DATE")
      .replace(/^\d\d:\d\d:\d\d/, "TIME")
      .replace(/\bas of \d\d:\d\d:\d\d/, "as of TIME")
      .replace(/^((?:TIME|DATE) {2})\S+ (created|started|moved) it/, "$1PERSON $2 it")
      .replace(/ \(no terminal[^)]*\)$/, "")
      .replace(/^[0-9a-f]{7,} /, "COMMIT ")
      .replace(/\bis at [0-9a-f]{7,} /, "is at COMMIT ")
      .replace(/\bfor \d+ s$/, "for N s")
      // A program that has submitted exits by itself or is stopped, whichever comes first.
      .replace(/^((?:TIME|DATE) {2}\w+) (?:stopped: |finished |ended ).*/, "$1 ENDING")
      .replace(/\b\d+ events$/, "N events")
      .replaceAll(ID, "RUN")
      .replaceAll(realId() || ID, "RUN")
  );
}

/** The first thing that `run` prints. */
function realId(): string {
  const run = typed.find(({ command }) => command.startsWith("signalbox run"));
  return run?.printed[0] ?? "";
}

function isAboutProcess(line: string): boolean {
  return /^(TIME|DATE) {2}\w+ ENDING/.test(line);
}

function quiet(lines: readonly string[]): readonly string[] {
  // A shell that is stopped says so in its log.
  return lines.filter((line) => !isAboutProcess(line) && !isAboutTerminal(line) && line !== "Terminated");
}

/** Whoever reads the README types at a terminal; this test has none, and that is told. */
function isAboutTerminal(line: string): boolean {
  return /^ {2}notice at event \d+: signed with no terminal/.test(line);
}
