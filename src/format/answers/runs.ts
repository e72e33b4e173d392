/** What the commands that look at runs print with `--json`. */

import * as z from "zod/mini";
import { told } from "../workflow/words.ts";
import { At, Count, Flag, Text, Texts } from "./envelope.ts";

const Actor = z.union([
  z.strictObject({ type: z.literal("human"), name: z.optional(Text) }),
  z.strictObject({ type: z.literal("engine") }),
  z.strictObject({ type: z.literal("agent"), role: Text, slot: Text, attempt: Count }),
]);

const Way = z.strictObject({
  to: Text,
  by: Texts,
  answer: Text,
  open: Flag,
  reasons: z.array(z.strictObject({ code: Text, message: Text, mend: Text, at: z.optional(At) })),
  smallest: Text,
  command: Text,
  means: Text,
  asOf: Text,
});

/** What can be typed, where it leads, and what may be added. */
export const Choice = z.strictObject({ command: Text, means: Text, takes: z.optional(Text) });

export const Read = z.strictObject({ artifact: Text, path: Text, section: Text });

const Question = z.strictObject({
  id: Text,
  ask: Text,
  question: Text,
  openedAt: Text,
  repeats: Count,
  shows: Texts,
  reads: z.array(Read),
  shown: Text,
  options: z.array(
    z.strictObject({
      value: Text,
      label: Text,
      text: z.enum(["none", "optional", "required"]),
      command: Text,
      means: Text,
    }),
  ),
  parts: z.optional(
    told(
      z.array(z.strictObject({ number: Count, part: Text, answer: z.nullable(Text), text: Text })),
      "Of a question in parts: each, with what it is answered by so far",
    ),
  ),
});

const Artifact = z.strictObject({
  artifact: Text,
  file: Text,
  by: Texts,
  standing: Text,
  good: Flag,
  used: Flag,
  wanted: told(Flag, "Some move out of the present state asks for it"),
  reason: Text,
  at: z.optional(At),
  asOf: z.optional(Text),
});

const Scheduled = z.strictObject({
  phase: Text,
  stage: Text,
  name: Text,
  type: z.enum(["dispatch", "inline", "review", "command", "question"]),
  status: z.enum(["pending", "in_progress", "completed", "failed", "skipped", "waived"]),
  attempts: Count,
  idle: told(Flag, "It was passed without anything to do"),
  gate: z.nullable(
    z.strictObject({
      status: z.enum(["satisfied", "missing", "pending", "dropped"]),
      required: z.array(z.strictObject({ artifact: Text, file: Text, standing: Text, reason: Text })),
    }),
  ),
});

const Agent = z.strictObject({
  role: Text,
  slot: Text,
  attempt: Count,
  status: Text,
  process: Text,
  pid: z.nullable(Count),
  turn: Count,
  since: Text,
  exit: z.nullable(z.int()),
  outputAt: z.nullable(z.number()),
  seat: z.enum(["", "window", "resident"]),
  told: z.nullable(z.strictObject({ status: z.enum(["sending", "told", "acknowledged"]), at: z.number() })),
});

const Line = z.strictObject({
  seq: Count,
  at: Text,
  by: Actor,
  what: Text,
  followed: Texts,
  signed: Flag,
  terminal: Text,
  apart: Texts,
});

const Note = z.strictObject({ run: Text, at: Text, kind: Text, text: Text });

/** One thing that happened, as it happens. */
export const Happening = z.strictObject({
  run: Text,
  seq: Count,
  at: Text,
  by: Actor,
  what: Text,
  followed: Texts,
});

/** What all of them say of a run. */
const RUN = {
  run: Text,
  workflow: Text,
  goal: Text,
  state: Text,
  status: z.enum(["running", "waiting", "done", "cancelled", "failed", "damaged"]),
  halted: Flag,
  queued: told(Flag, "It stands in the queue, and goes on by itself: it waits for no person"),
  attention: Text,
  repo: Text,
  startedAt: Text,
  updatedAt: Text,
};

const Phase = told(
  Text,
  "What the workflow calls the stretch that it is in; empty where it has no such words",
);
const Tally = z.strictObject({ done: Count, all: Count, waiting: Count });

export const list = {
  runs: z.array(
    z.strictObject({
      ...RUN,
      phase: Phase,
      tasks: told(
        z.nullable(Tally),
        "Of a list that it waits for: how many are done, and how many wait for a person",
      ),
    }),
  ),
  more: Count,
};

const TASK = { task: Text, title: Text, run: Text, status: Text, waits: Text };
const Task = z.strictObject(TASK);

export const show = {
  ...RUN,
  definition: Text,
  title: Text,
  stage: Text,
  phase: Phase,
  seq: Count,
  entry: Count,
  base: Text,
  params: z.record(Text, z.union([Text, z.number(), Flag])),
  counters: z.array(z.strictObject({ name: Text, value: Count, max: Count, per: Text })),
  schedule: z.array(Scheduled),
  artifacts: z.array(Artifact),
  agents: z.array(Agent),
  tasks: told(
    z.array(
      z.strictObject({
        ...TASK,
        list: Text,
        counted: z.record(Text, Count),
        approved: told(Texts, "Roles whose verdict let it pass, so far"),
        waived: z.array(z.strictObject({ artifact: Text, by: Text })),
      }),
    ),
    "Of the last list of each kind that it has started",
  ),
  checks: z.array(z.strictObject({ artifact: Text, process: Text, pid: z.nullable(Count), since: Text })),
  question: z.nullable(Question),
  workspace: z.nullable(
    z.strictObject({
      path: Text,
      branch: Text,
      base: Text,
      status: Text,
      salvage: Text,
      kept: Text,
      inPlace: Flag,
    }),
  ),
  deeds: z.array(z.strictObject({ key: Text, type: Text, status: Text, tries: Count, note: Text })),
  waitsFor: Text,
  asked: Text,
  choices: z.array(Choice),
  notes: z.array(Note),
  history: z.array(Line),
};

export const next = {
  run: Text,
  state: Text,
  status: Text,
  for: Text,
  moves: z.array(Way),
  artifacts: z.array(Artifact),
  question: z.nullable(Question),
};

export const why = {
  run: Text,
  state: Text,
  moves: z.array(Way),
  silent: Texts,
  notes: Texts,
  tasks: z.array(Task),
};

export const history = {
  run: Text,
  state: Text,
  seq: Count,
  lines: z.array(Line),
  notes: z.array(Note),
  events: z.optional(z.array(z.record(Text, z.unknown()))),
  more: Flag,
};

export const inbox = {
  items: z.array(
    z.strictObject({
      run: Text,
      workflow: Text,
      goal: Text,
      state: Text,
      kind: z.enum(["question", "attention", "halted", "crashed", "damaged", "waiting"]),
      since: Text,
      what: Text,
      asked: Text,
      question: z.nullable(Question),
      commands: Texts,
      choices: z.array(Choice),
    }),
  ),
};

const JOB = {
  run: Text,
  kind: z.enum(["turn", "check"]),
  role: Text,
  slot: Text,
  artifact: Text,
  attempt: Count,
  turn: Count,
  dir: Text,
  live: Flag,
};

export const logs = { ...JOB, text: Text };

/** With --follow: one document for each line, each on a line of its own. */
export const LogLine = z.strictObject({ ...JOB, line: Text });

export const verify = {
  runs: z.array(
    z.strictObject({
      run: Text,
      ok: Flag,
      seq: Count,
      reason: Text,
      notices: z.array(z.strictObject({ seq: Count, text: Text })),
    }),
  ),
  key: Text,
};
