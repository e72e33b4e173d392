/**
 * Lives of `orchestrated`, from end to end: real processes, git and SQLite; every agent is `player.sh`, which plays it straight unless it is
 * told otherwise, and people answer from a list.
 *
 * The workflows count as proven: `check` takes longer than a life, and another test runs it.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findWorkflow } from "../../../src/adapters/library/find.ts";
import { parseFound } from "../../../src/adapters/library/load.ts";
import { openStore } from "../../../src/adapters/store/open.ts";
import type { Workflow } from "../../../src/core/model/compile.ts";
import { STATUS } from "../../../scripts/status-contract.ts";
import type { ChildRow } from "../../../src/engine/ports/graphs.ts";
import type { Question } from "../../../src/engine/ports/journal.ts";
import { onStage, type Now, type Stage } from "../activities/stage.ts";
import { lookIn, story, type, type Answer } from "../lives/life.ts";

const PLAYER = join(import.meta.dirname, "player.sh");

/** The checks can be held, as `check`; a file `red` in the ledger makes them fail, and what ran is written down. */
const CHECK = `
ledger=$HOME/../ledger
echo check >>"$ledger/checked"
if mv "$ledger/hold-check" "$ledger/holding-check" 2>/dev/null; then
  echo "$$" >"$ledger/held"
  while [ -e "$ledger/holding-check" ]; do sleep 0.02; done
fi
[ ! -e "$ledger/red" ]
`;

export type Wishes = {
  /** What agents do, by role or by role and task: a line of words for each call, with commas between. */
  readonly agents?: Readonly<Record<string, string>>;
  /** What agents write instead of their own, by the file's name in the session. */
  readonly instead?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** More of the person's settings. */
  readonly settings?: string;
  /** Of the commands that begin the run and that answer, and so of the supervisors that they start. */
  readonly env?: Readonly<Record<string, string>>;
};

export type Play = Stage & {
  /** In the repository, as a person. */
  git(...args: readonly string[]): string;
  type(...argv: readonly string[]): Promise<Answer>;
  /** A session that goes on by itself. */
  run(...argv: readonly string[]): Promise<string>;
  /** Tells agents what they will do. */
  will(agents: Readonly<Record<string, string>>): void;
  /** What an agent does besides, in sh: `NAME`, or `NAME.CALL` for one call. */
  does(name: string, script: string): void;
  /** Until it is over, or somebody is asked, in the session or in one of its tasks, and nothing is left to be done. */
  rested(run: string): Promise<Now>;
  /**
   * Answers what is asked, one after the other, then rests. An answer is a word, with `: TEXT` behind it if it needs one; `N=ANSWER` is for one
   * part; with `!` before it, it must be refused or counted.
   */
  people(run: string, answers: string): Promise<Now>;
  /** What is asked now. */
  asked(): Promise<readonly Question[]>;
  /** The run that was made of a task: the last one of this name. */
  child(run: string, task: string): Promise<string>;
  /** Those of all tasks, in order. */
  children(run: string): Promise<readonly ChildRow[]>;
  /** A file of the session, wherever it is by now. */
  file(run: string, path: string): Promise<string>;
  /** Changes a file of the workspace, as somebody who is not asked to. */
  edit(run: string, path: string, text: string): Promise<void>;
  status(run: string): Promise<Status>;
  hold(name: string): () => Promise<number>;
  letGo(name: string): void;
  /** Who was called, in this order. */
  called(): string[];
};

/** Of status.json, what tests look at. */
type Status = {
  readonly current_state: string;
  readonly mode: string;
  readonly blocker: string | null;
  readonly user_decisions: readonly {
    readonly decision_id: string;
    readonly status: string;
    readonly answer: string | null;
  }[];
  readonly [other: string]: unknown;
};

export const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const PATIENCE_MS = IS_DEEP ? 600_000 : 120_000;

/** A life is a few seconds; where many others work at the same time, it is more. */
export const LONG = { timeout: PATIENCE_MS + 10_000 };

export async function inSession(wishes: Wishes, play: (on: Play) => Promise<void>): Promise<void> {
  const harness = (name: string): string =>
    `  ${name}: { driver: command, command: [sh, "${PLAYER}"], minutes: 60, stall_minutes: 60 }\n`;
  const files = { "check.sh": CHECK, ...wishes.files };
  const settings = `${harness("claude")}${harness("codex")}${wishes.settings ?? ""}`;
  await onStage({ agents: {}, settings, files }, async (stage) => {
    for (const [name, text] of Object.entries(wishes.instead ?? {}))
      put(join(stage.ledger, "instead"), name, text);
    await takeAsProven(stage);
    const on = playOf(stage, wishes);
    on.will(wishes.agents ?? {});
    await play(on);
    for (const name of readdirSync(stage.ledger).filter((each) => each.startsWith("status.")))
      asPublished(name.split(".")[1] === "Task" ? "Task" : "Session", stage.said(name));
  });
}

