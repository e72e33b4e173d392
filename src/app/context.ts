/**
 * What every act has in common: it finds out who acts, submits one event, writes the files that show the run, and wakes the supervisor.
 *
 * Nothing here starts or stops a process of an agent, or changes anything but the journal and the files that show it.
 */

import { runFolders, type Home } from "../adapters/home/paths.ts";
import { fileArtifacts } from "../adapters/files/artifacts/artifacts.ts";
import { requirePerson, type Who } from "../adapters/person/who.ts";
import { UserError } from "../adapters/user-error.ts";
import type { Actor, Incoming } from "../core/model/event.ts";
import type { Box } from "../engine/box.ts";
import type { Workspaces } from "../engine/ports/files.ts";
import type { Store } from "../engine/ports/store.ts";
import { projectUpwards } from "../engine/submit/project.ts";
import { whileDeciding } from "./act/one-decision.ts";
import { submit } from "../engine/submit/submit.ts";
import { apartOf } from "../engine/submit/caller-signs.ts";
import { keyOf, type Request, type Submission } from "../engine/submit/write.ts";
import { databaseOf, openStore, requireHome, runMeant, workflowsIn } from "./runs/find.ts";
import { callerOf, requireOwnRun } from "./caller.ts";
import { EXIT_GATE } from "./exit-codes.ts";
import type { Invocation } from "./invocation.ts";
import { lateAgent, tellLate } from "./act/run/late.ts";
import { refused } from "./refusal.ts";
import { wake } from "./runs/wake.ts";

export type Acting = {
  readonly door: Invocation;
  readonly home: Home;
  readonly box: Box;
  readonly who: Who;
};

/** Opens the store and the other ports for one command, and closes the store afterwards. In the supervisor they are open already (`warm`). */
export async function acting<T>(door: Invocation, work: (on: Acting) => T | Promise<T>): Promise<T> {
  const home = requireHome(door);
  if (door.warm !== undefined) return work(await actingIn(door, home, door.warm.box));
  const store = await openStore(door);
  try {
    return await work(await actingIn(door, home, boxOf(door, home, store)));
  } finally {
    await store.close();
  }
}

async function actingIn(door: Invocation, home: Home, box: Box): Promise<Acting> {
  const { store } = box;
  const who = await callerOf(door, store);
  if (who.type === "agent")
    await store.commit([{ type: "acknowledge", agent: { run: who.run, ...who.actor }, at: Date.now() }]);
  return { door, home, box, who };
}

function boxOf({ env }: Invocation, home: Home, store: Store): Box {
  return {
    clock: { now: () => Date.now(), mono: () => process.uptime() * 1000 },
    store,
    artifacts: fileArtifacts(store),
    workspaces: lazily(async () => {
      const { gitWorkspaces } = await import("../adapters/git/workspace/workspaces.ts");
      const at = (of: Home): Workspaces => gitWorkspaces({ home: of, env });
      if (databaseOf({ env }) === undefined) return at(home);
      const { workspacesOfMachine } = await import("../adapters/cluster/local-workspaces.ts");
      return workspacesOfMachine(home, at);
    }),
    folders: (run) => runFolders(home, run),
    workflow: workflowsIn(store),
  };
}

/** Loads the code for git only when it is called: most commands on runs without a workspace never need it. */
function lazily(load: () => Promise<Workspaces>): Workspaces {
  return {
    prepare: async (of) => (await load()).prepare(of),
    digest: async (path, artifacts) => (await load()).digest(path, artifacts),
    files: async (path, tree) => (await load()).files(path, tree),
    besides: async (path, of) => (await load()).besides(path, of),
    requireDeliverable: async (of) => (await load()).requireDeliverable(of),
    snapshot: async (of) => (await load()).snapshot(of),
    usable: async (path) => (await load()).usable(path),
    judge: async (of) => (await load()).judge(of),
    baseline: async (of) => (await load()).baseline(of),
    discard: async (of, tell) => (await load()).discard(of, tell),
    release: async (of) => (await load()).release(of),
  };
}

