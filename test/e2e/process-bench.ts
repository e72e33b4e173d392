/** A state home with real processes in it, and eyes to see them; everything that was started is gone at the end. */
import { createHash } from "node:crypto";
import {
  readdirSync,
  readFileSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
  existsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { homeAt, type Home } from "../../src/adapters/home/paths.ts";
import { shimProcesses, type ProcessOptions } from "../../src/adapters/process/processes.ts";
import type { Launch, Process, Processes } from "../../src/engine/ports/process.ts";

export type Bench = {
  readonly home: Home;
  readonly processes: Processes;
  /** Of the job with this id. */
  dir(id: string): string;
  file(id: string, name: string): string;
  text(id: string, name: string): string;
  script(id: string, text: string, more?: Partial<Launch>): Launch;
  /** Launches, waits for the end, gives the exit code. */
  run(launch: Launch): Promise<number>;
  put(name: string, text: string): string;
};

export function bench(on: Partial<ProcessOptions> = {}): Bench {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-process-")));
  const home = homeAt(join(root, "home"));
  const processes = shimProcesses({ home, graceMs: 300, ...on });
  const dir = (id: string): string => {
    const folder = join(home.root, "jobs", id);
    marks.set(`SIGNALBOX_JOB_MARK=${createHash("sha256").update(folder).digest("hex").slice(0, 32)}`, folder);
    return folder;
  };
  onTestFinished(() => {
    carriers(root).forEach(endIfThere);
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    home,
    processes,
    dir,
    file: (id, name) => join(dir(id), name),
    text: (id, name) => readFileSync(join(dir(id), name), "utf8"),
    script: (id, text, more = {}) => ({
      id,
      dir: dir(id),
      argv: ["/bin/sh", "-c", text],
      cwd: root,
      env: { PATH: process.env["PATH"] ?? "" },
      stdin: "",
      ...more,
    }),
    run: async (launch) => {
      await processes.launch(launch);
      const seen = await until(() => settled(processes.probe(launch.dir)));
      return seen.type === "ended" ? seen.code : -1;
    },
    put: (name, text) => {
      writeFileSync(join(root, name), text);
      return join(root, name);
    },
  };
}

function settled(seen: Process): Process | undefined {
  return seen.type === "ended" || seen.type === "lost" ? seen : undefined;
}

/** Nobody waits this long for what comes; a busy machine is no failure. */
const PATIENCE_MS = 120_000;

/** The first answer that is one. */
export async function until<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = PATIENCE_MS,
): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > giveUpAt) throw new Error(`nothing came of ${ask.toString()}`);
    await pause(5);
  }
}

export function exists(file: string): Promise<boolean> {
  return until(() => existsSync(file));
}

/** What the processes of each job carry. */
const marks = new Map<string, string>();

/** Pids of live processes whose job's folder is this one, or below it: seen without any code of ours. */
export function carriers(folder: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const environ = readFileSync(`/proc/${name}/environ`, "latin1");
      const isOne = environ.split("\0").some((line) => marks.get(line)?.startsWith(folder) === true);
      return isOne && isAlive(Number(name)) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

export function endIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

/** Dead and not yet noticed by its parent is dead. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
