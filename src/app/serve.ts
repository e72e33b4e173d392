/**
 * Calls of agents, carried out by the supervisor, which has everything open and loaded.
 *
 * The same code as in the client's own process, with the same checks of who calls: only the store, the definitions and git are the
 * supervisor's. Nothing of the agent's environment decides which programs are started: programs of its PATH would be started as ours.
 */

import { statSync } from "node:fs";
import { homeOf, type Env, type Home } from "../adapters/home/paths.ts";
import { PROCS, type Procs } from "../adapters/person/processes.ts";
import type { NoticeHandler } from "../adapters/supervisor/listen.ts";
import { requestFrom, requestIn } from "../adapters/supervisor/request.ts";
import {
  IN_CELL,
  PROTOCOL,
  VARIABLES,
  WHO_CALLS,
  type Reply,
  type WireRequest,
} from "../adapters/supervisor/wire.ts";
import { UserError } from "../adapters/user-error.ts";
import type { Box } from "../engine/box.ts";
import { isSent } from "./client.ts";
import { EXIT_BUG, EXIT_NOT_YOURS } from "./exit-codes.ts";
import { failureOf } from "./failure.ts";
import type { Invocation } from "./invocation.ts";
import { success, type Outcome } from "./outcome.ts";
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

/** The job that a socket is of. */
type CellOf = { readonly id: string };

/**
 * Calls of a confined agent. Its processes cannot be looked at, and need not be: only they have this socket, which says which job calls; the
 * token must be that of its attempt. Paths in a request are names in the cell, and nothing here opens them.
 */
export function servingCell(on: Pick<Serving, "home" | "box" | "env" | "ring">, job: CellOf): NoticeHandler {
  return async (notice) => {
    const request = requestIn(fieldIn(notice, "request"));
    if (request === undefined || request.protocol !== PROTOCOL) return undefined;
    const env: Env = {
      ...on.env,
      SIGNALBOX_HOME: on.home.root,
      SIGNALBOX_TOKEN: request.env["SIGNALBOX_TOKEN"],
      SIGNALBOX_JOB: job.id,
    };
    const invocation: Invocation = {
      cwd: on.home.root,
      home: env["HOME"] ?? "",
      env,
      call: request.call,
      procs: UNSEEN,
      warm: { box: on.box, ring: () => on.ring() },
    };
    try {
      return { type: "outcome", outcome: await outcomeFor(invocation, request, on.box) };
    } catch (error) {
      const { exit, code, message, next, data } = await failureOf(error, invocation);
      return { type: "failed", failure: { exit, code, message, next, ...data() } };
    }
  };
}

/** The processes of another PID namespace. */
const UNSEEN: Procs = {
  self: 0,
  isOpen: false,
  see: () => undefined,
  environment: () => undefined,
  controlGroup: () => "",
  world: () => "",
};

async function outcomeFor(
  caller: Invocation,
  { use, input }: WireRequest,
  box: Box,
): Promise<Outcome<unknown>> {
  const [{ agentCalling, noToken, callerOf }, { runMeant }] = await Promise.all([
    import("./caller.ts"),
    import("./runs/find.ts"),
  ]);
  const who = await callerOf(caller, box.store);
  if (who.type !== "agent") throw noToken(use);
  // Names of runs are those of the project, wherever the agent is in its cell.
  const cwd = (await box.store.load(who.run))?.row.repo ?? caller.cwd;
  const door = { ...caller, cwd, env: { ...caller.env, SIGNALBOX_RUN: who.run } };
  if (use === WHO_CALLS) return success("", await agentCalling(door));
  if (!IN_CELL.has(use))
    throw new UserError("out-of-reach", `${use} cannot be called from inside the sandbox`, {
      next: "signalbox show",
      exit: EXIT_NOT_YOURS,
    });
  const fields = typeof input === "object" && input !== null ? input : {};
  const named = fieldIn(fields, "run");
  // Two words of `submit` may be a run and its artifact: the use case itself refuses other runs.
  const isNamed = typeof named === "string" && named !== "" && !("either" in fields);
  const run = isNamed ? await runMeant(box.store, door, named) : who.run;
  await requireFamily(box, who.run, run);
  const {
    stream: _,
    follow: __,
    ...outcome
  } = await performUntyped(door, use, isNamed ? { ...fields, run } : input);
  return outcome;
}

/** An agent sees the run that it belongs to, those that this one was made for, and their tasks. */
async function requireFamily({ store }: Box, own: string, run: string): Promise<void> {
  if ((await rootOf(store, own)) === (await rootOf(store, run))) return;
  throw new UserError("not-your-run", `you are an agent of run ${own}, and ${run} does not belong to it`, {
    next: `signalbox show ${own}`,
    exit: EXIT_NOT_YOURS,
  });
}

async function rootOf(store: Box["store"], run: string): Promise<string> {
  const child = await store.childAs(run);
  return child === undefined ? run : rootOf(store, child.parent);
}

function fieldIn(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
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
