/**
 * The checkout of a judge, in its folder in the state home: the tree that it judges, and copies of the artifacts at their paths. The judge
 * may change anything there. Only its artifacts leave the checkout; other changes are noted in the history and removed after the attempt.
 */

import type { Workflow } from "../../core/model/compile.ts";
import type { Reading } from "../../core/model/event.ts";
import { slotKey, type AcceptedReading, type Run } from "../../core/model/run.ts";
import type { Works } from "../box.ts";
import { clipped } from "../clip.ts";
import { givenTo, keepGiven, lineOf } from "./given-texts.ts";
import { checkoutOf, isJudge, ownOf } from "./judge.ts";
import { artifactPaths, placeOf, shownWorkspace } from "../submit/place.ts";
import type { Kept } from "../ports/journal.ts";
import type { AgentRow, WorkspaceRow } from "../ports/registry.ts";
import { noteAll, noteNew } from "../notes.ts";
import { endSetUp, isBeingSetUp, isSetUp, setUp } from "../workspaces/setup.ts";
import { workPaths } from "./prompt-context.ts";
import { handOver } from "../workspaces/workspace.ts";

/** The workspace for an agent's prompt and environment: for a judge its checkout, with the branch and the base of the run. */
export async function workspaceFor(
  works: Works,
  { row, run }: Kept,
  agent: AgentRow,
): Promise<WorkspaceRow | undefined> {
  const workspace = await shownWorkspace(works, row.id);
  const isApart = isJudge(await works.workflow(row.definition), agent.role);
  if (workspace === undefined || !isApart) return workspace;
  // In a repository without commits all of the work is new: its base is the empty tree.
  const base = workspace.base === "" ? emptyTree(run.tree) : workspace.base;
  return { ...workspace, base, path: checkoutOf(agent) };
}

/** The id of the empty tree, which git knows in every repository. It depends on the hash function of the repository. */
function emptyTree(tree: string): string {
  return tree.length === SHA256_CHARS
    ? "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
    : "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
}

const SHA256_CHARS = 64;

/**
 * Before the first turn of a judge, and before its process is on record: makes the checkout and runs `workspace.setup` in it. Where the
 * settings have no such command there is nothing to wait for, and `openCheckout` makes the checkout.
 */
export async function setUpCheckout(
  works: Works,
  kept: Kept,
  { agent, durable }: { readonly agent: AgentRow; readonly durable?: Promise<void> | undefined },
): Promise<void> {
  const { row } = kept;
  if ((await givenTo(works, agent)).turn > 0) return;
  const of = { run: row.id, judge: agent };
  const { setup } = (await works.settings(row.repo)).workspace;
  if (setup.length === 0) return endSetUp(works, of);
  if (!(await isBeingSetUp(works, of))) {
    await durable;
    // On record before the setup runs: the next try continues in the same folder, and the end of the attempt finds the setup process.
    if ((await works.store.agent(agent)) === undefined)
      await works.store.commit([{ type: "put-agent", agent }]);
    await makeCheckout(works, kept, agent);
  }
  await setUp(works, kept, { ...of, path: checkoutOf(agent) });
}

async function makeCheckout(works: Works, kept: Kept, agent: AgentRow): Promise<void> {
  const { row, run } = kept;
  const workspace = await requireWorkspace(works, row.id, agent);
  const { path } = workspace;
  const given = run.agents[slotKey(agent.role, agent.slot)]?.tree ?? "";
  const own = artifactPaths(await works.workflow(row.definition), run);
  // A judge that was called before the work was ever read gets the present work, which is handed over first.
  const tree = given === "" ? await works.workspaces.digest(path, own) : given;
  if (given === "") {
    await works.workspaces.requireDeliverable({ path, repo: workspace.repo, run: row.id, tree });
    await handOver({ works, kept, deed: { type: "snapshot", tree, state: run.state } }, workspace);
  }
  const artifacts = await familyPaths(works, row.id);
  const of = { run: row.id, repo: row.repo, path, tree, at: checkoutOf(agent), artifacts };
  await noteNew(works, { run: row.id }, await works.workspaces.judge(of));
}

async function requireWorkspace(works: Works, run: string, { role }: AgentRow): Promise<WorkspaceRow> {
  const workspace = await works.store.boundWorkspace(run);
  if (workspace === undefined) throw new Error(`there is no workspace for ${role}`);
  return workspace;
}

/**
 * Before a turn the checkout is made, or its artifacts are brought up to date. What was put there is written down last: after a crash
 * before that, all of it is done again, which is harmless because no process has begun.
 */
