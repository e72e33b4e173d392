/**
 * The socket on which the supervisor carries out calls of agents.
 *
 * A client may be slow, broken or hostile: what it says is limited in size and time, so is the number of calls at once, and a
 * connection that says nothing holds up no other. A client that is not served carries its call out itself, so declining is always right.
 */

import { chmodSync, lstatSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { failpoint } from "../failpoint.ts";
import { claimFolder, clearWay } from "../home/clear-way.ts";
import type { Home } from "../home/paths.ts";
import { callsIn, hasProc, REQUEST_BYTES_MAX, socketIn, type Reply } from "./wire.ts";

/** Gives nothing for a call that the client must carry out itself. */
export type NoticeHandler = (notice: unknown) => Promise<Reply | undefined>;

export type Limits = {
  /** Until a line is whole, and until an answer is taken. */
  readonly noticeMs: number;
  readonly answerMs: number;
  /** Calls that are being carried out. */
  readonly atOnce: number;
  readonly lineBytes: number;
};

export type Listening = {
  /** Nobody new is heard; what is under way is finished. */
  close(): Promise<void>;
};

const LIMITS: Limits = {
  noticeMs: 2000,
  answerMs: 2000,
  atOnce: 8,
  lineBytes: hasProc ? 1024 : REQUEST_BYTES_MAX,
};
/** Of one agent, which may call several times at once, and be slow. */
const OF_CELL: Limits = { noticeMs: 10_000, answerMs: 10_000, atOnce: 4, lineBytes: REQUEST_BYTES_MAX };
const CONNECTIONS_MAX = 64;
const PRIVATE = 0o600;

/** Only for the process that holds the supervisor's lock: what stands in the place of the socket is of no use any more. */
export async function listen(
  home: Home,
  answer: NoticeHandler,
  limits: Limits = LIMITS,
): Promise<Listening | undefined> {
  const path = socketIn(home.root);
  if (path === undefined || !isCleared(home, path)) return undefined;
  clearCalls(home);
  return listenAt(path, answer, limits);
}

/** The same for one confined job, whose requests come over the socket themselves: its processes cannot be looked at from here. */
export async function listenToCell(
  home: Home,
  path: string,
  answer: NoticeHandler,
): Promise<Listening | undefined> {
  return isCleared(home, path) ? listenAt(path, answer, OF_CELL) : undefined;
}

async function listenAt(path: string, answer: NoticeHandler, limits: Limits): Promise<Listening | undefined> {
  const talks = new Set<Talk>();
  const busy = new Set<Promise<void>>();
  const hasRoom = (): boolean => [...talks].filter(({ isTaken }) => isTaken).length < limits.atOnce;
  const server = createServer((socket) => {
    const talk = new Talk(socket, limits);
    talks.add(talk);
    const done = talk
      .hear(hasRoom, answer)
      // Whoever asked sees the end of the connection and does it itself.
      .catch(() => undefined)
      .finally(() => {
        talk.end();
        talks.delete(talk);
        busy.delete(done);
      });
    busy.add(done);
  });
  server.maxConnections = CONNECTIONS_MAX;
  failpoint("socket.before-listen");
  if (!(await isListening(server, path))) return undefined;
  failpoint("socket.after-listen");
  return {
    async close() {
      server.close();
      for (const talk of talks) if (!talk.isTaken) talk.end();
      await Promise.all(busy);
    },
  };
}

/** The socket of one that was killed is taken away; what is none is put aside. */
function isCleared(home: Home, path: string): boolean {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return true;
  if (!there.isSocket()) return clearWay(home, path, "it is no socket of ours");
  unlinkSync(path);
  return true;
}

/** A request has a name for a moment only: one that still has it was left by a client that was killed. */
function clearCalls(home: Home): void {
  const folder = callsIn(home.root);
  try {
    claimFolder(home, folder);
    for (const name of readdirSync(folder)) rmSync(`${folder}/${name}`, { recursive: true, force: true });
  } catch {
    // The folder is not ours to write to: clients find that out, and carry their calls out themselves.
  }
}

/** Without a socket everybody works as well. */
function isListening(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    // Also of one that listens: it has no room for another connection, and whoever wants one does it itself.
    server.on("error", () => resolve(false));
    server.listen(path, () => {
      // The folder is for its owner alone, so that nobody else could come before this.
      chmodSync(path, PRIVATE);
      resolve(true);
    });
  });
}

/** One connection. */
class Talk {
  readonly #socket: Socket;
  readonly #limits: Limits;
  #parts: Buffer[] = [];
  #bytes = 0;
  #line: PromiseWithResolvers<string> | undefined;
  isTaken = false;

  constructor(socket: Socket, limits: Limits) {
    this.#socket = socket;
    this.#limits = limits;
    socket.on("data", (part: Buffer) => this.#take(part));
    // Its end tells.
    socket.on("error", () => undefined);
    socket.on("close", () => this.#line?.reject(new Error("whoever asked has left")));
  }

  async hear(hasRoom: () => boolean, answer: NoticeHandler): Promise<void> {
    const notice = await this.#next(this.#limits.noticeMs);
    if (!hasRoom()) return this.#say({ type: "declined" });
    this.isTaken = true;
    await this.#say({ type: "taken" });
    failpoint("served.before-work");
    const reply = await answer(notice);
    failpoint("served.before-answer");
    await this.#say(reply ?? { type: "declined" });
    failpoint("served.after-answer");
  }

  end(): void {
    this.#socket.destroy();
  }

  async #next(ms: number): Promise<unknown> {
    this.#line = Promise.withResolvers<string>();
    const timer = setTimeout(() => this.end(), ms);
    try {
      return JSON.parse(await this.#line.promise);
    } finally {
      clearTimeout(timer);
      this.#line = undefined;
    }
  }

  #take(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#line === undefined || this.#bytes > this.#limits.lineBytes) return this.end();
    this.#parts.push(part);
    if (part.at(-1) !== NEWLINE) return;
    const line = Buffer.concat(this.#parts).toString("utf8");
    this.#parts = [];
    this.#bytes = 0;
    this.#line.resolve(line);
  }

  async #say(reply: Reply): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    // Who does not read is not waited for.
    const timer = setTimeout(() => this.end(), this.#limits.answerMs);
    this.#socket.once("close", resolve);
    this.#socket.write(`${JSON.stringify(reply)}\n`, () => resolve());
    await promise;
    clearTimeout(timer);
    this.#socket.off("close", resolve);
  }
}

const NEWLINE = 0x0a;
