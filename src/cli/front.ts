/**
 * The front of a command of an agent: it asks the supervisor, which has everything loaded, before anything else is loaded here.
 *
 * Whatever comes of that, the command can do it itself as always: where nobody answers at once, the supervisor declines, or dies
 * over it. What was done by then is done: asked for under the same key, it is not done again, and the answer is the same. That is so
 * also where `bin/ask.sh` has asked before us, as the same process.
 */

import { statSync } from "node:fs";
import type { Socket } from "node:net";
import { resolve } from "node:path";
import {
  isAskable,
  keyOfProcess,
  PROTOCOL,
  socketIn,
  TEXT_BYTES_MAX,
  VARIABLES,
  type Question,
  type Text,
} from "../adapters/supervisor/wire.ts";
import { newName } from "../adapters/home/new-name.ts";
import { bytesIn } from "../app/bytes.ts";
import type { Before } from "./main.ts";
import { show } from "./printed.ts";

type Printed = Parameters<typeof show>[0];

/** A supervisor that does not even say that it has heard is busy or stands still. */
const TAKE_MS = 250;
/** A digest of a large repository takes its time. */
const ANSWER_MS = 60_000;

/** What does everything, for when nobody is asked. */
type Whole = { main(before?: Before): Promise<void> };

export async function main(whole: () => Whole): Promise<void> {
  const { env } = process;
  const question = isToBeAsked(env) ? ownQuestion() : undefined;
  const socket = question === undefined ? undefined : socketOf(env);
  const before: { stdin?: Uint8Array } = {};
  const printed =
    question === undefined || socket === undefined
      ? undefined
      : await ask(process.getBuiltinModule("node:net").connect(socket), question, before);
  if (printed !== undefined) return show(printed);
  // Whoever has asked may have been heard.
  const hasAsked = socket !== undefined || env["SIGNALBOX_ASKED"] !== undefined;
  await whole().main({ ...before, ...(question === undefined || !hasAsked ? {} : { key: question.key }) });
}

/** Tests end commands at named places, which are in the command itself. */
function isToBeAsked(env: NodeJS.ProcessEnv): boolean {
  const isPlain = (env["SIGNALBOX_TOKEN"] ?? "") === "" || env["SIGNALBOX_FAILPOINT"] !== undefined;
  return !isPlain && isAskable(process.argv.slice(2));
}

function socketOf(env: NodeJS.ProcessEnv): string | undefined {
  const path = socketIn(env["SIGNALBOX_HOME"] ?? "");
  const isThere = path !== undefined && statSync(path, { throwIfNoEntry: false })?.isSocket() === true;
  return isThere ? path : undefined;
}

function ownQuestion(): Question | undefined {
  const { pid, env } = process;
  const given = VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  try {
    return {
      protocol: PROTOCOL,
      version: SIGNALBOX_VERSION,
      pid,
      key: keyOfProcess(pid) ?? `process ${pid} ${newName()}${newName()}`,
      argv: process.argv.slice(2),
      cwd: process.cwd(),
      env: Object.fromEntries(given),
    };
  } catch {
    // The folder is gone, and the command says so.
    return undefined;
  }
}

/** Gives nothing where nobody answers. */
function ask(
  socket: Socket,
  question: Question,
  before: { stdin?: Uint8Array },
): Promise<Printed | undefined> {
  return new Promise((done) => {
    let said = "";
    const end = (printed?: Printed): void => {
      clearTimeout(timer);
      socket.destroy();
      done(printed);
    };
    let timer = setTimeout(end, TAKE_MS);
    const hear = (reply: unknown): void => {
      const type = typeIn(reply);
      if (type === "taken") {
        clearTimeout(timer);
        timer = setTimeout(end, ANSWER_MS);
      } else if (type === "read") {
        const text = textFor(reply, before);
        if (text === undefined) end();
        else socket.write(`${JSON.stringify(text)}\n`);
      } else end(type === "printed" ? printedIn(reply) : undefined);
    };
    socket.setEncoding("utf8");
    socket.on("error", () => end());
    socket.on("close", () => end());
    socket.on("data", (part: string) => {
      const lines = (said + part).split("\n");
      said = lines.pop() ?? "";
      for (const line of lines) hear(valueIn(line));
    });
    socket.write(`${JSON.stringify(question)}\n`);
  });
}

function valueIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Whoever that is, it is no supervisor of ours.
    return undefined;
  }
}

function typeIn(reply: unknown): unknown {
  return typeof reply === "object" && reply !== null && "type" in reply ? reply.type : undefined;
}

function printedIn(reply: unknown): Printed | undefined {
  if (typeof reply !== "object" || reply === null) return undefined;
  if (!("code" in reply && "stdout" in reply && "stderr" in reply)) return undefined;
  const { code, stdout, stderr } = reply;
  if (typeof code !== "number" || typeof stdout !== "string" || typeof stderr !== "string") return undefined;
  return { code, stdout, stderr };
}

/** Read here, however long it takes, as it is read without a supervisor. What is too much to send is put in its place by us. */
function textFor(reply: unknown, before: { stdin?: Uint8Array }): Text | undefined {
  const file = typeof reply === "object" && reply !== null && "file" in reply ? String(reply.file) : "";
  try {
    const bytes = bytesIn(file === "-" ? undefined : resolve(file));
    if (file === "-") before.stdin = bytes;
    if (bytes.length > TEXT_BYTES_MAX) return undefined;
    return { type: "text", bytes: Buffer.from(bytes).toString("base64") };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return code === "" ? undefined : { type: "unread", code };
  }
}
