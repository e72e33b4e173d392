/**
 * A run as every screen shows it, declared once: the types of the views, what `--json` prints and the published schema come from here.
 *
 * Commands import the types alone; only the schema generator and the tests load the declarations.
 */

import * as z from "zod/mini";
import { VERBS } from "../../core/model/workflow.ts";
import { At, Count, Flag, Text, Texts, type Frozen } from "../shapes.ts";
import { Line, Note, Read } from "../story/schemas.ts";
import { told } from "../../format/workflow/schema/primitives.ts";

const Status = z.enum(["running", "waiting", "done", "cancelled", "failed", "damaged"]);

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
    z.enum(["agent", "check", "child", "queue", "person", "crashed", "attention", "stopped", "over"]),
    "What has to act before the run goes on. person, crashed, attention and stopped need you; over needs nothing",
  ),
  short: told(Text, "The same in one word or two"),
  sentence: told(Text, "What the run waits for, in one sentence"),
  since: Text,
});

const Action = z.strictObject({
  command: Text,
  sentence: told(Text, "What the command does"),
  takes: z.optional(told(Text, "What may be added to the command")),
  verb: z.optional(told(z.enum(VERBS), "The verb that it is, where it is one")),
});

const Closed = z.strictObject({ verb: z.enum(VERBS), reason: Text });

const Move = z.strictObject({
  to: Text,
  by: Texts,
  answer: told(
    Text,
    "The option of the open question that leads there; empty where it is asked for directly",
  ),
  open: Flag,
  reasons: z.array(z.strictObject({ code: Text, message: Text, mend: Text, at: z.optional(At) })),
  smallest: told(Text, "The smallest thing that opens it"),
  command: told(Text, "What to type for it; empty where it happens by itself"),
  means: told(Text, "Where it leads"),
  asOf: told(
    Text,
    "When the work that it depends on was last read; empty where it does not depend on the work",
  ),
});

const Question = z.strictObject({
  id: Text,
  ask: Text,
  question: Text,
  openedAt: Text,
  repeats: Count,
  shows: told(Texts, "Artifacts that the answer is about"),
  reads: told(z.array(Read), "Where to read them"),
  shown: told(
    Text,
    "What they say now, as one word for `answer --shown`; empty where the question is about nothing",
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
      "Of a question in parts: each, with its answer so far",
    ),
  ),
});

const Artifact = z.strictObject({
  artifact: Text,
  file: Text,
  by: Texts,
  standing: told(Standing, "Its status"),
  good: Flag,
  used: told(Flag, "It was accepted before: the next one must be new"),
  wanted: told(Flag, "Some move out of the present state asks for it"),
  reason: Text,
  at: z.optional(At),
  asOf: z.optional(told(Text, "When the work that it is bound to was last read")),
});

const Finding = z.strictObject({
  artifact: Text,
  by: told(Text, "The role that wrote it"),
  verdict: Text,
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
  output: told(Text, "The last line that it printed; empty where it runs well"),
  seat: told(z.enum(["", "window", "resident"]), "Whether its process has a terminal"),
  told: z.nullable(z.strictObject({ status: z.enum(["sending", "told", "acknowledged"]), at: z.number() })),
});

const Check = z.strictObject({ artifact: Text, process: Text, pid: z.nullable(Count), since: Text });

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
      required: z.array(z.strictObject({ artifact: Text, file: Text, standing: Standing, reason: Text })),
    }),
  ),
});

const CHILD = {
  task: Text,
  title: Text,
  run: told(Text, "Empty until it has begun"),
  status: Text,
  waits: told(Text, "What it waits for; empty where it waits for nothing"),
};
const Child = z.strictObject(CHILD);

const ChildShown = z.strictObject({
  ...CHILD,
  list: told(Text, "The artifact that its list is of"),
  counted: z.record(Text, Count),
  approved: told(Texts, "Roles whose verdict let it pass, so far"),
  waived: z.array(z.strictObject({ artifact: Text, by: Text })),
});

const Work = z.strictObject({
  branch: Text,
  commit: told(Text, "The last commit that the engine made of the work"),
  base: told(Text, "The commit that the work began from"),
  files: Count,
  added: told(Count, "Lines"),
  removed: told(Count, "Lines"),
  diff: told(Text, "The command that shows it"),
});

const Workspace = z.strictObject({
  path: Text,
  branch: Text,
  base: Text,
  status: Text,
  salvage: Text,
  kept: Text,
  inPlace: Flag,
});

/** What tells runs apart, and what every list says of one. */
const SUMMARY = {
  run: Text,
  name: told(Text, "What people call it: its branch where it has one, otherwise its id"),
  summary: Text,
  workflow: Text,
  project: told(Text, "The name of its project, or of its repository's folder"),
  repo: Text,
  branch: Text,
  state: Text,
  title: told(Text, "What the workflow says of the state"),
  phase: told(Text, "What the workflow calls the phase that it is in; empty where it has none"),
  status: Status,
  halted: told(Flag, "A person has stopped it"),
  queued: told(Flag, "It is queued and goes on by itself: it waits for no person"),
  attention: told(Text, "What went wrong; empty where nothing did"),
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
    "Of a list that it waits for: how many are done, and how many wait for a person",
  ),
});

