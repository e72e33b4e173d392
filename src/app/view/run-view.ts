/**
 * A run as every screen shows it, declared once. The types of the views, the output of `--json` and the published schema come from here;
 * `look.ts` fills in `SHOW`. `told` adds the description of a field to the published schema.
 *
 * Commands import only the types, so that they start without zod. The supervisor, `signalbox mcp`, `signalbox serve`, the schema generator
 * and the tests load the declarations.
 */

import * as z from "zod/mini";
import { VERBS } from "../../core/model/workflow.ts";
import { At, Count, Flag, Text, Texts, type Frozen } from "../shapes.ts";
import { Line, Note, Read } from "../story/schemas.ts";
import { Used } from "./cost/schemas.ts";
import { told } from "../../format/workflow/schema/primitives.ts";
import { Parked } from "./parked-view.ts";

const Status = z.enum(["running", "waiting", "done", "cancelled", "failed", "damaged"]);

/** The status of an artifact. `valid` to `waived` are for every artifact, verdicts for reviews, *all*, *some* and *none* for lists of tasks. */
const Standing = z.enum([
  "pass",
  "pass_with_notes",
  "needs_fix",
  "needs_human",
  "reject",
  "missing",
  "invalid",
  "stale",
  "valid",
  "holds",
  "waived",
  "all",
  "some",
  "none",
]);

const Waits = z.strictObject({
  kind: told(
    z.enum([
      "agent",
      "check",
      "child",
      "queue",
      "parked",
      "person",
      "crashed",
      "attention",
      "stopped",
      "over",
    ]),
    "What has to act before the run goes on. parked goes on by itself at a time; person, crashed, attention and stopped need you; over needs nothing",
  ),
  short: told(Text, "What the run waits for, in one or two words"),
  sentence: told(Text, "What the run waits for, in one sentence"),
  since: Text,
});

/** An action as a call of a use case, for programs that do not type commands, such as the page. The program adds `text` and `key`. */
const UseCaseCall = z.strictObject({
  use: z.enum(VERBS),
  input: told(z.record(Text, z.union([Text, Count])), "The input of the use case, without `text` and `key`"),
  words: told(
    z.enum(["none", "optional", "required"]),
    "Whether the call takes the person's words as `text`",
  ),
});

export const Action = z.strictObject({
  command: Text,
  sentence: told(Text, "What the command does"),
  takes: z.optional(told(Text, "Arguments that may be added to the command")),
  verb: z.optional(told(z.enum(VERBS), "The verb of the command; missing where the command is not a verb")),
  call: z.optional(
    told(UseCaseCall, "The same action as a call of a use case; missing where it can only be typed"),
  ),
});

const ClosedVerb = z.strictObject({ verb: z.enum(VERBS), reason: Text });

const Move = z.strictObject({
  to: Text,
  by: Texts,
  answer: told(
    Text,
    "The option of the open question that takes this move; empty where no question leads to it",
  ),
  open: Flag,
  reasons: z.array(z.strictObject({ code: Text, message: Text, mend: Text, at: z.optional(At) })),
  smallest: told(Text, "The smallest change that opens the move"),
  command: told(Text, "What to type for the move; empty where the engine takes it"),
  means: told(Text, "Where it leads"),
  asOf: told(Text, "When the work was last read; empty where the move does not depend on the work"),
});

export const Question = z.strictObject({
  id: Text,
  ask: Text,
  question: Text,
  openedAt: Text,
  repeats: told(Count, "How often it was asked again because an answer did not fit"),
  shows: told(Texts, "Artifacts that the answer is about"),
  reads: told(z.array(Read), "Where to read them"),
  shown: told(
    Text,
    "A digest of these artifacts for `answer --shown`: the answer is refused if they have changed. Empty without artifacts",
  ),
  options: z.array(
    z.strictObject({
      value: Text,
      label: Text,
      text: z.enum(["none", "optional", "required"]),
      command: Text,
      means: told(Text, "Where it leads"),
    }),
  ),
  parts: z.optional(
    told(
      z.array(z.strictObject({ number: Count, part: Text, answer: z.nullable(Text), text: Text })),
      "The parts of a question in parts, each with its answer so far",
    ),
  ),
});

