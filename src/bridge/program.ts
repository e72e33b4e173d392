/**
 * The program of an agent that the bridge talks to: JSON, one message per line.
 *
 * It leads a process group of its own, so that everything it started can be ended with it. What it prints may be anything: a line that is
 * too long or no JSON is reported, and never kept.
 */

import { spawn } from "node:child_process";

export type BridgedProgram = {
  send(message: unknown): void;
  /** How it ended, in words; it comes when its output has been read. */
  readonly ended: Promise<string>;
  /** Ends it and its group; returns when nothing of the group is left. */
  end(): Promise<void>;
};

type ProgramHandlers = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly message: (message: object) => void;
  /** A line of its standard error, or one that is not a message. */
  readonly notice: (text: string) => void;
};

const LINE_MAX = 8 * 1_048_576;
const NOTICE_MAX = 500;
/** A program that prints nothing else must not fill the log. */
const NOTICES_MAX = 200;
const LEAVE_MS = 1000;
const TERM_MS = 1000;
const LOOK_MS = 20;

export function startProgram(argv: readonly string[], on: ProgramHandlers): BridgedProgram {
  const [program = "", ...rest] = argv;
  const child = spawn(program, rest, {
    cwd: on.cwd,
    env: on.env,
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  const notice = limited(on.notice);
  let said = "";
  child.stdout.on(
    "data",
    splitter((line) => receive(line, on.message, notice), notice),
  );
  child.stderr.on(
    "data",
    splitter((line) => {
      said = line.trim() === "" ? said : line;
      notice(line);
    }, notice),
  );
  // It may have ended: what it no longer reads is lost with it.
  child.stdin.on("error", () => undefined);
  const exited = new Promise<void>((done) => {
    child.once("exit", () => done());
    child.once("error", () => done());
  });
  const ended = new Promise<string>((done) => {
    child.once("error", (error) => done(`${program} cannot be started: ${error.message}`));
    child.once("close", (code, signal) => {
      const how = signal === null ? `exit code ${code ?? 0}` : signal;
      done(`${program} ended: ${how}${said === "" ? "" : `: ${said.trim().slice(0, NOTICE_MAX)}`}`);
    });
  });
  return {
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    ended,
    async end() {
      child.stdin.end();
      await within(LEAVE_MS, exited);
      const { pid } = child;
      if (pid === undefined) return;
      if (send(pid, "SIGTERM")) await gone(pid, TERM_MS);
      if (send(pid, "SIGKILL")) await gone(pid, TERM_MS);
      // A program that left the group may hold the pipes.
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}

function receive(line: string, message: ProgramHandlers["message"], notice: (text: string) => void): void {
  if (line.trim() === "") return;
  const data = parsed(line);
  if (data === undefined) notice(line);
  else message(data);
}

function parsed(line: string): object | undefined {
  try {
    const data: unknown = JSON.parse(line);
    return typeof data === "object" && data !== null && !Array.isArray(data) ? data : undefined;
  } catch {
    // Programs print other things, too.
    return undefined;
  }
}

/** Calls back with each complete line. A line that grows too long is dropped up to its end. */
function splitter(take: (line: string) => void, notice: (text: string) => void): (bytes: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  let isDropping = false;
  const add = (part: Buffer): void => {
    length += part.length;
    if (length > LINE_MAX) {
      parts = [];
      isDropping = true;
    } else if (!isDropping) parts.push(part);
  };
  return (bytes) => {
    let from = 0;
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
      add(bytes.subarray(from, at));
      if (isDropping) notice(`(a line of ${length} bytes is left out)`);
      else take(Buffer.concat(parts).toString("utf8"));
      [parts, length, isDropping] = [[], 0, false];
      from = at + 1;
    }
    add(bytes.subarray(from));
  };
}

function limited(notice: (text: string) => void): (text: string) => void {
  let count = 0;
  return (text) => {
    count += 1;
    if (text.trim() === "" || count > NOTICES_MAX + 1) return;
    notice(
      count > NOTICES_MAX ? "(more lines that are no messages are left out)" : text.slice(0, NOTICE_MAX),
    );
  };
}

/** Whether there was something to signal. */
function send(group: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(-group, name);
    return true;
  } catch {
    // Nothing of the group is left, or nothing that we may signal.
    return false;
  }
}

async function gone(group: number, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (performance.now() < giveUpAt) {
    try {
      process.kill(-group, 0);
    } catch {
      // Nothing of the group is left.
      return;
    }
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
}

/** Undefined where the time was over first. */
export async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((done) => {
    timer = setTimeout(() => done(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
