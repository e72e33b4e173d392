/** What came of a check: its output becomes the text of the artifact, and its end the verdict that the run is told. */

import type { Reading } from "../../core/model/event.ts";
import type { Run } from "../../core/model/run.ts";
import { failingOf, type FailurePlace } from "../../format/reading/failure-place.ts";
import type { Works } from "../box.ts";
import { noteAll } from "../notes.ts";
import { listsOf, type Check } from "./commands.ts";
import type { Kept } from "../ports/journal.ts";
import type { Process } from "../ports/process.ts";
import type { JobRow } from "../ports/registry.ts";
import { project } from "../submit/project.ts";
import { submit } from "../submit/submit.ts";
import { changedLists, plannedFor } from "./command-sources.ts";

/** A check that was lost with its shim, or whose subject changed under it, is run again so often. */
export const RUNS_MAX = 3;

export async function observe(
  works: Works,
  about: Kept,
  on: {
    readonly job: JobRow;
    readonly process: Process;
    readonly isInDoubt: boolean;
    /** The work at its end. */
    readonly tree: string | undefined;
  },
): Promise<void> {
  const { job, process, isInDoubt } = on;
  const output = works.desk.output(`${job.dir}/out.log`);
  const doubt = `${job.artifact} was run ${RUNS_MAX} times, and each time the work was another one afterwards: it does not pass until nobody works meanwhile and git ignores what it writes`;
  if (isInDoubt) await noteAll(works, { run: job.run, kind: "check" }, [doubt]);
  const text = isInDoubt ? `${output.text}\n${doubt}\n` : output.text;
  const code = process.type === "ended" && job.killed === "" ? process.code : -1;
  const told = code > 0 && !isInDoubt ? await whereFailed(works, job, output.text) : CUT_SHORT;
  const reader = await readerOf(works, about, job.artifact);
  const { lists, manual } = await commandsRun(works, about, job);
  const seen = readingOf(job, { code, digest: output.digest, isInDoubt, told });
  const fields = reader?.from === undefined ? seen.fields : { ...seen.fields, manual };
  const reading = { ...seen, fields, lists };
  const tree = on.tree === undefined ? {} : { tree: on.tree };
  await tellRun(works, { about, key: `check:${job.id}`, reading, text, ...tree });
}

export async function tellRun(
  works: Works,
  of: {
    readonly about: Kept;
    readonly key: string;
    readonly reading: Reading;
    /** What the file of the check shows, where it has one. */
    readonly text: string;
    readonly tree?: string;
  },
): Promise<void> {
  const { about, key, reading, text } = of;
  const { artifact, slot } = reading;
  const run = about.row.id;
  const { definition } = await works.workflow(about.row.definition);
  const hasFile = (definition.artifacts[artifact]?.file ?? "") !== "";
  await submit(works, {
    run,
    by: { type: "engine" },
    key,
    texts: hasFile ? [{ artifact, slot, text }] : [],
    ...(of.tree === undefined ? {} : { tree: of.tree }),
    event: async ({ at, readings = [], tree, reserved, kept }) => {
      await requireSameLists(works, about, { artifact, readings, now: kept.run });
      return {
        type: "observed",
        at,
        readings: [...readings.filter((each) => each.artifact !== artifact), reading],
        ...(tree === undefined ? {} : { tree }),
        ...(reserved === undefined ? {} : { reserved }),
      };
    },
  });
  await project(works, run);
}

/** A result would be taken for one about lists that were changed at this very moment. Whoever tries again finds them. */
async function requireSameLists(
  works: Works,
  about: Kept,
  on: { readonly artifact: string; readonly readings: readonly Reading[]; readonly now: Run },
): Promise<void> {
  const reader = await readerOf(works, about, on.artifact);
  const held = Object.values(on.now.held).map(({ reading }) => reading);
  const [changed] = reader === undefined ? [] : changedLists(about.run, reader, [...held, ...on.readings]);
  if (changed !== undefined)
    throw new Error(`${changed.artifact} was changed while the result of ${on.artifact} was taken in`);
}

async function commandsRun(
  works: Works,
  kept: Kept,
  job: JobRow,
): Promise<{ readonly lists: Reading["lists"]; readonly manual: number }> {
  const reader = await readerOf(works, kept, job.artifact);
  if (reader?.more === undefined) return { lists: {}, manual: 0 };
  const { commands, manual } = await plannedFor(works, kept, reader);
  return { lists: listsOf(commands, reader, works.desk.output(codesIn(job.dir)).text), manual };
}

/** Where the commands of a check leave how each of them ended. */
export function codesIn(dir: string): string {
  return `${dir}/${CODES}`;
}

export const CODES = "codes";

const CUT_SHORT: FailurePlace = { failing: "unknown", rule: "cut-short" };

/** Only files of the work that was checked count. */
async function whereFailed(works: Works, job: JobRow, text: string): Promise<FailurePlace> {
  const root = (await works.store.boundWorkspace(job.run))?.path;
  if (root === undefined) return CUT_SHORT;
  return failingOf({ text, root, files: await works.workspaces.files(root, job.tree) });
}

export async function readerOf(
  works: Works,
  { row }: Pick<Kept, "row">,
  artifact: string,
): Promise<Check | undefined> {
  const reader = (await works.workflow(row.definition)).definition.artifacts[artifact]?.reader;
  return reader?.type === "check" ? reader : undefined;
}

/**
 * Every execution is a new one, though its output may be the same: the id is part of the digest. Only exit code 0 passes, and
 * only for the work that was checked.
 */
function readingOf(
  job: JobRow,
  of: {
    readonly code: number;
    readonly digest: string;
    readonly isInDoubt: boolean;
    readonly told: FailurePlace;
  },
): Reading {
  const { code, digest, isInDoubt, told } = of;
  const isPassed = code === 0 && !isInDoubt;
  const ended = job.killed === "" ? "exited" : job.killed;
  return {
    artifact: job.artifact,
    slot: "",
    found: true,
    digest: `${digest}:${job.id}`,
    faults: [],
    verdict: isPassed ? "pass" : "needs_fix",
    fields: {
      exit_code: code,
      tree: job.tree,
      ended: isInDoubt ? "in doubt" : ended,
      ...(isPassed ? {} : told),
    },
    lists: {},
  };
}
