/**
 * One trial turn of an agent: a tiny prompt in a temporary folder, started by the same driver and the same shim as the turns of runs.
 *
 * The program asks its model, so a trial may cost a little. It ends with its time limit, and when the caller is interrupted.
 */

import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { clipped } from "../../engine/clip.ts";
import { DRIVER_FILE } from "../../engine/ports/drivers.ts";
import type { Process } from "../../engine/ports/process.ts";
import type { Harness, Settings } from "../../engine/ports/settings.ts";
import { driverOf, readerIn } from "../drivers/drivers.ts";
import { drivers } from "../drivers/turn-log.ts";
import { makeFolder } from "../home/folders.ts";
import { newName } from "../home/new-name.ts";
import type { Env, Home } from "../home/paths.ts";
import { LOG } from "../process/folder.ts";
import { shimProcesses } from "../process/processes.ts";
import { programAt } from "../process/program.ts";
import { environmentOf } from "./agents.ts";

/** *works*: it answered. *no-answer*: it took too long, or ended without a word. *other*: it failed in a way that has no name here. */
type TrialResult =
  | "works"
  | "not-installed"
  | "login"
  | "trust"
  | "quota"
  | "configuration"
  | "provider"
  | "no-answer"
  | "other"
  | "interrupted";

export type Trial = {
  readonly agent: string;
  readonly result: TrialResult;
  /** The sentence of the program or its provider, where it failed; else its answer. */
  readonly message: string;
  readonly ms: number;
};

type TrialOn = {
  readonly home: Home;
  readonly settings: Settings;
  readonly env: Env;
  readonly seconds: number;
};

const PROMPT =
  "This is a test of the connection. Answer with the one word: ready. Use no tools, and change no file.\n";
const LOOK_MS = 50;

export async function tryAgent(harness: Harness, on: TrialOn): Promise<Trial> {
  const begun = performance.now();
  const ended = (result: TrialResult, message: string): Trial => ({
    agent: harness.name,
    result,
    message: clipped(message),
    ms: Math.round(performance.now() - begun),
  });
  const [program = ""] = harness.program;
  if (programAt(program, on.env["PATH"] ?? "") === undefined)
    return ended("not-installed", `${program} is not on your PATH`);
  const root = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-trial-")));
  try {
    const { process: last, isInterrupted } = await turnIn(root, harness, on);
    if (isInterrupted) return ended("interrupted", "the trial was interrupted");
    return ended(...resultOf(join(root, "turn"), harness, { last, seconds: on.seconds }));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

type LastSeen = { readonly process: Process; readonly isInterrupted: boolean };

async function turnIn(root: string, harness: Harness, on: TrialOn): Promise<LastSeen> {
  const [dir, work] = [join(root, "turn"), join(root, "work")];
  mkdirSync(dir, { mode: 0o700 });
  mkdirSync(work);
  const prompt = join(dir, "prompt.md");
  writeFileSync(prompt, PROMPT);
  const { name } = driverOf(harness.driver);
  if (name !== "command") writeFileSync(join(dir, DRIVER_FILE), name);
  makeFolder(on.home.root);
  const processes = shimProcesses({ home: on.home, env: on.env });
  const id = `trial.${basename(root)}.${newName()}`;
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    await processes.launch({
      id,
      dir,
      argv: driverOf(harness.driver).argv({
        harness,
        access: "read",
        model: harness.model,
        effort: harness.effort,
        isFirst: true,
        session: randomUUID(),
        conversation: "",
        seat: "",
        prompt,
        run: "trial",
        role: "trial",
        workspace: work,
        folders: [],
        isConfined: false,
      }),
      cwd: work,
      env: { ...environmentOf(harness, on), SIGNALBOX_PROMPT: prompt },
      stdin: harness.stdin ? prompt : "",
    });
    const giveUpAt = performance.now() + on.seconds * 1000;
    let seen = processes.probe(dir);
    while (!isOver(seen) && !interrupted.signal.aborted && performance.now() < giveUpAt) {
      await pause(LOOK_MS);
      seen = processes.probe(dir);
    }
    // Also what it may have left behind.
    await processes.kill({ id, dir });
    return { process: seen, isInterrupted: interrupted.signal.aborted };
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, interrupt);
    rmSync(join(on.home.exits, id), { force: true });
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function isOver({ type }: Process): boolean {
  return type === "ended" || type === "lost";
}

function resultOf(
  dir: string,
  harness: Harness,
  { last, seconds }: { readonly last: Process; readonly seconds: number },
): [TrialResult, string] {
  const failure = drivers.failure(dir);
  if (failure !== undefined) return [failure.class, failure.message];
  if (!isOver(last)) return ["no-answer", `no answer within ${seconds} seconds`];
  const log = textOf(join(dir, LOG));
  const said = saidIn(dir, log);
  if (last.type === "ended" && last.code === 0 && said !== "") return ["works", said];
  const words = said || log.trimEnd().split("\n").at(-1) || "";
  const code = last.type === "ended" ? `it exited with ${last.code}` : "its process is gone";
  if (words === "") return ["no-answer", `${harness.name} printed nothing; ${code}`];
  return ["other", `${words} (${code})`];
}

/** Its last words. Of a program without a driver, every line is one. */
function saidIn(dir: string, log: string): string {
  const reader = readerIn(dir);
  if (reader === undefined) return log.trimEnd().split("\n").at(-1) ?? "";
  const events = [...log.split("\n").flatMap((line) => reader.take(line)), ...reader.end()];
  const said = events.findLast(({ type }) => type === "text");
  return said?.type === "text" ? said.text.trim() : "";
}

const LOG_MAX = 262_144;

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8").slice(-LOG_MAX);
  } catch {
    // It never began.
    return "";
  }
}
