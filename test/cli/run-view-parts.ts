/** What views of runs in tests have in common. */
import { usedIn } from "../../src/app/view/cost/used.ts";
import type { ActionView, AgentView, RunView, WaitView } from "../../src/app/view/run-view.ts";

export const NOW = Date.parse("2026-03-14T10:00:00Z");
export const AT = "2026-03-14T09:41:00Z";
const NAMES = { repo: "/home/ada/shop", project: "shop", workflow: "task" };
const LINE = {
  by: { type: "engine" },
  what: "",
  followed: [],
  signed: false,
  terminal: "",
  apart: [],
} as const;

export const wait = (kind: WaitView["kind"], short: string, sentence: string): WaitView => ({
  kind,
  short,
  sentence,
  since: AT,
});

export const worker: AgentView = {
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

export const BASE: RunView = {
  ...NAMES,
  used: usedIn([]),
  run: "k3d9m2xp",
  name: "fix-dates",
  summary: "Dates in the export are off by one",
  branch: "fix-dates",
  state: "reviewing",
  title: "Ready for a person's review",
  phase: "",
  status: "waiting",
  halted: false,
  stuck: false,
  queued: false,
  attention: "",
  parked: null,
  waits: wait("person", "you", "Ready for your review."),
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

export const review = (verdict: string, ...text: string[]): RunView["findings"][number] => ({
  artifact: "review",
  by: "reviewer",
  verdict,
  earlier: false,
  at: AT,
  text,
});

export const artifact = (
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

export const child = (
  task: string,
  title: string,
  more: Partial<RunView["children"][number]>,
): RunView["children"][number] => ({
  task,
  title,
  run: "",
  status: "open",
  waits: "",
  list: "todo",
  counted: {},
  approved: [],
  waived: [],
  ...more,
});

export const sendBack = (run: string): ActionView => ({
  command: `signalbox send-back ${run} "TEXT"`,
  sentence: "send it back to the worker with your notes",
  verb: "send-back",
});

export const cancel = (run: string): ActionView => ({
  command: `signalbox cancel ${run}`,
  sentence: "cancel it",
  verb: "cancel",
});

export const OPTIONS: readonly ActionView[] = [
  {
    command: "signalbox accept w9v2xcrn --shown 3f2a9c01",
    sentence: "Go ahead with this design: on to PLAN",
    verb: "accept",
  },
  {
    command: 'signalbox send-back w9v2xcrn "TEXT" --to spec --shown 3f2a9c01',
    sentence: "Say what to change: back to INTAKE",
    verb: "send-back",
  },
  {
    command: 'signalbox answer w9v2xcrn cancel --shown 3f2a9c01 --text "..."',
    sentence: "Park the run and resume it later: to BLOCKED for now",
  },
];
