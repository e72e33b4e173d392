/** What goes with a prompt: files to read, and what a person said with the answer or the move that an agent is called for. */

import type { Event, Reading } from "../../core/model/event.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { Run } from "../../core/model/run.ts";
import { valueOf } from "../../core/gates/artifact-status.ts";
import type { Artifact } from "../../core/model/artifact.ts";
import type { Definition } from "../../core/model/workflow.ts";
import type { Works } from "../box.ts";
import { fillPath } from "../submit/place.ts";
import type { Lead } from "../ports/files.ts";

/** Files that a role must know are named, never copied into its prompt. */
export function withContext(text: string, files: readonly string[], refused: readonly string[] = []): string {
  const lines = [...new Set(files)].map((file) => `- ${file}`);
  const others = [...new Set(refused)].map((each) => `- ${each}: it is not handed over, do not read it`);
  if (lines.length + others.length === 0) return text;
  return `${text.trimEnd()}\n\n## Read these first\n\n${[...lines, ...others].join("\n")}\n`;
}

type Look = {
  readonly role: string;
  readonly readings: readonly Reading[];
  /** Where these files of the work lead. */
  readonly leads: (files: readonly string[]) => readonly Lead[];
};

/** The files that a role is to read first, as they lie there now. */
export function contextFiles({ definition }: Workflow, run: Run, look: Look): readonly string[] {
  const { optional = [] } = definition.roles[look.role] ?? {};
  const isThere = (name: string): boolean => !optional.includes(name) || isFound(look.readings, name);
  return contextOf(definition, run, look.role)
    .filter(isThere)
    .flatMap((name) => {
      const artifact = definition.artifacts[name];
      const led = look.leads(workPaths(run, artifact));
      return [...pathsOf(run, artifact), ...led.flatMap((lead) => ("to" in lead ? [lead.to] : []))];
    });
}

/** Those that lie there and are not handed over: each with the reason. */
export function refusedFiles({ definition }: Workflow, run: Run, look: Look): readonly string[] {
  return contextOf(definition, run, look.role)
    .flatMap((name) => look.leads(workPaths(run, definition.artifacts[name])))
    .flatMap((lead) => ("reason" in lead ? [`${lead.file} ${lead.reason}`] : []));
}

/** Those of them that it cannot begin without, and that are not there. What the engine writes itself is nobody's to bring. */
export function missingFiles({ definition }: Workflow, run: Run, look: Look): readonly string[] {
  const { optional = [] } = definition.roles[look.role] ?? {};
  const isNeeded = (name: string): boolean => {
    const { each, reader } = definition.artifacts[name] ?? {};
    return !optional.includes(name) && each === undefined && reader?.type !== "check";
  };
  return contextOf(definition, run, look.role)
    .filter(isNeeded)
    .flatMap((name) => {
      const named = workPaths(run, definition.artifacts[name]);
      const there = new Set(look.leads(named).flatMap((lead) => ("to" in lead ? [lead.file] : [])));
      const own = isFound(look.readings, name) ? [] : pathsOf(run, definition.artifacts[name]);
      return [...own, ...named.filter((file) => !there.has(file))];
    });
}

function isFound(readings: readonly Reading[], name: string): boolean {
  return readings.some(({ artifact, found }) => artifact === name && found);
}

/** The artifacts that a role is to read before it begins. What a stage makes is not there where nobody has made it. */
export function contextOf(definition: Definition, run: Run, role: string): readonly string[] {
  const { stages = [], artifacts } = definition;
  const isMade = (name: string): boolean =>
    run.held[name]?.reading.found === true || artifacts[name]?.each !== undefined;
  const unwanted = new Set(
    stages
      .flatMap(({ summaries = [] }) => summaries)
      .flatMap(({ artifact, when }) => (valueOf(run, when) === true ? [] : [artifact])),
  );
  // A stage may be disabled, or passed by whoever began later; a person may have brought along what it would have made.
  const isThere = (name: string): boolean =>
    (isMade(name) || !stages.some(({ makes }) => makes.includes(name))) &&
    !unwanted.has(name) &&
    hasSpoken(artifacts[name], run, name);
  const context = [...(definition.roles[role]?.context ?? []), ...summedUp(definition, run, role)];
  return context.filter(isThere);
}