const TaskSummary = z.strictObject({
  ...SUMMARY,
  session: told(Session, "Whether an agent of it lives"),
  round: told(Count, "The round of review"),
  refused: told(Text, "Why it did not start when its turn came; empty where it was not refused"),
  dependsOn: Texts,
});

/** What a person has to decide, with what the decision is about. */
const Decision = z.strictObject({
  question: told(Text, "What is asked"),
  asked: told(Texts, "What led to it, or what an agent wants to know, one line each"),
  findings: told(z.array(Finding), "What reviewers said of it"),
  reads: told(z.array(Read), "What to read before you decide"),
  parts: told(Texts, "Of a question in parts: each, with its answer so far"),
  options: told(z.array(Action), "Every answer that can be given now"),
});

export const SHOW = {
  ...SUMMARY,
  since: told(Text, "When it came into its state"),
  stage: Text,
  definition: Text,
  seq: Count,
  entry: Count,
  base: Text,
  params: z.record(Text, z.union([Text, z.number(), Flag])),
  decision: z.nullable(Decision),
  question: told(z.nullable(Question), "The open question, where its workflow asks one"),
  actions: told(z.array(Action), "What you can type now, the most likely first"),
  others: told(z.array(Action), "Open moves that no verb covers"),
  closed: told(z.array(Closed), "Verbs that the workflow has here and that do not work now"),
  moves: z.array(Move),
  artifacts: z.array(Artifact),
  findings: told(z.array(Finding), "What each reviewer said last; also when the run is over"),
  agents: z.array(Agent),
  checks: z.array(Check),
  children: told(z.array(ChildShown), "Of the last list of each kind that it has started"),
  counters: z.array(z.strictObject({ name: Text, value: Count, max: Count, per: Text })),
  schedule: told(z.array(Scheduled), "Every phase of every stage, in order"),
  workspace: z.nullable(Workspace),
  work: told(z.nullable(Work), "What it has changed, as it was handed over last; null where it was not yet"),
  left: told(z.array(z.tuple([Text, Text])), "What a run that is over left behind, each with its name"),
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
  closed: told(z.array(Closed), "Verbs that the workflow has here and that do not work now"),
  decision: z.nullable(Decision),
  question: z.nullable(Question),
  missing: told(z.array(Artifact), "Artifacts that a move of that role needs and that are not good"),
};

export const WHY = {
  run: Text,
  state: Text,
  waits: Waits,
  moves: z.array(Move),
  silent: told(Texts, "Agents that were told something and have not called since"),
  notes: told(Texts, "What a person should know before deciding"),
  tasks: told(z.array(Child), "Of a list that it has started and waits for"),
  actions: told(z.array(Action), "What a person can type where nothing else moves the run"),
};

const InboxItem = z.strictObject({
  ...SUMMARY,
  group: told(z.enum(["question", "review", "stuck", "other"]), "What kind of thing it needs of you"),
  kind: z.enum(["question", "attention", "halted", "crashed", "damaged", "waiting"]),
  since: Text,
  reason: told(Text, "Why it needs you, in one sentence"),
  decision: z.nullable(Decision),
  question: z.nullable(Question),
  findings: z.array(Finding),
  actions: told(z.array(Action), "What you can type, the most likely first"),
});

export const INBOX = { items: z.array(InboxItem) };
export const LIST = { runs: z.array(Summary), more: Count };
/** A row of the board. */
const BOARD_ROW = {
  ...SUMMARY,
  tasks: z.nullable(Tally),
  session: told(
    z.enum(["alive", "idle", "dead", "unknown", "none"]),
    "Whether an agent of it lives; idle between its turns",
  ),
  round: z.nullable(z.strictObject({ value: Count, max: Count })),
  work: told(
    z.nullable(
      z.strictObject({ ahead: z.nullable(Count), added: z.nullable(Count), removed: z.nullable(Count) }),
    ),
    "Commits and lines that the base does not have; null where they are not known",
  ),
  over: Flag,
  person: told(Flag, "Whether it waits for a person"),
};

export const WATCH = {
  rows: z.array(z.strictObject(BOARD_ROW)),
  more: Count,
  projects: z.array(z.strictObject({ project: Text, repo: Text, atWork: Count, agents: Count })),
  waiting: Count,
};

/** Without `--once`: the rows at the beginning, and then each one that changes. */
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

type Data<S extends Readonly<Record<string, z.ZodMiniType>>> = Frozen<{
  [K in keyof S]: z.infer<S[K]>;
}>;

export type RunView = Data<typeof SHOW>;
export type NextView = Data<typeof NEXT>;
export type WhyView = Data<typeof WHY>;
export type InboxItem = Frozen<z.infer<typeof InboxItem>>;
export type RunSummary = Frozen<z.infer<typeof Summary>>;
export type TaskSummary = Frozen<z.infer<typeof TaskSummary>>;
export type TaskContext = Data<typeof TASK_SHOW>["task"];

export type WaitView = RunView["waits"];
export type ActionView = RunView["actions"][number];
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
export type RunStatus = RunView["status"];
