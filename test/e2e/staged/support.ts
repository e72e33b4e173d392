/**
 * Lives of the workflow `staged`: a small repository, one scripted agent for all roles, real worktrees and processes.
 *
 * What the agents do is told by role, a word for each call: `{ "plan-reviewer": "fix, ok", "worker.2": "fail", explorer: "die*" }`. A star: from
 * then on always. Every reader of `agent.sh` knows the words.
 */

import { readFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findWorkflow } from "../../../src/adapters/library/find.ts";
import { parseFound } from "../../../src/adapters/library/load.ts";
import { openStore, type SqliteStore } from "../../../src/adapters/store/open.ts";
import type { Workflow } from "../../../src/core/model/compile.ts";
import type { Event } from "../../../src/core/model/event.ts";
import { slotKey } from "../../../src/core/model/run.ts";
import type { Kept } from "../../../src/engine/ports/journal.ts";
import { showProblem } from "../../../src/format/problem.ts";
import { clear, makeLife, story as everything, type, type Answer, type Life } from "../lives/life.ts";

export type Told = {
  readonly agents?: Readonly<Record<string, string>>;
  /** Nothing is pushed, unless said. */
  readonly params?: Readonly<Record<string, string | number | boolean>>;
  /** More words of `run`. */
  readonly argv?: readonly string[];
  /** Limits of agents, as they stand in the settings of their harness; long, unless said. */
  readonly limits?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Of the command that begins the run, and so of the supervisor that it starts. */
  readonly env?: Readonly<Record<string, string>>;
};

export type Story = Life & {
  readonly run: string;
  person(...argv: readonly string[]): Promise<Answer>;
  /** Waits until the run is in one of these states and nothing is under way for it. */
  until(...states: readonly string[]): Promise<Kept>;
  /** Answers the question that is open. */
  answer(word: string, text?: string): Promise<void>;
  /** Tells agents what they will do from their next call on. */
  will(agents: Readonly<Record<string, string>>): void;
  /** Lets an agent go on that holds. */
  go(name: string): void;
  /** What agents wrote down: `begin NAME CALL WORD`, `end NAME CALL`. */
  order(): string[];
  /** The history in short lines, without times and ids: moves with what they led to, verdicts, questions, answers, waivers. */
  history(): Promise<string[]>;
  /** A file of the run, in its workspace or where it is kept afterwards. */
  file(path: string): Promise<string>;
  withStore<T>(work: (store: SqliteStore) => T | Promise<T>): Promise<T>;
};

const FILES: Readonly<Record<string, string>> = {
  Makefile: `.PHONY: lint test
lint:
	@if grep -n WRONG src/*.sh /dev/null | sed 's/:\\([0-9]*\\):.*/:\\1: error: it is wrong/' | grep .; then exit 1; fi
test:
	@if grep -q MYSTERY src/*.sh; then echo "it does not work"; exit 1; fi
	@for file in test/*.test.sh; do sh $$file || { echo "FAIL $$file"; exit 1; }; done
`,
  "src/greet.sh": '#!/bin/sh\necho "Hello, ${1:-you}!"\n',
  "test/greet.test.sh": '#!/bin/sh\n[ "$(sh src/greet.sh)" = "Hello, you!" ]\n',
};

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
/** Lives take a few seconds, and many times that where others use the machine as well. */
export const LIFE_MS = IS_DEEP ? 900_000 : 150_000;
const PATIENCE_MS = IS_DEEP ? 300_000 : 100_000;
const PATIENT = "minutes: 60, stall_minutes: 60";

let staged: Workflow | undefined;

/** Begins a run of `staged` and plays; whatever is left behind is cleared, also when it fails. */
export async function story(told: Told, play: (on: Story) => Promise<void>): Promise<void> {
  const life = makeLife({
    config: (root) => configOf(root, told),
    furnish: (repo) => write(repo, { ...FILES, ...told.files }),
  });
  try {
    will(life, told.agents ?? {});
    await takenAsProven(life);
    const params = Object.entries({ git_workflow: "commit", ...told.params });
    const more = params.flatMap(([name, value]) => ["--param", `${name}=${value}`]);
    const argv = ["run", "staged", "Greetings that shout", "--detach", ...more, ...(told.argv ?? [])];
    const begun = await type(life, argv, told.env);
    if (begun.code !== 0) throw new Error(`${JSON.stringify(begun.document)} ${begun.stderr}`);
    await play(storyOf(life, String(begun.document["run"])));
  } finally {
    await clear(life);
  }
}