const Artifact = z.strictObject({
  artifact: Text,
  file: Text,
  by: Texts,
  standing: told(Standing, "Its status"),
  good: told(Flag, "Its status opens a gate"),
  used: told(Flag, "It was accepted in an earlier round: a new one is required"),
  wanted: told(Flag, "A move out of the present state requires it"),
  reason: Text,
  at: z.optional(At),
  asOf: z.optional(told(Text, "When the work that it is bound to was last read")),
  check: z.optional(told(Flag, "It is the result of a command that the engine runs")),
  edited: z.optional(
    told(Flag, "Its file has content that no event has accepted, and no agent that may write it is working"),
  ),
});

export const Finding = z.strictObject({
  artifact: Text,
  by: told(Text, "The role that wrote it"),
  verdict: Text,
  earlier: told(Flag, "It is of an earlier round or of earlier work, and opens nothing any more"),
  at: told(Text, "When it was accepted"),
  text: told(Texts, "The reviewer's own words, one line each"),
});

const Agent = z.strictObject({
  role: Text,
  slot: Text,
  attempt: Count,
  status: told(Text, "called, alive, stopping, crashed, or superseded for an earlier attempt"),
  process: told(Text, "running, starting, idle, ended, gone, gone-with-the-machine, not-started or unknown"),
  pid: z.nullable(Count),
  turn: Count,
  since: Text,
  exit: told(z.nullable(z.int()), "The exit code of its last turn, where that has ended"),
  outputAt: told(z.nullable(z.number()), "Milliseconds since 1970 of its last output"),
  output: told(Text, "The last line that it printed, where it crashed or failed; otherwise empty"),
  seat: told(
    z.enum(["", "window", "resident"]),
    "Its terminal: none, one for this turn, or one for as long as the agent lives",
  ),
  told: told(
    z.nullable(z.strictObject({ status: z.enum(["sending", "told", "acknowledged"]), at: z.number() })),
    "The last message to the agent: on its way, delivered, or followed by a call of the agent",
  ),
});

const Check = z.strictObject({ artifact: Text, process: Text, pid: z.nullable(Count), since: Text });

const SchedulePhase = z.strictObject({
  phase: Text,
  stage: Text,
  name: Text,
  type: z.enum(["dispatch", "inline", "review", "command", "question"]),
  status: z.enum(["pending", "in_progress", "completed", "failed", "skipped", "waived"]),
  attempts: Count,
  idle: told(Flag, "The run passed it, and it had nothing to do"),
  gate: z.nullable(
    z.strictObject({
      status: z.enum(["satisfied", "missing", "pending", "dropped"]),
      required: z.array(z.strictObject({ artifact: Text, file: Text, standing: Standing, reason: Text })),
    }),
  ),
});

const CHILD = {
  task: Text,
  title: Text,
  run: told(Text, "The id of its run; empty until it has begun"),
  status: Text,
  waits: told(Text, "What it waits for; empty where it waits for nothing"),
};
const Child = z.strictObject(CHILD);

const ChildShown = z.strictObject({
  ...CHILD,
  list: told(Text, "The artifact that lists it"),
  counted: told(z.record(Text, Count), "Its counters that are above 0, such as rounds of review"),
  approved: told(Texts, "Roles whose verdict let it pass, so far"),
  waived: z.array(z.strictObject({ artifact: Text, by: Text })),
});

const Work = z.strictObject({
  branch: Text,
  commit: told(Text, "The last commit that the engine made of the work"),
  base: told(
    Text,
    "The newest commit of the target that the work contains: a merge brings what differs from it",
  ),
  files: Count,
  added: told(Count, "Lines"),
  removed: told(Count, "Lines"),
  diff: told(Text, "The command that shows the changes"),
});

const Workspace = z.strictObject({
  path: Text,
  branch: told(Text, "Empty where it was removed with the workspace"),
  base: Text,
  status: Text,
  salvage: Text,
  kept: Text,
  inPlace: Flag,
});

