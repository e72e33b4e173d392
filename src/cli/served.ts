/**
 * A command of an agent, answered by the supervisor, which has everything open and loaded.
 *
 * The same code as in a process of its own, with the same checks of who asks: only the store, the definitions and git are the
 * supervisor's. Nothing of the agent's environment says what is started here: programs of its PATH would be started as ours.
 */

import { statSync } from "node:fs";
import { homeOf, type Env, type Home } from "../adapters/home/paths.ts";
import { PROCS } from "../adapters/person/processes.ts";
import type { Call, Printed } from "../adapters/supervisor/listen.ts";
import { isAskedBy, questionOf } from "../adapters/supervisor/question.ts";
import { isAskable, PROTOCOL, type Question } from "../adapters/supervisor/wire.ts";
import type { Box } from "../engine/box.ts";
import { EXIT_BUG } from "./command.ts";
import { run } from "./run.ts";

export type Serving = {
  readonly home: Home;
  readonly box: Box;
  /** What the supervisor itself calls programs with. */
  readonly env: Env;
  /** What agents call: the program, and what calls it for them. */
  readonly programs: readonly string[];
  /** There may be something to do. */
  ring(): void;
};

/** Gives nothing where the command must do it itself. */
export function serving(on: Serving): (call: Call) => Promise<Printed | undefined> {
  const opened = identityOf(on.home.database);
  return async (call) => {
    const asked = questionOf(call.question);
    if (asked === undefined || !isOurs(on, asked)) return undefined;
    // Somebody has put another database there: what is written to ours would be lost.
    if (identityOf(on.home.database) !== opened) return undefined;
    const { argv, cwd, key, pid, env } = asked;
    const printed = await run(argv, {
      cwd,
      env: { ...on.env, ...env },
      key,
      procs: { ...PROCS, self: pid },
      warm: { box: on.box, ring: () => on.ring(), read: async (file) => bytesOf(await call.read(file)) },
    });
    // What is wrong with us need not be wrong with a new process.
    return printed.code === EXIT_BUG ? undefined : printed;
  };
}

/** People's commands are none of our business: only who has a token is heard at all. */
function isOurs({ home, programs }: Serving, asked: Question): boolean {
  return (
    asked.protocol === PROTOCOL &&
    asked.version === SIGNALBOX_VERSION &&
    isAskable(asked.argv) &&
    (asked.env["SIGNALBOX_TOKEN"] ?? "") !== "" &&
    homeOf(asked.env)?.root === home.root &&
    isAskedBy(asked, programs)
  );
}

function identityOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.dev} ${stat.ino}`;
}

/** What whoever asks has read, or why it could not: the same error as if we had read it. */
function bytesOf(text: unknown): Uint8Array {
  if (typeof text === "object" && text !== null && "type" in text) {
    if (text.type === "text" && "bytes" in text && typeof text.bytes === "string")
      return Buffer.from(text.bytes, "base64");
    if (text.type === "unread" && "code" in text && typeof text.code === "string")
      throw Object.assign(new Error(`it cannot be read: ${text.code}`), { code: text.code });
  }
  throw new Error("what was to be read has not come");
}
