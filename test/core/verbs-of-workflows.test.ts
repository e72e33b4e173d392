/** Every state of the built-in workflows that waits for a person, and what each verb means there. */

import { basename } from "node:path";
import { expect, test } from "vitest";
import { explore, NODES_MAX } from "../../src/core/check/explore/explore.ts";
import { variantsOf } from "../../src/core/check/explore/variants.ts";
import { notesOn } from "../../src/core/check/defects/verbs.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import { NO_RUN, type Run } from "../../src/core/model/run.ts";
import { chosenFrom, waysFor } from "../../src/core/explain/verbs.ts";
import { VERBS } from "../../src/core/model/workflow.ts";
import { renamed } from "../support/renamed.ts";
import { fromText, loadWorkflow } from "../support/workflows.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const QUICK = ["task", "change-task", "one-task", "design-approval"];
const LONG = ["change", "orchestrated", "orchestrated-task"];

/** By state: each verb with the moves and answers that it means, whether they are open or not. */
const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  task: {
    pending: "accept planning, cancel cancelled",
    clarification: "answer origin|planning, accept done, cancel cancelled",
    reviewing: "accept done, send-back working, cancel cancelled",
    stuck: "accept done, send-back working, retry working, cancel cancelled",
  },
  change: {
    "planning-limit": "accept waive, retry continue, cancel dropped",
    "planning-stuck": "retry retry, cancel drop",
    edited: "retry challenge, cancel dropped",
    challenged: "accept implement, send-back reproposal, cancel dropped",
    rejected: "retry challenge, cancel dropped",
    halted: "accept skip|waive, retry resume, cancel drop",
    changed: "retry testing, cancel dropped",
    complete: "accept merging, cancel dropped",
    "archive-blocked": "retry merge-again, cancel dropped",
  },
  "change-task": { asking: "answer answer, cancel cancelled" },
  "one-task": { asking: "answer answer, cancel cancelled" },
  staged: {
    handover: "accept taken",
    rewind: "cancel abort",
    "EXPLORE-blocked": "accept skip, send-back restart, retry retry, cancel aborted",
    "PLAN-blocked": "accept skip, send-back restart-previous, retry retry, cancel aborted",
    "PLAN-exhausted": "accept force-continue, send-back 1.1, retry 1.1, cancel aborted",
    "IMPLEMENT-blocked": "accept skip, send-back restart-previous, retry retry, cancel aborted",
    "IMPLEMENT-exhausted": "accept force-continue, send-back 2.1, retry 2.3, cancel aborted",
    "TEST-blocked": "accept skip, send-back restart-previous, retry retry, cancel aborted",
    "TEST-exhausted": "accept force-continue, send-back 2.1, retry 3.1, cancel aborted",
    "FINAL-blocked": "accept skip, send-back restart-previous, retry retry, cancel aborted",
    "FINAL-exhausted": "accept force-continue, send-back 3.1, retry 4.2, cancel aborted",
  },
  orchestrated: {
    APPROVE_DESIGN:
      "accept approved, send-back changes-requested/architecture|changes-requested/design|changes-requested/research|changes-requested/spec, cancel CANCELLED",
    REVIEW_STRATEGY: "accept single-final, cancel CANCELLED",
    REVIEW_STRATEGY_LARGE: "accept per-batch, cancel CANCELLED",
    VOUCH: "accept run, cancel CANCELLED",
    VOUCH_ONLY: "accept run, cancel CANCELLED",
    ATTEST: "accept attested, send-back failed, cancel CANCELLED",
    TAKEN: "accept attested, send-back failed, cancel CANCELLED",
    LEAN_VOUCH: "accept run, cancel CANCELLED",
    LEAN_VOUCH_ONLY: "accept run, cancel CANCELLED",
    LEAN_ATTEST: "accept attested, send-back failed, cancel CANCELLED",
    LEAN_TAKEN: "accept attested, send-back failed, cancel CANCELLED",
    ASK_USER: "answer answer, cancel CANCELLED",
    ASK_TASKS: "accept accept-known-issues, send-back full|simplify-scope, retry retry, cancel CANCELLED",
    ASK_BUILD: "accept accept-known-issues, send-back guidance, retry different-approach, cancel CANCELLED",
    ASK_BUILD_ONLY:
      "accept accept-known-issues, send-back guidance, retry different-approach, cancel CANCELLED",
    ASK_CHANGED: "accept accept, retry review, cancel CANCELLED",
    BLOCKED: "retry resume, cancel cancel",
  },
  "orchestrated-task": {
    NOTES: "accept accept, send-back fix, cancel cancelled",
    FINDINGS: "accept accept-risk, send-back fix-now, cancel cancelled",
    EXHAUSTED: "accept accept-known-issues, send-back guidance, retry different-approach, cancel cancelled",
    CHANGED: "accept accept, retry review, cancel cancelled",
    ASK_USER: "answer answer, cancel cancelled",
    BLOCKED: "retry resume, cancel cancelled",
  },
  "design-approval": {
    APPROVE_DESIGN: "accept approved, send-back changes-requested/architecture|changes-requested/spec",
    BLOCKED: "retry resume, cancel cancel",
  },
};

