/**
 * The guide to tasks, typed from top to bottom as the README's tour is: every block of shell is run, and every console block must
 * print what it shows.
 *
 * Ids, ages, commits and folders are masked. A line `...` stands for any number of lines.
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
import { afterAll, beforeAll, expect, test } from "vitest";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { openStore } from "../../src/adapters/store/open.ts";
import { isSupervisorAlive } from "../../src/adapters/supervisor/lock.ts";
import { isPerson } from "../support/person.ts";
import { loadWorkflow } from "../support/workflows.ts";
import { shortened } from "./shortened.ts";
import { GITCONFIG, stepsOf, type Step } from "./steps.ts";

type Typed = Step & { readonly exit: number; readonly printed: readonly string[] };

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/tasks.md"), "utf8");
/** The tasks of the guide, in the order in which they are created. */
const IDS = ["k3d9m2xp", "p7wq2nfa"];
const REST_MS = 20_000;
const CALM = 4;

const [, walk = ""] = page.split("\n## From nothing to merged\n");
const steps = stepsOf(walk.split("\n## ")[0] ?? "");
const place = mkdtempSync(join(realpathSync(tmpdir()), "signalbox-guide-"));
const home = join(place, "home");
let typed: readonly Typed[] = [];

beforeAll(async () => {
  if (isPerson) typed = await typeAll();
}, 120_000);

afterAll(async () => {
  // Nothing is removed under somebody who still clears away.
  const state = homeAt(join(home, ".local/state/signalbox"));
  while (isSupervisorAlive(state)) await pause(20);
  rmSync(place, { recursive: true, force: true });
});

test("there is a guide", () => {
  expect(steps.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(12);
});

test("every command that it names exists", () => {
  const named = Array.from(page.matchAll(/`(?:signalbox )?task ([a-z-]+)/g), ([, part = ""]) => part);
  expect(named.length).toBeGreaterThan(8);
  expect(
    named.filter((part) => !Object.hasOwn(loadWorkflow("task").definition.commands ?? {}, part)),
  ).toEqual([]);
});

test
  .runIf(isPerson)
  .for(steps.map((step, index) => [index, step.command.trim().split("\n")[0] ?? ""] as const))(
  "step %i: %s",
  ([index]) => {
    const { exit = -1, printed = [], shown } = typed[index] ?? {};
    const promised = (shown ?? []).filter((line) => line !== "").map(mask);
    const said = printed.filter((line) => line !== "").map(mask);
    const result = shown === undefined ? (exit === 0 ? [] : said) : shortened(said, promised);
    expect(result).toEqual(shown === undefined ? [] : promised);
  },
);

async function typeAll(): Promise<readonly Typed[]> {
  for (const folder of ["out", "home/.config/signalbox"]) mkdirSync(join(place, folder), { recursive: true });
  writeFileSync(join(home, ".gitconfig"), GITCONFIG);
  // Nobody looks at windows here.
  writeFileSync(join(home, ".config/signalbox/config.yaml"), "terminal: none\n");
  const shell = spawn("bash", {
    cwd: home,
    env: { PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}`, HOME: home, USER: "ada" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  const all: Typed[] = [];
  for (const [index, step] of steps.entries()) {
    const out = join(place, "out", String(index));
    shell.stdin.write(scriptOf(step, out));
    while (!existsSync(`${out}.exit`) && shell.exitCode === null) await pause(10);
    await rest();
    const printed = readFileSync(out, "utf8")
      .trimEnd()
      .split("\n")
      .filter((line) => line !== "");
    all.push({ ...step, exit: Number(readFileSync(`${out}.exit`, "utf8")), printed });
  }
  shell.stdin.end();
  return all;
}

/** Until nothing is due and nothing lives, and a moment later still nothing: whoever has just looked may be about to write. */
async function rest(): Promise<void> {
  const state = homeAt(join(home, ".local/state/signalbox"));
  const giveUpAt = performance.now() + REST_MS;
  for (let calm = 0; calm < CALM && performance.now() < giveUpAt; await pause(30))
    calm = (await isBusy(state)) ? 0 : calm + 1;
}

async function isBusy(state: ReturnType<typeof homeAt>): Promise<boolean> {
  if (!existsSync(state.database)) return false;
  const store = openStore(state);
  try {
    return await store.isBusy();
  } finally {
    await store.close();
  }
}

/** The ids of the guide are replaced by those that the tasks really have. */
function scriptOf({ command, shown }: Step, out: string): string {
  const real = IDS.reduce((text, id, index) => text.replaceAll(id, `$ID${index}`), command);
  const [before, after] =
    shown === undefined ? ["bad=0; trap bad=1 ERR", "trap - ERR; code=$bad"] : ["", "code=$?"];
  const created = IDS.map((_, index) => `[ -n "\${ID${index}:-}" ] || { ID${index}=$id; id=; }`);
  return [
    before,
    `{\n${real}\n} >'${out}' 2>&1`,
    after,
    ...(command.includes("task create") ? [`id=$(grep -oEx -m1 '[a-z0-9]{8}' '${out}')`, ...created] : []),
    `echo $code >'${out}.new' && mv '${out}.new' '${out}.exit'`,
    "",
  ].join("\n");
}

function mask(line: string): string {
  const ids = typed
    .filter(({ command }) => command.includes("task create"))
    .map(({ printed }) => printed.find((each) => /^[a-z0-9]{8}$/.test(each)) ?? "");
  const named = [...IDS, ...ids].reduce(
    (text, id, index) =>
      id === ""
        ? text
        : text
            .replaceAll(id, `TASK${index % IDS.length}`)
            .replace(new RegExp(`\\b${id.slice(0, 4)}$`), `TASK${index % IDS.length}`),
    line,
  );
  return named
    .replaceAll(home, "~")
    .replace(/^[0-9a-f]{7,} /, "COMMIT ")
    .replace(/\bis at [0-9a-f]{7,} /, "is at COMMIT ")
    .replace(/\b\d+ s\b/, "AGE")
    .replaceAll(/ {2,}/g, "  ");
}
