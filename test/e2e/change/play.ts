/**
 * Lives of `change`, from end to end: real processes, git and SQLite, in the checkout of a person who types `plan`, `impl` and `archive`. Every
 * agent is `player.sh`, which plays it straight unless it is told otherwise.
 *
 * The workflow counts as proven: `check` takes longer than a life, and another test runs it.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findWorkflow } from "../../../src/adapters/library/find.ts";
import { parseFound } from "../../../src/adapters/library/load.ts";
import { openStore } from "../../../src/adapters/store/open.ts";
import { runOfChange } from "../../support/change.ts";
import { onStage, type Now, type Stage } from "../activities/stage.ts";
import { lookIn, story, type, type Answer } from "../lives/life.ts";
import { NODE } from "../mcp/support.ts";
import { historyOf } from "../staged/support.ts";

export const PLAYER = join(import.meta.dirname, "player.sh");
const REVIEWER = fileURLToPath(new URL("reviewer.ts", import.meta.url));

/** Tests can be held, too, as `check`; a file `red` in the ledger makes them fail. */
const TESTS = `
ledger=$HOME/../ledger
if mv "$ledger/hold-check" "$ledger/holding-check" 2>/dev/null; then
  echo "$$" >"$ledger/held"
  while [ -e "$ledger/holding-check" ]; do sleep 0.02; done
fi
[ ! -e "$ledger/red" ]
`;

const FILES = { Makefile: "test:\n\t@sh test.sh\n", "test.sh": TESTS };

export type Wishes = {
  /** What agents do, by their names: a word for each call. */
  readonly agents?: Readonly<Record<string, string>>;
  /** What agents write instead of what they would. */
  readonly instead?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** Harnesses that are something else than `player.sh`. */
  readonly harnesses?: Readonly<Record<string, string>>;
};

export type Play = Stage & {
  type(...argv: readonly string[]): Promise<Answer>;
  /** A door of the change, followed to its end. Gives its exit code, and the phase. */
  door(...argv: readonly string[]): Promise<string>;
  /** The run of a change. */
  of(change: string): string;
  /** The next one of this name waits; gives its process when it does. */
  hold(name: string): () => Promise<number>;
  letGo(name: string): void;
  /** Until nothing is under way for this change, and it waits for somebody. */
  rested(change: string): Promise<Now>;
  read(path: string): string;
  write(path: string, text: string): void;
  /** The history in short lines, without times and ids. */
  history(change: string): Promise<string[]>;
  /** Who was called, in this order. */
  called(): string[];
};

const PATIENCE_MS = process.env["SIGNALBOX_DEEP"] === undefined ? 120_000 : 600_000;

/** A life is a few seconds; where many others work at the same time, it is more. */
export const LONG = { timeout: PATIENCE_MS + 10_000 };

export async function inChange(wishes: Wishes, play: (on: Play) => Promise<void>): Promise<void> {
  const player = `{ driver: command, command: [sh, "${PLAYER}"], set: { NODE: "${NODE}", REVIEWER: "${REVIEWER}" }, minutes: 60, stall_minutes: 60 }`;
  const harnesses = { gemini: player, codex: player, claude: player, ...wishes.harnesses };
  const settings = Object.entries(harnesses).map(([name, is]) => `  ${name}: ${is}\n`);
  const files = { ...FILES, ...wishes.files };
  await onStage({ agents: {}, settings: settings.join(""), files }, async (stage) => {
    for (const [name, words] of Object.entries(wishes.agents ?? {}))
      writeFileSync(join(stage.ledger, `will.${name}`), `${words.split(", ").join("\n")}\n`);
    for (const [name, text] of Object.entries(wishes.instead ?? {}))
      writeFileSync(join(stage.ledger, `instead-${name}`), text);
    await takeAsProven(stage);
    await play(playOf(stage));
  });
}

async function takeAsProven({ home, repo }: Stage): Promise<void> {
  const store = openStore(home);
  for (const name of ["change", "change-task"]) {
    const parsed = await parseFound(findWorkflow(name, { cwd: repo, home: "" }));
    if (!parsed.ok) throw new Error(`${name} is broken`);
    await store.commit([
      { type: "define", hash: parsed.workflow.hash(), definition: parsed.workflow.definition },
    ]);
  }
  await store.close();
}

function playOf(stage: Stage): Play {
  const typed: Play["type"] = (...argv) => type(stage, argv);
  const of = (change: string): string => runOfChange(stage.repo, change);
  const waitFor = async (run: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (let n = 1; !(await holds()); n += 1) {
      if (performance.now() > giveUpAt)
        throw new Error(`it does not come to that: ${holds.toString()}\n${await story(stage, run)}`);
      if (n % 25 === 0) await lookIn(stage);
      await pause(40);
    }
  };
  return {
    ...stage,
    type: typed,
    of,
    async door(...argv) {
      const { code, document } = await typed(...argv);
      return `${code} ${String(document["phase"] ?? document["code"])}`;
    },
    hold: (name) => {
      stage.say(`hold-${name}`);
      return async () => {
        await waitFor("", () => stage.said("held") !== "");
        const pid = Number(stage.said("held"));
        stage.unsay("held");
        return pid;
      };
    },
    letGo: (name) => stage.unsay(`holding-${name}`),
    async rested(change) {
      const run = of(change);
      await waitFor(run, async () => {
        const now = await stage.now(run);
        return now.isIdle && (WAITS.has(now.state) || now.run.question !== undefined || now.attention !== "");
      });
      return stage.now(run);
    },
    read: (path) => {
      const file = join(stage.repo, path);
      return existsSync(file) ? readFileSync(file, "utf8") : "";
    },
    write: (path, text) => {
      mkdirSync(dirname(join(stage.repo, path)), { recursive: true });
      writeFileSync(join(stage.repo, path), text);
    },
    history: async (change) => historyOf((await stage.now(of(change))).events.map(({ event }) => event)),
    called: () => stage.said("order").split("\n"),
  };
}

/** The states that a run went through. */
export function wayOf({ events }: Now): string[] {
  return events.flatMap(({ event }) => (event.type === "moved" ? [event.to] : []));
}

/** Where a change waits for a person, or is over. */
const WAITS = new Set(["challenged", "edited", "rejected", "changed", "complete", "archived", "dropped"]);