/** The fields of a run that every list and every view has. */
export const SUMMARY = {
  run: Text,
  name: told(Text, "Its branch where it has one, otherwise its id"),
  summary: Text,
  workflow: Text,
  project: told(Text, "The name of its project, or of its repository's folder"),
  repo: Text,
  branch: Text,
  state: Text,
  title: told(Text, "The title of the state in the workflow"),
  phase: told(Text, "The name of the current phase; empty in a workflow without phases"),
  status: Status,
  halted: told(Flag, "A person has stopped it"),
  queued: told(Flag, "It is in the queue and starts without a person"),
  attention: told(Text, "What went wrong and needs a person; otherwise empty"),
  parked: told(z.nullable(Parked), "What holds up the next turn of its agent; null where nothing does"),
  stuck: told(
    Flag,
    "It waits for you because its agents could not continue: no review and no question is open",
  ),
  waits: Waits,
  startedAt: Text,
  updatedAt: Text,
};

const Tally = z.strictObject({ done: Count, all: Count, waiting: Count });
const Session = z.enum(["alive", "dead", "unknown", "none"]);

const Summary = z.strictObject({
  ...SUMMARY,
  tasks: told(
    z.nullable(Tally),
    "Tasks of the list that it waits for: how many are done, exist, and wait for a person",
  ),
  used: told(Used, "What its turns used, without the runs of its tasks"),
});

const TaskSummary = z.strictObject({
  ...SUMMARY,
  session: told(Session, "Whether the process of one of its agents is alive"),
  round: told(Count, "The round of review"),
  refused: told(Text, "Why it could not start when it was first in the queue; otherwise empty"),
  dependsOn: Texts,
});

/** What a person has to decide, with what the decision is about. */
export const Decision = z.strictObject({
  question: told(Text, "What is asked"),
  asked: told(Texts, "The cause of the decision, or the questions of an agent, one line each"),
  aside: told(Texts, "Other statements in the documents that it is about; nothing depends on them"),
  findings: told(z.array(Finding), "What reviewers said of it"),
  reads: told(z.array(Read), "What to read before you decide"),
  parts: told(Texts, "The parts of a question in parts, each with its answer so far"),
  options: told(z.array(Action), "Every answer that can be given now"),
});

export const SHOW = {
  ...SUMMARY,
  since: told(Text, "When it entered its state"),
  stage: Text,
  definition: Text,
  seq: told(Count, "The sequence number of its last event"),
  entry: told(Count, "Counts the states that it has entered: a decision names the entry that it was made on"),
  base: told(Text, "The commit that the work began from"),
  params: z.record(Text, z.union([Text, z.number(), Flag])),
  decision: z.nullable(Decision),
  question: told(z.nullable(Question), "The open question, where its workflow asks one"),
  actions: told(z.array(Action), "What you can type now, the most likely first"),
  others: told(z.array(Action), "Open moves that no verb covers"),
  closed: told(z.array(ClosedVerb), "Verbs that the workflow offers in this state and that are refused now"),
  moves: z.array(Move),
  artifacts: z.array(Artifact),
  findings: told(z.array(Finding), "The last review of each reviewer, also of a finished run"),
  agents: z.array(Agent),
  checks: z.array(Check),
  children: told(z.array(ChildShown), "Tasks of the last list of each kind that it has started"),
  counters: z.array(z.strictObject({ name: Text, value: Count, max: Count, per: Text })),
  schedule: told(z.array(SchedulePhase), "Every phase of every stage, in order"),
  workspace: z.nullable(Workspace),
  used: told(Used, "What its turns used, with the runs of its tasks"),
  work: told(z.nullable(Work), "Its changes as of the last handover; null before the first one"),
  left: told(
    z.array(z.tuple([Text, Text])),
    "What remains of a finished run, such as its commit: name and description",
  ),
  pending: told(
    z.array(z.strictObject({ key: Text, type: Text, status: Text, tries: Count, note: Text })),
    "Effects that are still to be carried out",
  ),
  notes: z.array(Note),
  history: z.array(Line),
};

export const NEXT = {
  run: Text,
  state: Text,
  status: Status,
  for: told(Text, "human, or the role of the agent that asks"),
  waits: Waits,
  moves: told(z.array(Move), "Moves of that role, open or not"),
  artifacts: told(z.array(Artifact), "Artifacts of that role"),
  actions: told(z.array(Action), "What a person can type now, the most likely first"),
  others: told(z.array(Action), "A person's open moves that no verb covers"),
  closed: told(z.array(ClosedVerb), "Verbs that the workflow offers in this state and that are refused now"),
  decision: z.nullable(Decision),
  question: z.nullable(Question),
  missing: told(z.array(Artifact), "Artifacts that a move of that role requires and that are not good"),
};

