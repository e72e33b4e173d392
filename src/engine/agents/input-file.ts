/**
 * What an agent is given as data, in a file of its own: written before each of its turns, from what is known then. A program reads it
 * where a prompt is for whoever reads words.
 */

import { lastFailed } from "../../core/explain/last-failure.ts";
import { reads } from "../../core/projection/project.ts";
import { slotKey } from "../../core/model/run.ts";
import type { Reading } from "../../core/model/event.ts";
import type { Works } from "../box.ts";
import { outputIn } from "./launch.ts";
import { artifactPaths, fillPath, placeOf, shownWorkspace } from "../submit/place.ts";
import type { Changed, Lead, Place } from "../ports/files.ts";
import type { Kept } from "../ports/journal.ts";
import type { AgentRow } from "../ports/registry.ts";
import { rootOf } from "../submit/project.ts";
import { noteAll } from "../notes.ts";
import { taskData } from "../tasks/task-data.ts";
import { contextFiles, pathsOf } from "./prompt-context.ts";
import { needsPerson } from "../supervise/later.ts";

export async function writeInput(works: Works, kept: Kept, agent: AgentRow): Promise<void> {
  const { row, run } = kept;
  const workflow = await works.workflow(row.definition);
  const input = workflow.definition.roles[agent.role]?.input;
  if (input === undefined) return;
  const { data } = input;
  const file = fillPath(run, input.file, agent.slot);
  const place = await placeOf(works, { run, workflow, id: row.id });
  const projections = [{ file, as: "json" as const, data }];
  const root = {
    ...(await rootOf(works, kept, { projections })),
    ...(await taskData(works, place)).root,
    dispatch: {
      ...(await dispatchOf(works, kept, { agent, place, readings: await works.artifacts.read(place) })),
      input: file,
      changed: reads(data, "dispatch.changed") ? await changedFor(works, kept, agent) : [],
      failed: reads(data, "dispatch.failed") ? await failedIn(works, kept) : null,
    },
  };
  const { told } = await works.artifacts.project(place, { root, projections });
  await noteAll(works, { run: row.id }, told);
  if (works.artifacts.present(place, [file]).length > 0) return;
  const message = `${agent.role} must read ${file} first, which cannot be written`;
  throw needsPerson(message, `make room for ${file}`);
}

type Dispatched = {
  readonly agent: AgentRow;
  readonly place: Place;
  readonly readings: readonly Reading[];
};

/** What this agent is, and what is there for it. */
async function dispatchOf(
  works: Works,
  { row, run }: Kept,
  { agent, place, readings }: Dispatched,
): Promise<Readonly<Record<string, unknown>>> {
  const workflow = await works.workflow(row.definition);
  const { role, slot, attempt } = agent;
  const { branch = "", base = "" } = (await shownWorkspace(works, row.id)) ?? {};
  const found = readings.filter((reading) => reading.found);
  const leads = (files: readonly string[]): readonly Lead[] => works.artifacts.leads(place, files);
  return {
    role,
    slot,
    attempt,
    branch,
    base,
    context: [...new Set(contextFiles(workflow, run, { role, readings, leads }))],
    artifacts: uniqueFiles(
      found.flatMap((reading) => {
        const paths = pathsOf(run, workflow.definition.artifacts[reading.artifact], reading.slot);
        return paths.map((path) => ({ name: slotKey(reading.artifact, reading.slot), file: path }));
      }),
    ),
    found: Object.fromEntries(
      found.flatMap(({ artifact, slot: member, faults, fields, lists }) =>
        member !== "" || faults.length > 0 ? [] : [[artifact, { ...fields, ...lists }]],
      ),
    ),
    output: outputIn(workflow, run, { role, slot }),
  };
}

/** Several artifacts may be read from one file: the first has its name. */
function uniqueFiles<T extends { readonly file: string }>(all: readonly T[]): readonly T[] {
  return [...new Map(all.toReversed().map((each) => [each.file, each])).values()].toReversed();
}

async function failedIn(works: Works, { row }: Kept): Promise<string | null> {
  const events = (await works.store.events(row.id)).map(({ event }) => event);
  return lastFailed(await works.workflow(row.definition), events);
}

/** What the work has become since its branch began: for whoever judges it, as it was handed over; for whoever writes, as it is now. */
async function changedFor(works: Works, { row, run }: Kept, agent: AgentRow): Promise<readonly Changed[]> {
  const workspace = await shownWorkspace(works, row.id);
  if (workspace === undefined) return [];
  const { path, base } = workspace;
  const workflow = await works.workflow(row.definition);
  const artifacts = artifactPaths(workflow, run);
  const isJudge = workflow.definition.roles[agent.role]?.access === "read";
  const given = isJudge ? (run.agents[slotKey(agent.role, agent.slot)]?.tree ?? "") : "";
  const tree = given === "" ? await works.workspaces.digest(path, artifacts) : given;
  return works.branches.changed(path, { from: base, tree, artifacts });
}
