/** The same views as text at 80 and 120 columns, and as JSON: what is printed, and that it fits. */
import * as z from "zod/mini";
import { describe, expect, test } from "vitest";
import { ANSWERS } from "../../src/app/answers.ts";
import { INBOX, type InboxItem, type InboxPark } from "../../src/app/view/inbox-view.ts";
import { LIST, SHOW, type RunSummary } from "../../src/app/view/run-view.ts";
import { harmless, paintOf } from "../../src/cli/paint.ts";
import { sayNextSteps } from "../../src/cli/render/next.ts";
import { sayBoard } from "../../src/cli/commands/look/watch.ts";
import type { BoardView } from "../../src/app/board/row.ts";
import { sayInbox } from "../../src/cli/render/inbox.ts";
import { sayRuns } from "../../src/cli/render/list.ts";
import { sayRun } from "../../src/cli/render/run.ts";
import { NOW } from "./run-view-parts.ts";
import { itemOf, VIEWS } from "./run-views.ts";
import { row } from "./watch-rows.ts";

const paint = paintOf(false);
const WIDTHS = [80, 120] as const;
const LINES_MAX = 24;

function boardOf(view: (typeof VIEWS)[string]): BoardView {
  const { group: _g, kind: _k, since: _s, reason: _r, ...item } = itemOf(view, "other", "waiting");
  const { decision: _d, question: _q, findings: _f, actions: _a, ...summary } = item;
  return { rows: [row(view.run, { ...summary, tasks: null })], more: 0, projects: [] };
}

describe.for(Object.entries(VIEWS))("%s", ([, view]) => {
  test.for(WIDTHS)("show at %i columns", (width) => {
    const text = sayRun(view, { verbose: false, paint, now: NOW, cwd: "/home/ada/shop", width });
    expect(text).toMatchSnapshot("show");
    // Commands are for copying and stay whole.
    const long = text.split("\n").filter((line) => line.length > width && !/signalbox|git /.test(line));
    expect(long).toEqual([]);
    // The last line of the screen is for the next command.
    expect(text.split("\n").length).toBeLessThanOrEqual(LINES_MAX);
  });

  test.for(WIDTHS)("show at %i columns names its workspace, as without a terminal", (width) => {
    const how = { verbose: false, paint, now: NOW, cwd: "/home/ada/shop" };
    const rowsOf = (text: string): string => (/^workspace .*/m.exec(text)?.[0] ?? "").replace(/ +/, " ");
    expect(rowsOf(sayRun(view, { ...how, width }))).toEqual(
      rowsOf(sayRun(view, { ...how, width: undefined })),
    );
  });

  test.for(WIDTHS)("next at %i columns", (width) => {
    const { run, state, status, waits, moves, artifacts, actions, others, closed, decision, question } = view;
    const own = { run, state, status, waits, moves, artifacts, actions, others, closed, decision, question };
    const next = actions[0]?.command ?? "";
    const how = { paint, cwd: "/home/ada/shop", width, all: false, next };
    const text = sayNextSteps({ ...own, for: "human", missing: [] }, how);
    expect(text).toMatchSnapshot("next");
    // A verb applies wherever the run waits for a person: moves are one command away.
    expect(text).not.toContain("signalbox move");
  });

  test("the board has the same words", () => {
    const text = sayBoard(boardOf(view), { paint, now: NOW, width: 120 });
    expect(text).toContain(view.waits.short);
    expect(text.split("\n").filter((line) => line.length > 120)).toEqual([]);
  });

  test("JSON is as published", () => {
    expect(z.strictObject(SHOW).safeParse(view).error).toBeUndefined();
    const printed = { ok: true, code: "ok", message: "", next: "", ...view };
    expect(ANSWERS["show"]?.safeParse(printed).success).toBe(true);
  });
});

test("there is a view of each kind of wait", () => {
  const kinds = SHOW.waits.shape.kind.options;
  expect([...new Set(Object.values(VIEWS).map(({ waits }) => waits.kind))].toSorted()).toEqual(
    kinds.toSorted(),
  );
});

const viewOf = (name: string): (typeof VIEWS)[string] => {
  const view = VIEWS[name];
  if (view === undefined) throw new Error(`there is no view ${name}`);
  return view;
};