/** Whenever somebody begins or is asked, status.json is as its schema says. */
function asPublished(of: keyof typeof STATUS, text: string): void {
  const { error } = STATUS[of].safeParse(JSON.parse(text));
  if (error !== undefined) throw new Error(`${error.message}\n${text}`);
}

const known: Workflow[] = [];

async function takeAsProven({ home, repo }: Stage): Promise<void> {
  if (known.length === 0)
    for (const name of ["orchestrated", "orchestrated-task"]) {
      const parsed = await parseFound(findWorkflow(name, { cwd: repo, home: "" }));
      if (!parsed.ok) throw new Error(`${name} is broken`);
      known.push(parsed.workflow);
    }
  const store = openStore(home);
  for (const workflow of known)
    await store.commit([{ type: "define", hash: workflow.hash(), definition: workflow.definition }]);
  await store.close();
}

function playOf(stage: Stage, { env = {} }: Wishes): Play {
  const typed: Play["type"] = (...argv) => type(stage, argv);
  const withStore = async <T>(work: (store: ReturnType<typeof openStore>) => T | Promise<T>): Promise<T> => {
    const store = openStore(stage.home);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const children: Play["children"] = (run) => withStore((store) => store.childrenOf(run));
  const asked: Play["asked"] = () => withStore((store) => store.questions({ open: true }));
  const waitFor = async (run: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (let n = 1; !(await holds()); n += 1) {
      if (performance.now() > giveUpAt)
        throw new Error(
          `it does not come to that: ${holds.toString()}\n${run === "" ? "" : await story(stage, run)}`,
        );
      if (n % 25 === 0) await lookIn(stage);
      await pause(40);
    }
  };
  const rested: Play["rested"] = async (run) => {
    await waitFor(run, async () => {
      const now = await stage.now(run);
      return now.isIdle && (isOver(now) || now.attention !== "" || (await asked()).length > 0);
    });
    const status = await file(run, "status.json");
    if (status !== "") asPublished("Session", status);
    return stage.now(run);
  };
  const folderOf = async (run: string): Promise<string> => {
    const { workspace } = await stage.now(run);
    return workspace?.status === "bound" ? workspace.path : join(stage.home.root, "runs", run, "files");
  };
  const file: Play["file"] = async (run, path) => {
    const found = join(
      await folderOf(run),
      ".agents-work",
      String((await stage.now(run)).run.params["session"]),
      path,
    );
    return existsSync(found) ? readFileSync(found, "utf8") : "";
  };
  return {
    ...stage,
    git: (...args) =>
      execFileSync("git", args, { cwd: stage.repo, env: stage.env, encoding: "utf8" }).trimEnd(),
    type: typed,
    asked,
    rested,
    file,
    async run(...argv) {
      const answer = await type(stage, ["run", "orchestrated", "A goal", ...argv, "--detach"], env);
      if (answer.code !== 0) throw new Error(`${argv.join(" ")}: ${JSON.stringify(answer)}`);
      return String(answer.document["run"]);
    },
    will(agents) {
      for (const [name, words] of Object.entries(agents))
        writeFileSync(join(stage.ledger, `will.${name}`), `${words.split(", ").join("\n")}\n`);
    },
    does: (name, script) => writeFileSync(join(stage.ledger, `do.${name}`), script),
    async people(run, answers) {
      for (const said of answers === "" ? [] : answers.split(", ")) {
        await rested(run);
        const question = (await asked())[0];
        if (question === undefined) throw new Error(`nobody asks, for ${said}\n${await story(stage, run)}`);
        const mustFail = said.startsWith("!");
        const [word = "", text] = said.replace(/^!/, "").split(": ");
        const given = word.includes("=")
          ? ["--part", text === undefined ? word : `${word}: ${text}`]
          : [word];
        const more = text === undefined || word.includes("=") ? [] : ["--text", text];
        const answer = await type(stage, ["answer", question.run, ...given, ...more], env);
        if ((answer.code !== 0) !== mustFail)
          throw new Error(
            `${question.ask}, ${said}: ${JSON.stringify(answer)}\n${await story(stage, question.run)}`,
          );
      }
      return rested(run);
    },
    children,
    child: async (run, task) => (await children(run)).findLast((each) => each.task.id === task)?.run ?? "",
    edit: async (run, path, text) => put(await folderOf(run), path, text),
    status: async (run) => JSON.parse(await file(run, "status.json")) as Status,
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
    called: () => stage.said("order").split("\n"),
  };
}

function isOver({ state }: Now): boolean {
  return state === "DONE" || state === "CANCELLED";
}

/** The states that a run went through. */
export function wayOf({ events }: Now): string {
  return events.flatMap(({ event }) => (event.type === "moved" ? [event.to] : [])).join(" ");
}

function put(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
