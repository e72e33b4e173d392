/**
 * The socket on which the supervisor answers commands of agents.
 *
 * Whoever connects may be slow, broken or hostile: what is said is limited in size and time, as many as are served at once, and a
 * connection that says nothing keeps nobody. Whoever is not served does it itself, so that turning away is always right.
 */

import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { failpoint } from "../failpoint.ts";
import { clearWay } from "../home/clear-way.ts";
import type { Home } from "../home/paths.ts";
import { socketIn, TEXT_BYTES_MAX, type Reply } from "./wire.ts";

/** One question, and a way to have a text read by whoever asks. */
export type Call = {
  readonly question: unknown;
  read(file: string): Promise<unknown>;
};

export type Printed = { readonly code: number; readonly stdout: string; readonly stderr: string };

export type Limits = {
  /** Until a question is whole, until a text has come, until an answer is taken. */
  readonly questionMs: number;
  readonly textMs: number;
  readonly answerMs: number;
  /** Questions that are being answered. */
  readonly atOnce: number;
};

export type Listening = {
  /** Nobody new is heard; what is under way is finished. */
  close(): Promise<void>;
};

const LIMITS: Limits = { questionMs: 2000, textMs: 10_000, answerMs: 2000, atOnce: 8 };
const CONNECTIONS_MAX = 64;
const QUESTION_BYTES_MAX = 256 * 1024;
/** In base64, with what is around it. */
const LINE_BYTES_MAX = Math.ceil((TEXT_BYTES_MAX * 4) / 3) + 1024;
const PRIVATE = 0o600;

/** What answers gives nothing for is declined. Only for who holds the supervisor's lock: what stands in the place is of no use any more. */
export async function listen(
  home: Home,
  answer: (call: Call) => Promise<Printed | undefined>,
  limits: Limits = LIMITS,
): Promise<Listening | undefined> {
  const path = socketIn(home.root);
  if (path === undefined || !isCleared(home, path)) return undefined;
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
  #max = QUESTION_BYTES_MAX;
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

  async hear(hasRoom: () => boolean, answer: (call: Call) => Promise<Printed | undefined>): Promise<void> {
    const question = await this.#next(this.#limits.questionMs);
    if (!hasRoom()) return this.#say({ type: "declined" });
    this.isTaken = true;
    await this.#say({ type: "taken" });
    failpoint("served.before-work");
    const printed = await answer({ question, read: (file) => this.#read(file) });
    failpoint("served.before-answer");
    await this.#say(printed === undefined ? { type: "declined" } : { type: "printed", ...printed });
    failpoint("served.after-answer");
  }

  end(): void {
    this.#socket.destroy();
  }

  async #read(file: string): Promise<unknown> {
    this.#max = LINE_BYTES_MAX;
    await this.#say({ type: "read", file });
    return this.#next(this.#limits.textMs);
  }

  /** One at a time: nobody says anything that was not asked for. */
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
    if (this.#line === undefined || this.#bytes > this.#max) return this.end();
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
