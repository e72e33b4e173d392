/**
 * The supervisor is killed at random while a worker lives in its terminal and reviewers come and go, all of them real programs.
 *
 * Whatever is killed when: nobody is started twice, nothing is told twice, and it ends.
 */

import { spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { openStore } from "../../../src/adapters/store/open.ts";
import { findPlace } from "../../../src/adapters/terminal/place.ts";
import { diceOf } from "../../../src/app/workflows/simulate.ts";
import { run as signalbox } from "../../../src/cli/run.ts";
import { AT_HOME } from "../../support/procs.ts";
import { hasTmux } from "../../support/tmux.ts";
import { clear, faultsOf, kill, look, makeLife, processesOf, story, type Life } from "../lives/life.ts";
import { endServer, typeInto } from "./theatre.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const KILLS = IS_DEEP ? 100 : 3;
const KILLS_EACH = IS_DEEP ? 8 : 3;
const LIMIT_MS = 120_000;
const ROOT = realpathSync(join(import.meta.dirname, "../../.."));
const PROGRAM = [join(ROOT, "node_modules/node/bin/node"), join(ROOT, "dist/signalbox.cjs")] as const;

/** A person at a terminal; the supervisor that is woken is the built one. */
async function types(life: Life, ...argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await signalbox([...argv, "--json"], {
    cwd: life.repo,
    env: life.env,
    procs: AT_HOME,
    startSupervisor: () => {
      const [node, program] = PROGRAM;
      spawn(node, [program, "supervise"], { env: life.env, detached: true, stdio: "ignore" }).unref();
    },
  });
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}: ${stdout} ${stderr}`);
  return stdout;
}

function config(root: string): string {
  const set = `set: { LEDGER: "${root}/ledger" }`;
  return `harnesses:
  worker: { command: ["false"], terminal: [sh, ${join(import.meta.dirname, "resident.sh")}], ${set} }
  reviewer: { command: [sh, ${join(import.meta.dirname, "../lives/reviewer.sh")}], ${set} }
`;
}

/** What a person does who wants it to end well, whatever became of it. */
async function nudge(life: Life, run: string): Promise<boolean> {
  const { state, attention, isCrashed } = await look(life, run);
  // Whoever looks into the window sees that nothing arrived, and says it again.
  if (attention.includes("may not have arrived")) typeInto(life, run, "go on");
  if (attention !== "" || isCrashed) await types(life, "resume", run);
  else if (state === "pending") await types(life, "move", run, "planning");
  else if (state === "stuck") await types(life, "move", run, "reviewing");
  else if (state === "reviewing") await types(life, "move", run, "done");
  else await types(life, "show", run);
  const store = openStore(life.home);
  const isBusy = await store.isBusy();
  await store.close();
  return state === "done" && !isBusy;
}

/** Gives how often somebody was killed. */
async function haunt(life: Life, run: string, dice: () => number): Promise<number> {
  let kills = 0;
  while (kills < KILLS_EACH && (await look(life, run)).state !== "done") {
    await pause(20 + dice() * 300);
    const victim = processesOf(life).find(({ kind }) => kind === "supervisor");
    if (victim !== undefined && kill(victim.pid)) kills += 1;
  }
  return kills;
}

async function untilOver(life: Life, run: string): Promise<void> {
  const until = performance.now() + LIMIT_MS;
  while (!(await nudge(life, run))) {
    if (performance.now() > until) throw new Error(`it does not end\n${await story(life, run)}`);
    await pause(50);
  }
}

function toldTwice({ ledger }: Life): string[] {
  const file = join(ledger, "heard");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const reviews = lines.filter((line) => line.startsWith("The review of round"));
  return reviews.filter((line, at) => reviews.indexOf(line) !== at);
}

test.runIf(hasTmux)(
  `the supervisor is killed ${KILLS} times, and nobody who lives in a terminal notices`,
  { timeout: 3_600_000 },
  async () => {
    const dice = diceOf(Number(process.env["SIGNALBOX_SEED"]));
    for (let kills = 0; kills < KILLS;) {
      const life = makeLife({ config });
      try {
        const params = ["--param", "harness=worker", "--param", "review_harness=reviewer"];
        const begun = await types(life, "run", "task", "A haunted life", "--detach", ...params);
        const { run } = JSON.parse(begun) as { run: string };
        const [killed] = await Promise.all([haunt(life, run, dice), untilOver(life, run)]);
        kills += killed;
        const faults = [
          ...(await faultsOf(life, run)),
          ...toldTwice(life).map((line) => `told twice: ${line}`),
        ];
        if (faults.length > 0) throw new Error(`${faults.join("\n")}\n${await story(life, run)}`);
        expect(findPlace(life.home)).toBeDefined();
      } finally {
        endServer(life);
        await clear(life);
      }
    }
  },
);