function configOf(root: string, { limits = PATIENT }: Told): string {
  const script = join(import.meta.dirname, "agent.sh");
  const harness = `{ driver: command, command: [sh, "${script}"], set: { LEDGER: "${root}/ledger" }, ${limits} }`;
  return `terminal: none\nharnesses:\n  claude: ${harness}\n  codex: ${harness}\n`;
}

/** It is proven by a test of its own; each home would prove it again, and that takes longer than a life. */
async function takenAsProven({ home, repo }: Life): Promise<void> {
  const parsed = await parseFound(findWorkflow("staged", { cwd: repo, home: "" }));
  if (!parsed.ok) throw new Error(parsed.problems.map(showProblem).join("\n"));
  staged ??= parsed.workflow;
  const store = openStore(home);
  await store.commit([{ type: "define", hash: staged.hash(), definition: staged.definition }]);
  await store.close();
}

function will({ ledger }: Life, agents: Readonly<Record<string, string>>): void {
  for (const [name, words] of Object.entries(agents))
    writeFileSync(join(ledger, `will.${name}`), words.split(", ").join("\n") + "\n");
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function storyOf(life: Life, run: string): Story {
  const withStore: Story["withStore"] = async (work) => {
    const store = openStore(life.home);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const person: Story["person"] = (...argv) => type(life, argv);
  return {
    ...life,
    run,
    person,
    withStore,
    until: (...states) => until(life, run, states),
    async answer(word, text) {
      const said = await person("answer", run, word, ...(text === undefined ? [] : ["--text", text]));
      if (said.code !== 0) throw new Error(`${JSON.stringify(said.document)} ${said.stderr}`);
    },
    will: (agents) => will(life, agents),
    go: (name) => writeFileSync(join(life.ledger, `go.${name}`), ""),
    order: () => linesIn(join(life.ledger, "order")),
    history: () => withStore(async (store) => historyOf((await store.events(run)).map(({ event }) => event))),
    file: async (path) => {
      const workspace = await withStore(async (store) => (await store.workspace(run))?.path ?? "");
      const places = [join(workspace, path), join(life.home.root, "runs", run, "files", path)];
      return readFileSync(places.find((place) => existsSync(place)) ?? path, "utf8");
    },
  };
}

function linesIn(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

async function until(life: Life, run: string, states: readonly string[]): Promise<Kept> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const store = openStore(life.home);
    const kept = await store.load(run);
    const isBusy = await store.isBusy();
    await store.close();
    if (kept !== undefined && states.includes(kept.run.state) && !isBusy) return kept;
    const isElsewhere = kept?.row.attention !== "" || (kept.run.question !== undefined && !isBusy);
    if (isElsewhere || performance.now() > giveUpAt)
      throw new Error(
        `it is in ${kept?.run.state}, not in ${states.join(" or ")}: ${kept?.row.attention}\n${await everything(life, run)}`,
      );
    await pause(25);
  }
}

/** What followed is told in the line of the move that it followed; members of a fan-out end when they end, and are not told. */
export function historyOf(events: readonly Event[]): string[] {
  const lines: string[] = [];
  let led: string[] | undefined;
  for (const event of events) {
    const said = sayEvent(event);
    if (said === undefined) continue;
    if (event.type === "moved") {
      led = [];
      lines.push(said);
    } else if (led !== undefined && isConsequence(event)) {
      led.push(said);
      lines[lines.length - 1] = `${lines.at(-1)}${led.length === 1 ? ": " : ", "}${said}`;
    } else {
      led = undefined;
      lines.push(said);
    }
  }
  return lines;
}

function isConsequence({ type: kind }: Event): boolean {
  return (
    kind === "counted" || kind === "agent-called" || kind === "question-opened" || kind === "waiver-given"
  );
}

function sayEvent(event: Event): string | undefined {
  if (event.type === "moved") return `${event.from} -> ${event.to}`;
  if (event.type === "counted") return `${event.counter} ${event.value}`;
  if (event.type === "agent-called") return `${slotKey(event.role, event.slot)} #${event.attempt}`;
  if (event.type === "question-opened") return `asks ${event.ask}`;
  if (event.type === "question-closed") return `answered ${event.answer}`;
  if (event.type === "waiver-given") return `waived ${event.artifact}`;
  if (event.type === "artifact-read") {
    const { artifact, found: isThere, verdict, issues, faults, fields } = event.reading;
    if (!isThere) return undefined;
    const found = Object.entries(issues ?? {}).flatMap(([rank, n]) => (n > 0 ? [`${rank} ${n}`] : []));
    const words = [verdict, ...found, fields["failing"], fields["outcome"]].filter(
      (word) => word !== undefined,
    );
    if (faults.length > 0) return `${artifact} is not valid`;
    return words.length === 0 ? undefined : `${artifact} is ${words.join(", ")}`;
  }
  return undefined;
}