/** Fewer first letters of an id are enough to look at a run only. */
const LETTERS_TO_ACT = 4;

/** The run that the caller named. An agent that names none means its own. */
export async function runOf({ box, door, who }: Acting, word: string | undefined): Promise<string> {
  if (word === undefined && who.type === "agent") return who.run;
  return runMeant(box.store, { ...door, lettersMin: LETTERS_TO_ACT }, word);
}

/** The actor of an event, and the function that signs it. */
export type Voice = Pick<Request, "by" | "prove">;

/** A person signs. An agent is identified by its token, and may act in its own run only. */
export async function voiceOf({ who, box }: Acting, run: string): Promise<Voice> {
  if (who.type === "agent") {
    requireOwnRun(who, run);
    return { by: who.actor };
  }
  const by: Actor = requirePerson(who).actor;
  const [{ signerOf }, { prover }] = await Promise.all([
    import("../adapters/person/key.ts"),
    import("../adapters/person/proof.ts"),
  ]);
  const signer = await signerOf(who, { pins: box.store });
  const agents = await agentsAlive(box.store, run);
  return { by, prove: (event) => prover({ who, signer, run, event, agents }) };
}

async function agentsAlive(store: Store, run: string): Promise<readonly string[]> {
  const agents = (await store.agents({ run })).filter(({ status }) => status !== "ended");
  return [...new Set(agents.map(({ role, status }) => `${role} ${status}`))];
}

/** The person, for a note about an act that is no event: with what makes the act stand out, as the history says it of events. */
export async function nameInNote({ who, box }: Acting, run: string): Promise<string> {
  const { name, lineage } = requirePerson(who);
  const signs = apartOf({ ...lineage(), agents: await agentsAlive(box.store, run) });
  return signs.length === 0 ? name : `${name} (${signs.join(", ")})`;
}

/**
 * The idempotency key of the n-th event of a call: the caller's own, or one made of the id of the call. A call that was lost is repeated
 * under the same id, and only does what is missing.
 */
export function eventKey({ door: { call } }: Acting, given: string | undefined, n = 1): string | undefined {
  if (given !== undefined) return n === 1 ? given : `${given}/${n}`;
  return call === undefined ? undefined : `${call}/${n}`;
}

/** The acknowledgement that this caller got for this key, if the key was used before. */
export async function answeredBefore(
  { who, box }: Acting,
  run: string,
  key: string | undefined,
): Promise<string | undefined> {
  if (key === undefined || who.type === "stranger") return undefined;
  return box.store.answerTo(run, keyOf(who.actor, key));
}

/** Repeats an earlier acknowledgement. The files are written again, because the process that got it may have died before that. */
export async function doneBefore(
  on: Acting,
  run: string,
  key: string | undefined,
): Promise<Done | undefined> {
  const answer = await answeredBefore(on, run, key);
  if (answer === undefined) return undefined;
  return { ...acknowledged({ type: "repeated", answer }, run), told: await seeThrough(on, run) };
}

/** An acknowledged event. The same key always gets the same acknowledgement. */
export type Done = {
  readonly run: string;
  readonly from: string;
  readonly to: string;
  readonly seq: number;
  /** Notes about the files of the run, for the caller. */
  readonly told: readonly string[];
  /** Undefined where the key was used before. */
  readonly accepted: Extract<Submission, { type: "accepted" }> | undefined;
};

export type Known = Parameters<Request["event"]>[0];

export type Asked = Pick<Request, "run" | "key" | "expected" | "facts" | "isEnd" | "texts"> & {
  readonly event: (known: Known, by: Actor) => Incoming;
  readonly voice?: Voice;
  /** Replaces the error of a refusal where the command has a better one. */
  readonly refusedAs?: (
    refused: Extract<Submission, { type: "refused" }>,
  ) => UserError | undefined | Promise<UserError | undefined>;
};

