/** Runs as screens show them, one of each kind: what every rendering is tried with. */
import type { AgentView, InboxItem, RunView } from "../../src/app/view/run-view.ts";

export const NOW = Date.parse("2026-03-14T10:00:00Z");
const AT = "2026-03-14T09:41:00Z";
const NAMES = { repo: "/home/ada/shop", project: "shop", workflow: "task" };
const LINE = {
  by: { type: "engine" },
  what: "",
  followed: [],
  signed: false,
  terminal: "",
  apart: [],
} as const;

const worker: AgentView = {
  role: "worker",
  slot: "",
  attempt: 1,
  status: "alive",
  process: "idle",
  pid: null,
  turn: 2,
  since: AT,
  exit: 0,
  outputAt: null,
  output: "",
  seat: "",
  told: null,
};

const BASE: RunView = {
  ...NAMES,
  run: "k3d9m2xp",
  name: "fix-dates",
  summary: "Dates in the export are off by one",
  branch: "fix-dates",
  state: "reviewing",
  title: "Ready for a person's review",
  phase: "",
  status: "waiting",
  halted: false,
  queued: false,
  attention: "",
  waits: { kind: "person", short: "you", sentence: "Ready for your review.", since: AT },
  startedAt: "2026-03-14T09:00:00Z",
  updatedAt: AT,
  since: AT,
  stage: "",
  definition: "d1",
  seq: 47,
  entry: 5,
  base: "c0ffee",
  params: {},
  decision: null,
  question: null,
  actions: [],
  others: [],
  closed: [],
  moves: [],
  artifacts: [],
  findings: [],
  agents: [],
  checks: [],
  children: [],
  counters: [{ name: "review_round", value: 1, max: 2, per: "cycle" }],
  schedule: [],
  workspace: {
    path: "/home/ada/.local/state/signalbox/workspaces/k3d9m2xp",
    branch: "fix-dates",
    base: "c0ffee",
    status: "bound",
    salvage: "",
    kept: "",
    inPlace: false,
  },
  work: {
    branch: "fix-dates",
    commit: "4f2a9c1",
    base: "c0ffee",
    files: 3,
    added: 41,
    removed: 7,
    diff: "git diff main...fix-dates",
  },
  left: [],
  pending: [],
  notes: [],
  history: [
    {
      ...LINE,
      seq: 44,
      at: "2026-03-14T09:40:00Z",
      text: "Worker went on to agent-review. Reviewer started.",
    },
    { ...LINE, seq: 45, at: "2026-03-14T09:40:30Z", text: "" },
    { ...LINE, seq: 46, at: AT, text: "Reviewer passed it. Now: reviewing." },
    { ...LINE, seq: 47, at: AT, text: "Reviewer stopped: its review is in." },
  ],
};

const review = (verdict: string, ...text: string[]): RunView["findings"][number] => ({
  artifact: "review",
  by: "reviewer",
  verdict,
  at: AT,
  text,
});

const artifact = (
  name: string,
  more: Partial<RunView["artifacts"][number]>,
): RunView["artifacts"][number] => ({
  artifact: name,
  file: "TASK.md",
  by: ["worker"],
  standing: "valid",
  good: true,
  used: false,
  wanted: false,
  reason: "",
  ...more,
});

const OPTIONS = [
  {
    command: "signalbox answer w9v2xcrn approved --shown 3f2a9c01",
    sentence: "Go ahead with this design: on to PLAN",
  },
  {
    command: 'signalbox answer w9v2xcrn changes-requested/spec --shown 3f2a9c01 --text "..."',
    sentence: "Say what to change: back to INTAKE",
  },
  { command: "signalbox answer w9v2xcrn abort --shown 3f2a9c01", sentence: "cancel" },
];

