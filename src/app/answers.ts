/** One schema for each command's `--json` document, and all of them as one published file. */

import * as z from "zod/mini";
import { answerOf, Failure, Help, type Shape } from "../format/answers/envelope.ts";
import { ACTED } from "../format/answers/acted.ts";
import * as ofActs from "../format/answers/acts.ts";
import * as ofRuns from "../format/answers/runs.ts";
import { SALVAGE, WORKSPACE } from "../format/answers/salvage.ts";
import * as ofSetup from "../format/answers/setup.ts";
import { ACCEPT, PROJECT, TASK } from "../format/answers/tasks.ts";
import { watch, WatchLine } from "../format/answers/watch.ts";
import * as ofWorkflows from "../format/answers/workflows.ts";
import { INBOX, LIST, NEXT, SHOW, TASK_LIST, TASK_SHOW, WHY } from "./view/run-view.ts";

const {
  LogLine,
  Happening: _happening,
  Choice: _choice,
  Read: _read,
  Line: _line,
  Note: _note,
  ...ofReading
} = ofRuns;
const { DemoLine, ...ofSettingUp } = ofSetup;
const DATA: Readonly<Record<string, Shape>> = {
  ...ofSettingUp,
  ...ofActs,
  accept: ACCEPT,
  "send-back": ACTED,
  ...ofReading,
  show: SHOW,
  next: NEXT,
  why: WHY,
  inbox: INBOX,
  list: LIST,
  watch,
  ...ofWorkflows,
  ...partsOf("task", { ...TASK, list: TASK_LIST, show: TASK_SHOW }),
  ...partsOf("review", { create: ACTED }),
  ...partsOf("project", PROJECT),
  ...partsOf("salvage", SALVAGE),
  ...partsOf("workspace", WORKSPACE),
};

/** A part of a command is known by both words. */
function partsOf(name: string, parts: Readonly<Record<string, Shape>>): Record<string, Shape> {
  return Object.fromEntries(Object.entries(parts).map(([part, shape]) => [`${name} ${part}`, shape]));
}

/** Of commands that go on: what stands on each line. */
export const STREAMS: Readonly<Record<string, z.ZodMiniType>> = {
  logs: LogLine,
  demo: DemoLine,
  watch: WatchLine,
};

export const ANSWERS: Readonly<Record<string, z.ZodMiniType>> = Object.fromEntries(
  Object.entries(DATA).map(([name, data]) => [name, z.union([answerOf(data), Failure, Help])]),
);

/** `$defs` holds one definition for each command, by its name; `task.create` is that of `task create`. */
export function answersSchema(): unknown {
  const shared = [
    ["FAILURE", definitionOf(Failure)],
    ["HELP", definitionOf(Help)],
  ] as const;
  const references = shared.map(([name]) => ({ $ref: `#/$defs/${name}` }));
  const own = Object.entries(DATA).map(
    ([name, data]) =>
      [name.replace(" ", "."), { anyOf: [definitionOf(answerOf(data)), ...references] }] as const,
  );
  const lines = Object.entries(STREAMS).map(([name, line]) => [`${name}.line`, definitionOf(line)] as const);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "What the commands of signalbox print with --json",
    $defs: Object.fromEntries([...shared, ...[...own, ...lines].toSorted(([a], [b]) => (a < b ? -1 : 1))]),
  };
}

function definitionOf(schema: z.ZodMiniType): object {
  const { $schema: _same, ...definition } = z.toJSONSchema(schema, { target: "draft-2020-12" });
  return definition;
}