const ITEMS: readonly InboxItem[] = [
  itemOf(viewOf("a question of orchestrated"), "question", "question"),
  itemOf(viewOf("a task that waits for review"), "review", "waiting"),
  itemOf(viewOf("stuck after reviews"), "stuck", "waiting"),
  { ...itemOf(viewOf("crashed"), "stuck", "crashed"), repo: "/home/ada/bakery", project: "bakery" },
];

const RETRY = { command: "signalbox retry k3d9m2xp", verb: "retry" } as const;
const PARKS: readonly InboxPark[] = [
  {
    class: "quota",
    harness: "codex",
    message: "You have hit your usage limit.",
    until: "2026-01-31T19:00:00.000Z",
    next: "",
    sentence: "Parked until 19:00: You have hit your usage limit.",
    runs: [
      { run: "k3d9m2xp", summary: "Say hello" },
      { run: "v7h9zk42", summary: "Name every shop in the list of the shops that ship to other countries" },
    ],
    actions: [{ ...RETRY, sentence: "try codex again, for all its runs, before its time" }],
  },
];

describe("inbox", () => {
  test.for(WIDTHS)("at %i columns", (width) => {
    const how = { paint, cwd: "/home/ada/shop", width, verbose: false, now: NOW };
    expect(sayInbox({ items: ITEMS, parks: PARKS }, how)).toMatchSnapshot();
  });

  test("what can be typed about several runs is said once", () => {
    const review = itemOf(viewOf("a task that waits for review"), "review", "waiting");
    const nine = Array.from({ length: 9 }, (_, at) => ({
      ...review,
      run: `k3d9m2x${at}`,
      branch: `branch-${at}`,
      actions: review.actions.map((action) => ({
        ...action,
        command: action.command.replaceAll(review.run, `k3d9m2x${at}`),
        sentence: action.sentence.replaceAll(review.branch, `branch-${at}`),
        // As programs call it: with the run and the number of its state.
        call: { use: "accept", input: { run: `k3d9m2x${at}`, entry: at }, words: "optional" } as const,
      })),
    }));
    const how = { paint, cwd: "/home/ada/shop", width: 80, verbose: false, now: NOW };
    expect(sayInbox({ items: nine, parks: [] }, how)).toMatchSnapshot();
  });

  test("JSON is as published", () => {
    expect(z.strictObject(INBOX).safeParse({ items: ITEMS, parks: PARKS }).error).toBeUndefined();
  });
});

describe("list", () => {
  const runs: readonly RunSummary[] = Object.values(VIEWS).map((view) => {
    const {
      group: _group,
      kind: _kind,
      since: _since,
      reason: _reason,
      ...rest
    } = itemOf(view, "other", "waiting");
    const {
      decision: _decision,
      question: _question,
      findings: _findings,
      actions: _actions,
      ...summary
    } = rest;
    return { ...summary, tasks: null, used: view.used };
  });

  test.for(WIDTHS)("at %i columns", (width) => {
    const text = sayRuns(runs, { paint, width, now: NOW });
    expect(text).toMatchSnapshot();
    expect(text.split("\n").filter((line) => line.length > width)).toEqual([]);
  });

  test("JSON is as published", () => {
    expect(z.strictObject(LIST).safeParse({ runs, more: 0 }).error).toBeUndefined();
  });
});

test("colour says what a run needs", () => {
  const painted = sayRuns(
    ["crashed", "stuck after reviews", "a task that waits for review", "done", "stages"].map((name) => {
      const {
        decision: _d,
        question: _q,
        findings: _f,
        actions: _a,
        ...item
      } = itemOf(viewOf(name), "other", "waiting");
      const { group: _g, kind: _k, since: _s, reason: _r, ...summary } = item;
      return { ...summary, tasks: null, used: viewOf(name).used };
    }),
    { paint: paintOf(true), width: 120, now: NOW },
  );
  const [, ...lines] = harmless(painted).trimEnd().split("\n");
  // oxlint-disable-next-line no-control-regex
  expect(lines.map((line) => /\u001B\[(\d+)m/.exec(line)?.[1])).toEqual(["31", "31", "33", "32", "2"]);
});
