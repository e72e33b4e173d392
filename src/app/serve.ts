/**
 * Calls of agents, carried out by the supervisor, which has everything open and loaded.
 *
 * The same code as in the client's own process, with the same checks of who calls: only the store, the definitions and git are the
 * supervisor's. Nothing of the agent's environment decides which programs are started: programs of its PATH would be started as ours.
 */

import { statSync } from "node:fs";
import { homeOf, type Env, type Home } from "../adapters/home/paths.ts";
import { PROCS } from "../adapters/person/processes.ts";
import type { NoticeHandler } from "../adapters/supervisor/listen.ts";
import { requestFrom } from "../adapters/supervisor/request.ts";
import { PROTOCOL, VARIABLES, type Reply, type WireRequest } from "../adapters/supervisor/wire.ts";
import type { Box } from "../engine/box.ts";
import { isSent } from "./client.ts";
import { EXIT_BUG } from "./exit-codes.ts";
import { failureOf } from "./failure.ts";
import type { Invocation } from "./invocation.ts";
import { performUntyped } from "./perform.ts";

export type Serving = {
  readonly home: Home;
  readonly box: Box;
  /** What the supervisor itself calls programs with. */
  readonly env: Env;
  /** The program, by all paths under which agents start it; the first is its own. */
  readonly programs: readonly string[];
  /** There may be something to do. */
  ring(): void;
  /** Agents cannot reach the store themselves: everything that they ask for is carried out here. */
  readonly isWorker?: boolean;
};

/** Gives nothing where the client must carry the call out itself. */
export function serving(on: Serving): NoticeHandler {
  const around = surroundings(on);
  // Who calls is said by the client alone.
  const own = Object.fromEntries(
    Object.entries(on.env).filter(([name]) => !VARIABLES.some((known) => known === name)),
  );
  return async (notice) => {
    const received = requestFrom(notice, { root: on.home.root, programs: on.programs });
    if (received === undefined || !isOurs(on, received.request)) return undefined;
    if (surroundings(on) !== around) return undefined;
    const { pid, request } = received;
    const env = { ...own, ...request.env };
    return carryOut(request, {
      cwd: request.cwd,
      home: env["HOME"] ?? "",
      env,
      call: request.call,
      procs: { ...PROCS, self: pid },
      warm: { box: on.box, ring: () => on.ring() },
    });
  };
}

/** Calls of people are signed in their own process: only a caller with a token is served. */
function isOurs({ home, isWorker = false }: Serving, request: WireRequest): boolean {
  return (
    request.protocol === PROTOCOL &&
    request.version === SIGNALBOX_VERSION &&
    (isWorker || isSent(request.use, request.input)) &&
    (request.env["SIGNALBOX_TOKEN"] ?? "") !== "" &&
    homeOf(request.env)?.root === home.root
  );
}

async function carryOut({ use, input }: WireRequest, invocation: Invocation): Promise<Reply | undefined> {
  try {
    return { type: "outcome", outcome: await performUntyped(invocation, use, input) };
  } catch (error) {
    const { exit, code, message, next, data } = await failureOf(error, invocation);
    // A bug of this process need not be one of a new process.
    return exit === EXIT_BUG
      ? undefined
      : { type: "failed", failure: { exit, code, message, next, ...data() } };
  }
}

/**
 * Another database in its place: what is written to ours would be lost. Or another program, as when it is updated: its callers want
 * its answer, and not ours.
 */
function surroundings({ home, programs: [program = ""] }: Serving): string {
  const [data, code] = [home.database, program].map((file) => statSync(file, { throwIfNoEntry: false }));
  return [data?.dev, data?.ino, code?.dev, code?.ino, code?.mtimeMs].join(" ");
}