export async function openCheckout(works: Works, kept: Kept, agent: AgentRow): Promise<void> {
  const { row, run } = kept;
  const { turn } = agent;
  const { path } = await requireWorkspace(works, row.id, agent);
  const known = await givenTo(works, agent);
  if (known.turn === turn) return;
  const workflow = await works.workflow(row.definition);
  const artifacts = await familyPaths(works, row.id);
  const at = checkoutOf(agent);
  if (known.turn === 0) {
    const isReady = await isSetUp(works, { run: row.id, judge: agent });
    // Files that the setup command created must not be listed as changes of the judge.
    await (isReady ? works.workspaces.baseline({ path, at, artifacts }) : makeCheckout(works, kept, agent));
  }
  const place = await placeOf(works, { run, workflow, id: row.id });
  const linesNow = async (): Promise<readonly string[]> => {
    const own = ownOf(workflow, agent, await works.artifacts.read({ ...place, root: at }));
    return own.filter(({ digest }) => digest !== "").map(lineOf);
  };
  // What exists from an earlier turn was written by the judge.
  const before = new Set(known.turn === 0 ? [] : await linesNow());
  const keep = Object.entries(workflow.definition.artifacts).flatMap(([name, { by }]) =>
    by.includes(agent.role) ? [name] : [],
  );
  // The definition may name files of the work that git ignores: they are not in the tree, and are copied separately.
  const others = Object.values(workflow.definition.artifacts).flatMap((each) => workPaths(run, each));
  await noteAll(
    works,
    { run: row.id },
    await works.artifacts.copy(place, { paths: artifacts, others, to: at, keep }),
  );
  await showAccepted(works, { kept, workflow, agent });
  const lines = (await linesNow()).filter((line) => !before.has(line));
  await keepGiven(works, agent, { turn, lines: [...known.lines, ...lines] });
}

/**
 * Other agents write in the place of the run. A judge must not take their words for those of an author: where the copy says what no author
 * submitted, it shows the accepted text instead, or nothing where none was accepted.
 */
async function showAccepted(
  works: Works,
  of: { readonly kept: Kept; readonly workflow: Workflow; readonly agent: AgentRow },
): Promise<void> {
  const { kept, workflow, agent } = of;
  const { row, run } = kept;
  const at = { ...(await placeOf(works, { run, workflow, id: row.id })), root: checkoutOf(agent) };
  const told: string[] = [];
  // The run that this one was made for may have texts under these names.
  const isChild = (await works.store.childAs(row.id)) !== undefined;
  for (const { artifact, slot, digest } of await works.artifacts.read(at)) {
    const accepted = acceptedOf(workflow, run, { artifact, slot });
    if (accepted === undefined || accepted.digest === digest) continue;
    if (isChild && run.held[slotKey(artifact, slot)] === undefined) continue;
    const text = accepted.text === undefined ? "" : ((await works.store.text(accepted.text)) ?? "");
    const isCurrent = (): Promise<boolean> => Promise.resolve(true);
    await works.artifacts.show({ ...at, isWorkspace: true }, { artifact, slot, text, isCurrent });
    const shown = text === "" ? "nothing of it" : "the accepted text";
    told.push(`${artifact} was changed, and no author submitted the change: ${agent.role} reads ${shown}`);
  }
  await noteNew(works, { run: row.id }, told);
}

/** Undefined for a text that the judge may read as it is. The digest is empty where no text was accepted. */
function acceptedOf(
  workflow: Workflow,
  run: Run,
  { artifact, slot }: Pick<Reading, "artifact" | "slot">,
): Pick<AcceptedReading, "digest" | "text"> | undefined {
  const { by = [], file = "" } = workflow.definition.artifacts[artifact] ?? {};
  const held = run.held[slotKey(artifact, slot)];
  const isPeoples = by.length > 0 && by.every((name) => name === "human");
  const isForeign = held !== undefined && !by.includes(held.by);
  if (file === "" || !(isPeoples || isForeign)) return undefined;
  return (isForeign ? held.accepted : held?.reading) ?? { digest: "" };
}

/** All artifacts in the workspace: a task reads the texts of the run that it was made for, and that run those of its tasks. */
async function familyPaths(works: Works, run: string): Promise<readonly string[]> {
  const { store } = works;
  let root = run;
  for (let child = await store.childAs(root); child !== undefined; child = await store.childAs(root))
    root = child.parent;
  return [...new Set(await pathsBelow(works, root))];
}

async function pathsBelow(works: Works, run: string): Promise<readonly string[]> {
  const { store } = works;
  const kept = await store.load(run);
  const own = kept === undefined ? [] : artifactPaths(await works.workflow(kept.row.definition), kept.run);
  const children = (await store.childrenOf(run)).filter((child) => child.run !== "");
  return [...own, ...(await Promise.all(children.map((child) => pathsBelow(works, child.run)))).flat()];
}

/** After an attempt: notes what the judge changed besides its artifacts, and removes the checkout. */
export async function closeCheckout(works: Works, agent: AgentRow): Promise<void> {
  const { run, role, attempt } = agent;
  const { store } = works;
  const kept = await store.load(run);
  if (kept === undefined || agent.dir === "" || !isJudge(await works.workflow(kept.row.definition), role))
    return;
  const path = (await works.store.boundWorkspace(run))?.path ?? "";
  const at = checkoutOf(agent);
  await endSetUp(works, { run, judge: agent });
  // A supervisor that was killed before it removed the folder may have written the note already.
  const note = (text: string): Promise<void> => noteNew(works, { run }, [clipped(text)]);
  try {
    await works.workspaces.discard(
      { path, at, artifacts: await familyPaths(works, run) },
      async (changed) => {
        if (changed.length === 0) return;
        const [files, were] = changed.length === 1 ? ["1 file", "was"] : [`${changed.length} files`, "were"];
        const names = changed.join(", ");
        await note(
          `${role} ${attempt} changed ${files} in its own checkout, which ${were} discarded: ${names}`,
        );
      },
    );
  } catch (error) {
    // For example files of another user: they take up space, and block nothing.
    const why = error instanceof Error ? error.message : String(error);
    await note(`the checkout of ${role} ${attempt} could not be removed (${at}): ${why}`);
  }
}