/** Submits one event, then writes the files of the run and wakes the supervisor. A refusal is thrown with its exit code. */
export function ask(on: Acting, asked: Asked): Promise<Done> {
  return on.who.type === "person"
    ? whileDeciding(on, asked.run, () => submitAsked(on, asked))
    : submitAsked(on, asked);
}

async function submitAsked(on: Acting, asked: Asked): Promise<Done> {
  const { event, refusedAs, voice: given, ...request } = asked;
  const voice = given ?? (await voiceOf(on, asked.run));
  const isWithTexts = (asked.texts ?? []).length > 0;
  const noted = isWithTexts ? (await on.box.store.notes(asked.run)).length : 0;
  const submission = await submit(on.box, {
    ...request,
    ...voice,
    event: (known) => event(known, voice.by),
  });
  const late = submission.type === "refused" ? lateAgent(submission.run, voice.by) : undefined;
  if (submission.type === "refused" && late !== undefined)
    await tellLate(on.box, submission.run, { agent: late, what: "what it asked for was refused" });
  const other = submission.type === "refused" ? await refusedAs?.(submission) : undefined;
  if (other !== undefined) throw other;
  if (submission.type === "refused") await requireWorkspace(on, asked.run, submission.refusal.code);
  const done = acknowledged(submission, asked.run);
  const told = await seeThrough(on, asked.run);
  // The supervisor may have been quicker to show the texts: what became of edits in their files is in the notes.
  const replaced = isWithTexts ? (await on.box.store.notes(asked.run)).slice(noted) : [];
  const files = replaced.flatMap(({ kind, text }) => (kind === "files" ? [text] : []));
  return { ...done, told: [...new Set([...files, ...told])] };
}

const ABOUT_WORK: ReadonlySet<string> = new Set(["gate-not-met", "stale"]);

/** Without its workspace the work of a run is unknown. So the missing workspace is reported, and not a gate that asks about the work. */
export async function requireWorkspace({ box, home }: Acting, run: string, code = "stale"): Promise<void> {
  const path = (await box.store.boundWorkspace(run))?.path;
  if (path === undefined || !ABOUT_WORK.has(code)) return;
  const { isWorkspaceAt } = await import("../adapters/git/workspace/bench.ts");
  if (isWorkspaceAt({ home }, path)) return;
  throw new UserError("no-workspace", `the workspace of run ${run} is gone: ${path}`, {
    next: "signalbox doctor --repair",
    exit: EXIT_GATE,
  });
}

/** Writes the files that show the run, and wakes the supervisor. Also after a repeated call: the first process may have died before this. */
export async function seeThrough(on: Acting, run: string): Promise<readonly string[]> {
  // After an act of an agent the supervisor starts the next agent, which must not wait for files. If this process is killed, the
  // supervisor writes them. After an act of a person the files come first: two processes that write at once would slow each other down.
  const isByAgent = on.who.type === "agent";
  if (isByAgent) await wake(on);
  const told = await projectUpwards(on.box, run);
  if (!isByAgent) await wake(on);
  return told;
}

export function acknowledged(submission: Submission, run: string): Omit<Done, "told"> {
  switch (submission.type) {
    case "accepted": {
      const { before, run: after } = submission;
      return { run, from: before.state, to: after.state, seq: after.seq, accepted: submission };
    }
    case "repeated":
      return { run, ...parseAnswer(submission.answer), accepted: undefined };
    case "refused":
    case "conflict":
    case "unknown":
      throw refused(submission, run);
  }
}

function parseAnswer(answer: string): { from: string; to: string; seq: number } {
  const data: unknown = JSON.parse(answer);
  const fields = new Map(typeof data === "object" && data !== null ? Object.entries(data) : []);
  return {
    from: String(fields.get("from")),
    to: String(fields.get("to")),
    seq: Number(fields.get("seq")),
  };
}
