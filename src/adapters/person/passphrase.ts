/**
 * A passphrase, typed at the terminal and shown nowhere.
 *
 * Never from a variable, an argument or a pipe: an agent has those. Without a terminal there is no passphrase.
 */

import { constants, openSync, writeSync } from "node:fs";
import type { ReadStream } from "node:tty";
import { UserError } from "../user-error.ts";
import { EXIT_NOT_YOURS } from "./who.ts";

export type AskPassphrase = (prompt: string) => Promise<string>;

const EXIT_INTERRUPTED = 130;
const INTERRUPT = "\u0003";
const END = "\u0004";
const CLEAR = "\u0015";
const BACKSPACE = new Set(["\u007F", "\b"]);

export const askAtTerminal: AskPassphrase = async (prompt) => {
  const terminal = openTerminal();
  // Only a key with a passphrase is asked for one: nobody else waits for this to be loaded.
  const { ReadStream } = process.getBuiltinModule("node:tty");
  const input = new ReadStream(terminal);
  input.setEncoding("utf8");
  input.setRawMode(true);
  writeSync(terminal, prompt);
  try {
    return await readLine(input);
  } finally {
    input.setRawMode(false);
    writeSync(terminal, "\n");
    input.destroy();
  }
};

function openTerminal(): number {
  try {
    return openSync("/dev/tty", constants.O_RDWR | constants.O_NOCTTY);
  } catch (error) {
    throw noTerminal(error);
  }
}

function noTerminal(cause: unknown): UserError {
  const error = new UserError(
    "no-terminal",
    "the human key is under a passphrase, and there is no terminal to type it at",
    {
      next: "type the same in a terminal of your own",
      exit: EXIT_NOT_YOURS,
    },
  );
  error.cause = cause;
  return error;
}

function readLine(input: ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    input.on("error", reject);
    input.on("end", () => reject(interrupted()));
    input.on("data", (chunk) => {
      for (const key of String(chunk)) {
        if (key === "\r" || key === "\n") return resolve(typed.join(""));
        if (key === INTERRUPT || (key === END && typed.length === 0)) return reject(interrupted());
        if (key === CLEAR) typed = [];
        else if (BACKSPACE.has(key)) typed.pop();
        else typed.push(key);
      }
    });
  });
}

function interrupted(): UserError {
  return new UserError("interrupted", "nothing was done", { next: "type it again", exit: EXIT_INTERRUPTED });
}
