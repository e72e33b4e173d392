/** Rows of a board, the screen that shows them, and keys. */

import type { Act, BoardRow, BoardView } from "../../src/app/board/row.ts";
import { begin, type Model, type News, type Next } from "../../src/cli/watch/model.ts";
import { update } from "../../src/cli/watch/update.ts";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const NEVER = "not now";
const ACTS: Readonly<Record<Act, string>> = {
  start: NEVER,
  attach: NEVER,
  respawn: NEVER,
  resume: NEVER,
  view: "",
  changes: NEVER,
  answer: NEVER,
  merge: NEVER,
  cancel: "",
  delete: NEVER,
};

export const WAIT: BoardRow["waits"] = {
  kind: "agent",
  short: "worker",
  sentence: "Waits for the worker.",
  since: "2026-01-01T11:56:00Z",
};

type Some = Partial<Omit<BoardRow, "acts">> & { readonly acts?: Partial<Record<Act, string>> };

export function row(run: string, more: Some = {}): BoardRow {
  const { acts, ...rest } = more;
  return {
    run,
    workflow: "task",
    project: "shop",
    repo: "/shop",
    branch: `branch-${run}`,
    summary: `What ${run} is about`,
    state: "working",
    phase: "",
    gate: "",
    status: "running",
    session: "alive",
    round: { value: 1, max: 2 },
    work: { ahead: 3, added: 120, removed: 4 },
    waits: WAIT,
    name: `branch-${run}`,
    title: "",
    halted: false,
    stuck: false,
    queued: false,
    attention: "",
    parked: null,
    tasks: null,
    startedAt: "2026-01-01T10:00:00Z",
    updatedAt: "2026-01-01T11:56:00Z",
    answerTo: "",
    asked: [],
    ...rest,
    acts: { ...ACTS, ...acts },
  };
}

export function board(...rows: BoardRow[]): BoardView {
  return { rows, more: 0, projects: [{ project: "shop", repo: "/shop", atWork: 1, agents: 4 }] };
}

export function model(rows: readonly BoardRow[], more: Partial<Model> = {}): Model {
  const empty = begin({ size: { columns: 80, lines: 24 }, filter: "all", project: "", now: NOW });
  return update({ ...empty, ...more }, { type: "board", board: board(...rows) }).model;
}

/** Typed as somebody would, one key after the other; words in brackets are keys with names. */
export function typed(from: Model, keys: string): Next {
  const pressed: News[] = [...keys.matchAll(/\[([a-z-]+)\]|(.)/gu)].map(([, name, sign = ""]) =>
    name === undefined ? { type: "text", text: sign, pasted: false } : { type: "key", name },
  );
  let effects: Next["effects"] = [];
  let now = from;
  for (const key of pressed) ({ model: now, effects } = update(now, key));
  return { model: now, effects };
}