export const VIEWS: Readonly<Record<string, RunView>> = {
  "a task that waits for review": {
    ...BASE,
    findings: [review("pass", "The dates are right in both exports.")],
    actions: [
      { command: "signalbox accept k3d9m2xp", sentence: "merge fix-dates and finish (done)" },
      {
        command: 'signalbox send-back k3d9m2xp "TEXT"',
        sentence: "send it back to the worker with your notes",
      },
      {
        command: "signalbox move k3d9m2xp done",
        sentence: "mark it done WITHOUT merging (the branch stays)",
      },
      { command: "signalbox move k3d9m2xp cancelled", sentence: "cancel" },
    ],
    artifacts: [
      artifact("plan", {}),
      artifact("handoff", {
        standing: "stale",
        good: false,
        used: true,
        reason: "accepted before; the next round needs a new one",
      }),
      artifact("review", { standing: "pass", wanted: true, by: ["reviewer"] }),
    ],
    agents: [worker],
  },
  "stuck after reviews": {
    ...BASE,
    run: "v6wh4e7m",
    state: "stuck",
    title: "Needs a person to sort it out",
    waits: {
      kind: "person",
      short: "you",
      sentence:
        'Needs you to sort it out: 2 of 2 reviews failed: "1. The test for the empty list is missing."',
      since: AT,
    },
    findings: [
      review(
        "needs_fix",
        "1. The test for the empty list is missing.",
        "2. The header is written twice.",
        "3. README does not name the option.",
        "4. A typo.",
      ),
    ],
    counters: [{ name: "review_round", value: 2, max: 2, per: "cycle" }],
    actions: [
      {
        command: "signalbox move v6wh4e7m reviewing",
        sentence: "back to reviewing (Ready for a person's review)",
      },
      { command: "signalbox move v6wh4e7m cancelled", sentence: "cancel" },
    ],
    agents: [{ ...worker, exit: 1, output: "API error 529: overloaded" }],
  },
  crashed: {
    ...BASE,
    run: "g0f3w8fp",
    state: "planning",
    title: "The worker plans",
    status: "running",
    waits: {
      kind: "crashed",
      short: "you: crashed",
      sentence:
        "Worker stopped without submitting plan (1 of 2): exit code 1. Its last output: API error 529: overloaded",
      since: AT,
    },
    work: null,
    counters: [{ name: "crash_count", value: 1, max: 2, per: "entry" }],
    actions: [
      { command: "signalbox resume g0f3w8fp", sentence: "start it again" },
      { command: "signalbox logs g0f3w8fp", sentence: "print what the agent printed" },
      { command: "signalbox move g0f3w8fp cancelled", sentence: "cancel" },
    ],
    artifacts: [
      artifact("plan", {
        standing: "missing",
        good: false,
        wanted: true,
        reason: "expected: ## Plan in TASK.md",
      }),
    ],
    agents: [
      { ...worker, status: "crashed", process: "ended", exit: 1, output: "API error 529: overloaded" },
    ],
  },
  "a question of orchestrated": {
    ...BASE,
    run: "w9v2xcrn",
    name: "w9v2xcrn",
    branch: "signalbox/w9v2xcrn",
    workflow: "orchestrated",
    summary: "Shout",
    state: "APPROVE_DESIGN",
    title: "",
    waits: {
      kind: "person",
      short: "you",
      sentence: "The specification and the architecture are ready.",
      since: AT,
    },
    work: null,
    counters: [],
    question: {
      id: "UD-APPROVE-DESIGN",
      ask: "design",
      question: "The specification and the architecture are ready. May the plan be made?",
      openedAt: AT,
      repeats: 0,
      shows: ["spec", "architecture"],
      reads: [{ artifact: "spec", path: "/home/ada/w/spec.md", section: "" }],
      shown: "3f2a9c01",
      options: [],
    },
    decision: {
      question: "The specification and the architecture are ready. May the plan be made?",
      asked: ["judge says pass_with_notes", "summary: two endpoints have no owner"],
      findings: [],
      reads: [{ artifact: "spec", path: "/home/ada/w/spec.md", section: "" }],
      parts: [],
      options: OPTIONS,
    },
    actions: OPTIONS,
  },
  stages: {
    ...BASE,
    run: "s7t8u9vw",
    workflow: "staged",
    state: "1.2-run",
    title: "The plan is made",
    phase: "1.2",
    status: "running",
    waits: { kind: "agent", short: "planner", sentence: "Waits for the planner.", since: AT },
    work: null,
    counters: [],
    schedule: [
      {
        phase: "1.1",
        stage: "EXPLORE",
        name: "explore",
        type: "dispatch",
        status: "completed",
        attempts: 1,
        idle: false,
        gate: { status: "satisfied", required: [] },
      },
      {
        phase: "1.2",
        stage: "PLAN",
        name: "plan",
        type: "dispatch",
        status: "in_progress",
        attempts: 2,
        idle: false,
        gate: {
          status: "missing",
          required: [{ artifact: "plan", file: "plan.md", standing: "missing", reason: "expected: plan.md" }],
        },
      },
    ],
    agents: [{ ...worker, role: "planner", process: "running", pid: 4711, exit: null, outputAt: NOW - 3000 }],
  },
  "in the queue": {
    ...BASE,
    run: "p7wq2nfa",
    name: "p7wq2nfa",
    branch: "signalbox/p7wq2nfa",
    summary: "Say goodbye",
    state: "pending",
    title: "Not started yet",
    queued: true,
    waits: {
      kind: "queue",
      short: "queued",
      sentence: "Queued: 4 of 4 agents at work (raise with: signalbox project update shop --agents 8)",
      since: AT,
    },
    work: null,
    workspace: null,
    counters: [],
    history: [],
  },
  done: {
    ...BASE,
    run: "d0n3d0n3",
    state: "done",
    title: "",
    status: "done",
    waits: { kind: "over", short: "", sentence: "Done.", since: AT },
    findings: [review("pass", "The dates are right in both exports.")],
    workspace: null,
    counters: [],
    left: [["commit", "4f2a9c1 on the branch fix-dates"]],
    actions: [
      { command: "git -C /home/ada/shop log --patch c0ffee..fix-dates", sentence: "what it has done" },
    ],
  },
};

/** What the inbox has of a view that needs a person. */
export function itemOf(view: RunView, group: InboxItem["group"], kind: InboxItem["kind"]): InboxItem {
  const { name, summary, workflow, project, branch, title, phase } = view;
  const { halted, queued, attention, waits, decision, question, findings, actions } = view;
  return {
    run: view.run,
    name,
    summary,
    workflow,
    project,
    repo: view.repo,
    branch,
    state: view.state,
    title,
    phase,
    status: view.status,
    halted,
    queued,
    attention,
    waits,
    startedAt: view.startedAt,
    updatedAt: view.updatedAt,
    decision,
    question,
    findings,
    actions,
    group,
    kind,
    since: waits.since,
    reason: waits.sentence,
  };
}
