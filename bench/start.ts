/** How long a command takes as a process, as it was last built, against Node doing nothing. Agents call it all the time. */

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median, table, type Figure } from "./figure.ts";

const ROUNDS = 41;
const WANTED = 3;

const root = fileURLToPath(new URL("../", import.meta.url));
const node = `${root}node_modules/node/bin/node`;
const signalbox = `${root}bin/signalbox`;

const COMMANDS = {
  nothing: { says: "node -e 0", run: [node, "-e", "0"] },
  version: { says: "signalbox --version", run: [signalbox, "--version"] },
  check: { says: "signalbox check task", run: [signalbox, "check", "task"] },
} as const;

type Name = keyof typeof COMMANDS;
const NAMES: readonly Name[] = ["nothing", "version", "check"];

export function benchStart(): Figure {
  // The first run of each fills the caches of the compiler and of the file system.
  for (const name of NAMES) time(name);
  const rounds = Array.from({ length: ROUNDS }, () => ({
    nothing: time("nothing"),
    version: time("version"),
    check: time("check"),
  }));
  const of = (name: Name): number => median(rounds.map((round) => round[name]));
  const ratio = (name: Name): number => median(rounds.map((round) => round[name] / round.nothing));
  const rows = NAMES.map((name) => [
    `\`${COMMANDS[name].says}\``,
    of(name).toFixed(1),
    ratio(name).toFixed(2),
  ]);
  return {
    name: "`signalbox check task` as a process, against `node -e 0`",
    wanted: `at most ${WANTED} times`,
    got: `${ratio("check").toFixed(2)} times`,
    ok: ratio("check") <= WANTED,
    details: `${table(["command", "ms", "ratio"], rows)}\n\nMedian of ${ROUNDS} alternating runs with the same Node, after one run that fills the compile cache.`,
  };
}

function time(name: Name): number {
  const [file, ...args] = COMMANDS[name].run;
  const begin = performance.now();
  execFileSync(file, args, { stdio: "ignore", cwd: root });
  return performance.now() - begin;
}