export const WHY = {
  run: Text,
  state: Text,
  waits: Waits,
  moves: z.array(Move),
  silent: told(Texts, "Agents that were sent a message and have not called since"),
  notes: told(Texts, "What a person should know before deciding"),
  tasks: told(z.array(Child), "Tasks of the list that it waits for"),
  actions: told(
    z.array(Action),
    "What a person can type now; the last ones let something pass that is missing",
  ),
};

export const LIST = { runs: z.array(Summary), more: Count };
/** A row of the board. */
const BOARD_ROW = {
  ...SUMMARY,
  tasks: z.nullable(Tally),
  session: told(
    z.enum(["alive", "idle", "dead", "unknown", "none"]),
    "Whether the process of one of its agents is alive; idle between turns",
  ),
  gate: told(Text, "What is missing before the run can leave its phase; otherwise empty"),
  round: z.nullable(z.strictObject({ value: Count, max: Count })),
  work: told(
    z.nullable(
      z.strictObject({ ahead: z.nullable(Count), added: z.nullable(Count), removed: z.nullable(Count) }),
    ),
    "Commits and lines that the base does not have; null where unknown",
  ),
  over: told(Flag, "The run has ended"),
  person: told(Flag, "Whether it waits for a person"),
};

export const WATCH = {
  rows: z.array(z.strictObject(BOARD_ROW)),
  more: Count,
  projects: z.array(z.strictObject({ project: Text, repo: Text, atWork: Count, agents: Count })),
  waiting: Count,
};

/** One line of `watch --json` without `--once`. *there*: a new row, and at the beginning every row. */
export const WatchLine = z.strictObject({
  at: Text,
  change: z.enum(["there", "changed", "gone"]),
  ...BOARD_ROW,
});

export const TASK_LIST = { tasks: z.array(TaskSummary), more: Count };

export const TASK_SHOW = {
  ...SHOW,
  task: z.strictObject({
    project: Text,
    session: Session,
    queued: Flag,
    queuedFor: Text,
    dependsOn: z.array(z.strictObject({ run: Text, state: Text })),
    dependents: Texts,
    messages: z.array(
      z.strictObject({
        role: Text,
        slot: Text,
        attempt: Count,
        key: Text,
        status: z.enum(["sending", "told", "acknowledged"]),
        at: Count,
        acknowledgedAt: Count,
      }),
    ),
    hidden: Flag,
  }),
};

type DataOfShape<S extends Readonly<Record<string, z.ZodMiniType>>> = Frozen<{
  [K in keyof S]: z.infer<S[K]>;
}>;

export type RunView = DataOfShape<typeof SHOW>;
export type NextView = DataOfShape<typeof NEXT>;
export type WhyView = DataOfShape<typeof WHY>;
export type WatchData = DataOfShape<typeof WATCH>;
export type BoardRowData = WatchData["rows"][number];
export type RunSummary = Frozen<z.infer<typeof Summary>>;
export type TaskSummary = Frozen<z.infer<typeof TaskSummary>>;
export type TaskContext = DataOfShape<typeof TASK_SHOW>["task"];

export type WaitView = RunView["waits"];
export type ActionView = RunView["actions"][number];
export type ActionCall = NonNullable<ActionView["call"]>;
export type ClosedView = RunView["closed"][number];
export type AgentView = RunView["agents"][number];
export type CheckView = RunView["checks"][number];
export type FindingView = RunView["findings"][number];
export type DecisionView = NonNullable<RunView["decision"]>;
export type WorkView = NonNullable<RunView["work"]>;
export type MoveView = RunView["moves"][number];
export type ArtifactView = RunView["artifacts"][number];
export type QuestionView = NonNullable<RunView["question"]>;
export type ScheduleView = RunView["schedule"][number];
export type ChildView = WhyView["tasks"][number];
export type ChildShown = RunView["children"][number];
export type StoryLine = RunView["history"][number];
export type RunStatus = RunView["status"];
