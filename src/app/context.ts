/**
 * What every acting command has in common: who acts, one event, its answer, its files, and waking whoever carries it out.
 *
 * Nothing here starts, stops or changes anything but the journal and the files that show it.
 */

import { runFolders, type Home } from "../adapters/home/paths.ts";
import { fileArtifacts } from "../adapters/files/artifacts/artifacts.ts";
import { requirePerson, type Who } from "../adapters/person/who.ts";
import { UserError } from "../adapters/user-error.ts";
import type { Actor, Incoming } from "../core/model/event.ts";
import { workflowsOf, type Box } from "../engine/box.ts";
import { boundWorkspace } from "../engine/submit/place.ts";
import type { Workspaces } from "../engine/ports/files.ts";
import type { Store } from "../engine/ports/store.ts";
import { projectUpwards } from "../engine/submit/project.ts";
import { whileDeciding } from "./act/one-decision.ts";
import { submit } from "../engine/submit/submit.ts";
import { keyOf, type Request, type Submission } from "../engine/submit/write.ts";
import { openStore, requireHome, runMeant } from "./runs/find.ts";
import { callerOf, requireOwnRun } from "./caller.ts";
import { EXIT_DAMAGED, EXIT_GATE } from "./exit-codes.ts";
import type { Invocation } from "./invocation.ts";
import { lateAgent, tellLate } from "./act/late.ts";
import { refused } from "./refusal.ts";
import { wake } from "./runs/wake.ts";

export type Acting = {
  readonly door: Invocation;
  readonly home: Home;
  readonly box: Box;
  readonly who: Who;
};

/** Opens the box for one command, and closes it whatever happens. */
export async function acting<T>(door: Invocation, work: (on: Acting) => T | Promise<T>): Promise<T> {
  const home = requireHome(door);
  if (door.warm !== undefined) return work(await actingIn(door, home, door.warm.box));
  const store = openStore(door);
  const later: (() => void)[] = [];
  try {
    return await work(await actingIn(door, home, boxOf(door, home, { store, later })));
  } finally {
    await store.close();
    for (const each of later) inVain(each);
  }
}

async function actingIn(door: Invocation, home: Home, box: Box): Promise<Acting> {
  const { store } = box;
  const who = await callerOf(door, store);
  if (who.type === "agent")
    await store.commit([{ type: "acknowledge", agent: { run: who.run, ...who.actor }, at: Date.now() }]);
  return { door, home, box, who };
}

/** What only saves time the next time is no reason to fail. */
function inVain(work: () => void): void {
  try {
    work();
  } catch {
    // Then it takes its time again.
  }
}

function boxOf(
  { env }: Invocation,
  home: Home,
  { store, later }: { readonly store: Store; readonly later: (() => void)[] },
): Box {
  return {
    clock: { now: () => Date.now(), mono: () => process.uptime() * 1000 },
    store,
    artifacts: fileArtifacts(store),
    workspaces: lazily(async () =>
      (await import("../adapters/git/workspace/workspaces.ts")).gitWorkspaces({
        home,
        env,
        isAlone: true,
        later: (work) => later.push(work),
      }),
    ),
    folders: (run) => runFolders(home, run),
    workflow: workflowsOf({
      definition: async (hash) => (await store.definition(hash)) ?? lostDefinition(hash),
    }),
  };
}

function lostDefinition(hash: string): never {
  throw new UserError("damaged", `the definition ${hash} of the run is gone`, {
    next: "signalbox doctor --repair",
    exit: EXIT_DAMAGED,
  });
}

/** A run without a workspace does not pay for git. */
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

/** The run that is meant. An agent that names none means its own. */
export async function runOf({ box, door, who }: Acting, word: string | undefined): Promise<string> {
  return word === undefined && who.type === "agent" ? who.run : runMeant(box.store, door, word);
}

/** Who speaks, and what proves it. */
export type Voice = Pick<Request, "by" | "prove">;

/** A person signs; an agent is known by its token, and speaks in its own run only. */
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
  const agents = (await box.store.agents({ run })).filter(({ status }) => status !== "ended");
  const alive = [...new Set(agents.map(({ role, status }) => `${role} ${status}`))];
  return { by, prove: (event) => prover({ who, signer, run, event, agents: alive }) };
}

/**
 * The key of the n-th event of a call: the caller's own, or one made of the id of the call. A call that got lost is made again under
 * the same id, and does what is missing.
 */
export function eventKey({ door: { call } }: Acting, given: string | undefined, n = 1): string | undefined {
  if (given !== undefined) return n === 1 ? given : `${given}/${n}`;
  return call === undefined ? undefined : `${call}/${n}`;
}

/** What was acknowledged under a key of whoever acts, if it was used before. */
export async function answeredBefore(
  { who, box }: Acting,
  run: string,
  key: string | undefined,
): Promise<string | undefined> {
  if (key === undefined || who.type === "stranger") return undefined;
  return box.store.answerTo(run, keyOf(who.actor, key));
}

/** What was acknowledged: the same for the same key, however often it is asked for. */
export type Done = {
  readonly run: string;
  readonly from: string;
  readonly to: string;
  readonly seq: number;
  /** What is worth telling about its files. */
  readonly told: readonly string[];
  /** None where the key was known. */
  readonly accepted: Extract<Submission, { type: "accepted" }> | undefined;
};

export type Known = Parameters<Request["event"]>[0];

export type Asked = Pick<Request, "run" | "key" | "expected" | "facts" | "isEnd"> & {
  readonly event: (known: Known, by: Actor) => Incoming;
  readonly voice?: Voice;
  /** Where a refusal means something else to whoever asked. */
  readonly refusedAs?: (
    refused: Extract<Submission, { type: "refused" }>,
  ) => UserError | undefined | Promise<UserError | undefined>;
};

/** Submits one event and sees it through; a refusal is thrown with its exit code. */
export function ask(on: Acting, asked: Asked): Promise<Done> {
  return on.who.type === "person"
    ? whileDeciding(on, asked.run, () => submitAsked(on, asked))
    : submitAsked(on, asked);
}

async function submitAsked(on: Acting, asked: Asked): Promise<Done> {
  const { event, refusedAs, voice: given, ...request } = asked;
  const voice = given ?? (await voiceOf(on, asked.run));
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
  return { ...done, told: await seeThrough(on, asked.run) };
}

const ABOUT_WORK: ReadonlySet<string> = new Set(["gate-not-met", "stale"]);

/** Where the workspace is gone nothing is known of the work, and that is what has to be fixed. */
export async function requireWorkspace({ box, home }: Acting, run: string, code = "stale"): Promise<void> {
  const path = (await boundWorkspace(box, run))?.path;
  if (path === undefined || !ABOUT_WORK.has(code)) return;
  const { isWorkspaceAt } = await import("../adapters/git/workspace/bench.ts");
  if (isWorkspaceAt({ home }, path)) return;
  throw new UserError("no-workspace", `the workspace of run ${run} is gone: ${path}`, {
    next: "signalbox doctor --repair",
    exit: EXIT_GATE,
  });
}

/** Also after an answer that was given before: whoever got it then may have died before it came this far. */
export async function seeThrough(on: Acting, run: string): Promise<readonly string[]> {
  // An agent is followed by another one, which shall not wait for files; it shows them as well where we do not get that far. What a
  // person has done is shown first: both at once would be in each other's way.
  const isFollowed = on.who.type === "agent";
  if (isFollowed) await wake(on);
  const told = await projectUpwards(on.box, run);
  if (!isFollowed) await wake(on);
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