/** Of files that are read as one, every one in its order. */
export function pathsOf(run: Run, artifact: Artifact | undefined, slot = ""): readonly string[] {
  if (artifact === undefined || artifact.file === "") return [];
  const { file, every } = artifact;
  if (every === undefined) return [fillPath(run, file, slot)];
  const members = run.held[every.artifact]?.reading.lists[every.list] ?? [];
  return members.map((member) => fillPath(run, file, member));
}

/** Files of the work that an artifact is, by their paths. Whether they are there is another question. */
export function workPaths(run: Run, artifact: Artifact | undefined): readonly string[] {
  const reader = artifact?.reader;
  if (reader?.type !== "files" || reader.select !== "paths") return [];
  return reader.paths.map((path) => fillPath(run, path).replace(/^(?:\.\/)+/, ""));
}

/** Whoever sums up reads what the stage has made so far. */
function summedUp({ stages = [], artifacts }: Definition, run: Run, role: string): readonly string[] {
  const stage = stages.find(({ summaries = [] }) => summaries.some(({ artifact }) => artifact === run.state));
  if (stage === undefined || artifacts[run.state]?.by.includes(role) !== true) return [];
  const summaries = new Set(stage.summaries?.map(({ artifact }) => artifact));
  return stage.makes.filter((name) => !summaries.has(name) && run.held[name] !== undefined);
}

/** A check that was never run has said nothing, and the review of an earlier round is not there any more. */
function hasSpoken(artifact: Artifact | undefined, run: Run, name: string): boolean {
  const reader = artifact?.reader;
  if (reader?.type === "check") return run.held[name] !== undefined;
  if (reader === undefined || !("review" in reader) || reader.review === undefined) return true;
  const digest = run.held[name]?.reading.digest;
  return digest !== undefined && digest !== run.baseline[name];
}

/** One act leads to no more events than this before it reaches an agent. */
const BACK = 60;

/** Marked as somebody's words: they say what is wanted, and are not part of the prompt. */
export async function withWords(
  { store }: Pick<Works, "store">,
  key: string,
  prompt: string,
): Promise<string> {
  const said = await saidWith(store, key);
  if (said === "") return prompt;
  const quoted = said.split("\n").map((line) => `> ${line}`.trimEnd());
  return `${prompt.trimEnd()}\n\n## What a person said with this\n\n${quoted.join("\n")}\n`;
}

async function saidWith(store: Works["store"], key: string): Promise<string> {
  const events = await eventsUpTo(store, key);
  const act = events.findLast((event) => "by" in event && typeof event.by === "object");
  if (act === undefined) return "";
  if (act.type !== "answered" || act.parts === undefined) return wordsOf(act).trim();
  // The other parts may have been answered long before.
  const closed = events.slice(events.indexOf(act)).find((event) => event.type === "question-closed");
  return closed?.text ?? "";
}

/** What was submitted or seen, and led to this deed. Only what comes from outside has a time of its own. */
export async function actOf(store: Works["store"], key: string): Promise<Event | undefined> {
  return (await eventsUpTo(store, key)).findLast((event) => "at" in event);
}

/** The deed's key names the last event of the act that ordered it. */
async function eventsUpTo(store: Works["store"], key: string): Promise<readonly Event[]> {
  const [run = "", last = "0"] = key.split(":");
  const seq = Number(last);
  const events = await store.events(run, Math.max(1, seq - BACK), BACK + 1);
  return events.filter((each) => each.seq <= seq).map(({ event }) => event);
}

function wordsOf(event: Event): string {
  if (event.type === "answered" && event.by.type === "human") return event.text ?? "";
  if (event.type === "move-asked" && event.by.type === "human") return event.note ?? "";
  return "";
}