function waitingIn({ definition: { states } }: Workflow): string[] {
  return Object.keys(states).filter((name) => states[name]?.waits === true);
}

function meaningsIn(workflow: Workflow, state: string): string {
  const run: Run = { ...NO_RUN, id: "r1", seq: 1, state };
  const said = VERBS.flatMap((verb) => {
    const { open, closed } = waysFor({ workflow, run }, verb);
    const names = [...new Set([...open, ...closed].map(({ name }) => name))];
    return names.length === 0 ? [] : [`${verb} ${names.toSorted().join("|")}`];
  });
  return said.join(", ");
}

test.for(Object.entries(TABLE))("%s: every waiting state x every verb", ([name, table]) => {
  const workflow = loadWorkflow(name);
  const found = Object.fromEntries(waitingIn(workflow).map((state) => [state, meaningsIn(workflow, state)]));
  expect(found).toEqual(table);
});

/** The same definition, with other names for the workflow and for the states of its file. */
function renamedWorkflow(name: string): {
  readonly workflow: Workflow;
  readonly own: (text: string) => string;
} {
  let file = "";
  const prompts: Record<string, string> = {};
  for (const [path, text] of Object.entries(renamed(name)))
    if (path.endsWith("/workflow.yaml")) file = text;
    else prompts[basename(path, ".md")] = text;
  return { workflow: fromText(file, prompts), own: (text) => text.replaceAll(/(?<![\w-])at-/g, "") };
}

test.for(Object.keys(TABLE))("%s: the same verbs where every state is called something else", (name) => {
  const { workflow, own } = renamedWorkflow(name);
  const found = waitingIn(workflow).map((state) => [own(state), inOrder(own(meaningsIn(workflow, state)))]);
  const expected = Object.entries(TABLE[name] ?? {}).map(([state, said]) => [state, inOrder(said)]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
});

/** Several ways of a verb are sorted by their names, which are others there. */
function inOrder(said: string): string {
  return said
    .split(", ")
    .map((each) => each.replace(/\S+$/, (ways) => ways.split("|").toSorted().join("|")))
    .join(", ");
}

test.for(IS_DEEP ? [...QUICK, ...LONG] : QUICK)(
  "%s: the same situations and steps where every state is called something else",
  { timeout: 1_800_000 },
  (name) => {
    const counted = (workflow: Workflow): readonly number[] => {
      const found = new Map<string, number>();
      const count = (what: string): void => void found.set(what, (found.get(what) ?? 0) + 1);
      const observer = { node: () => count("node"), edge: () => count("edge") };
      explore(workflow, { params: variantsOf(workflow), nodesMax: NODES_MAX, observer });
      return ["node", "edge"].map((what) => found.get(what) ?? 0);
    };
    const own = counted(loadWorkflow(name));
    expect(own[0]).toBeGreaterThan(10);
    expect(counted(renamedWorkflow(name).workflow)).toEqual(own);
  },
);

test.for(Object.keys(TABLE))("%s: check has no note", (name) => {
  expect(notesOn(loadWorkflow(name)).map(({ message }) => message)).toEqual([]);
});

/** How many situations of one state with one origin are tried. */
const SAMPLES = 30;

test.for(IS_DEEP ? [...QUICK, ...LONG] : QUICK)(
  "%s: in every situation some verb is open, and only routes need a choice",
  { timeout: 600_000 },
  (name) => {
    const workflow = loadWorkflow(name);
    const waiting = new Set(waitingIn(workflow));
    const tried = new Map<string, number>();
    const wrong = new Set<string>();
    const visit = (run: Run): void => {
      const key = `${run.state} from ${run.frames.at(-1)?.from ?? ""}`;
      const times = tried.get(key) ?? 0;
      if (!waiting.has(run.state) || times >= SAMPLES) return;
      tried.set(key, times + 1);
      const chosen = VERBS.map((verb) => chosenFrom(waysFor({ workflow, run }, verb).open));
      if (chosen.every(({ length }) => length === 0)) wrong.add(`${key}: no verb`);
      for (const ways of chosen)
        if (new Set(ways.map((way) => way.name.split("/")[0])).size > 1)
          wrong.add(`${key}: ${ways.map((way) => way.name).join(" and ")}`);
    };
    const observer = { node: (_node: number, run: Run): void => visit(run), edge: (): void => undefined };
    explore(workflow, { params: variantsOf(workflow), nodesMax: NODES_MAX, observer });
    expect([...wrong]).toEqual([]);
    expect(new Set([...tried.keys()].map((key) => key.split(" ")[0])).size).toBe(waiting.size);
  },
);
