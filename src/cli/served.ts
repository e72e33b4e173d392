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
import { isAskable, PROTOCOL, VARIABLES, type Question } from "../adapters/supervisor/wire.ts";
import type { Box } from "../engine/box.ts";
import { EXIT_BUG } from "../app/exit-codes.ts";
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
  const around = surroundings(on);
  // What agents ask as is said by them alone.
  const own = Object.fromEntries(
    Object.entries(on.env).filter(([name]) => !VARIABLES.some((known) => known === name)),
  );
  return async (call) => {
    const asked = questionOf(call.question);
    if (asked === undefined || !isOurs(on, asked)) return undefined;
    if (surroundings(on) !== around) return undefined;
    const { argv, cwd, key, pid, env } = asked;
    const printed = await run(argv, {
      cwd,
      env: { ...own, ...env },
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

/**
 * Somebody has put another database there: what is written to ours would be lost. Or another program, as when it is brought up to date:
 * who calls it wants its answer, and not ours.
 */
function surroundings({ home, programs: [program = ""] }: Serving): string {
  const [data, code] = [home.database, program].map((file) => statSync(file, { throwIfNoEntry: false }));
  return [data?.dev, data?.ino, code?.dev, code?.ino, code?.mtimeMs].join(" ");
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
