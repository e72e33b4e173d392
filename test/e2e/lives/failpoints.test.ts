/**
 * Lives in which a process is killed at a named place: before and after every durable operation and every effect.
 *
 * Where `npm test` takes a sample, `npm run test:deep` goes through all of them, in the supervisor and in the command.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { diceOf } from "../../../src/app/workflows/simulate.ts";
import { begin, clear, faultsOf, makeLife, story, untilOver, type Seat } from "./life.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const SAMPLE = 2;
const dice = diceOf(Number(process.env["SIGNALBOX_SEED"]));

/** Every name in the source: a new failpoint is tried without anybody having to list it. */
function namesIn(folder: string): string[] {
  const root = join(import.meta.dirname, "../../..", folder);
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      Array.from(
        readFileSync(join(root, file), "utf8").matchAll(/failpoint\("([a-z.-]+)"\)/g),
        (match) => match[1] ?? "",
      ),
    );
}

/** These belong to commands that no life of a task calls; what a person types about tasks is killed in `errands.test.ts`, what they take away in `removal.test.ts`, graphs of tasks in
 * `activities/graph.test.ts`, what becomes of work that is done in `git-commit`, `git-tag`, `pull-request` and `activities/completion.test.ts`, what is done in place in
 * `activities/in-place.test.ts`, archives in `archive.test.ts`. */
const ELSEWHERE =
  /^(doctor|repair|init|key|resume|stop|notify|merge|salvage|words|commit|tag|pull-request|archive)\.|trust|rotate|^registry\..*-(depends|drop-.*|project|graph|graph-set|child|outcome|leave-place)$/;
/**
 * Not reached by a life in which nobody meddles, with the tests that get there: renamed branches (`git-branches`), worktrees that
 * are used again, dirty, removed or fetched for (`git-release`, `git-prepare`), pages that somebody else changed or
 * wrote too late (`files-peoples`, `files-race`, `dirty`), a claim that the shim makes.
 */
const RARE =
  /^workspace\..*(rename|detach|remove|salvage|fetch|copy|after-head|-left)|put-back|^late\.|^process\.after-claim$/;
const names = [...new Set(namesIn("src"))].filter((name) => !ELSEWHERE.test(name)).toSorted();
const SHIM = ["after-claim", "after-pid", "before-exit", "after-exit"];

type Case = readonly [where: string, env: Readonly<Record<string, string>>, seat?: Seat];
/** Where there are terminals, the worker stays, is told, and is ended by us when the run is over. */
const seatOf = (name: string): Seat => (/^terminal\.|^process\..*-exit$/.test(name) ? "resident" : "none");

const cases: Case[] = [
  ...names.flatMap((name): Case[] => [
    [`supervisor at ${name}`, { SIGNALBOX_SUPERVISOR_FAILPOINT: name }, seatOf(name)],
    [
      `supervisor at ${name}, the third time, with terminals`,
      { SIGNALBOX_SUPERVISOR_FAILPOINT: `${name}:3` },
      "resident",
    ],
    [`command at ${name}`, { SIGNALBOX_FAILPOINT: name }],
  ]),
  ...SHIM.map((name): Case => [`shim at ${name}`, { SIGNALBOX_SHIM_FAILPOINT: name }]),
];

const chosen = IS_DEEP
  ? cases
  : Array.from({ length: SAMPLE }, () => cases[Math.floor(dice() * cases.length)]).filter(
      (each) => each !== undefined,
    );
const reached = new Set<string>();

test.runIf(isPerson).for(chosen)("%s", { timeout: 300_000 }, async ([where, env, seat = "none"]) => {
  const life = makeLife({ seat });
  const log = join(life.root, "failpoints");
  const all = { ...env, SIGNALBOX_FAILPOINT_LOG: log };
  const run = await begin(life, all);
  // A supervisor leaves when nothing is due: the next one, and every command, is to die there, too, until somebody has. Shims say
  // nothing about that: those of the first supervisor do.
  const isOver = (): boolean => existsSync(log) || "SIGNALBOX_SHIM_FAILPOINT" in env;
  await untilOver(life, run, {
    more: () => (isOver() ? {} : all),
    isPatient: seat === "none" && where.includes(" merged."),
  });
  const faults = await faultsOf(life, run);
  if (faults.length > 0) console.error(await story(life, run));
  expect(faults).toEqual([]);
  if (existsSync(log)) for (const name of readFileSync(log, "utf8").trim().split("\n")) reached.add(name);
  await clear(life);
});

test.runIf(IS_DEEP && isPerson)("every place was reached, or has a test of its own", () => {
  const missed = names.filter((name) => !reached.has(name));
  expect(missed.filter((name) => !RARE.test(name))).toEqual([]);
});
