/** What all runs do: the board as it is now, and then each row that changes. It only looks. */

import { setTimeout as pause } from "node:timers/promises";
import type { Looking } from "../declare.ts";
import { EXIT_INTERRUPTED, EXIT_TERMINATED } from "../exit-codes.ts";
import { success, type Emit, type Outcome } from "../outcome.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { sayClock } from "../view/words.ts";
import {
  isOver,
  nameOf,
  needsPerson,
  roundWord,
  sayPhase,
  workWords,
  type BoardRow,
  type BoardView,
} from "./row.ts";
import { scopeOf } from "../setup/project-named.ts";
import { sourceOf, type Source } from "./source.ts";

const POLL_MS = 250;
const LOOK_MS = 2000;
/** How long the first look at the work may take where the board is wanted once. */
const WORK_MS = 5000;

type RowData = DataOf<"watch">["rows"][number];
type Change = "there" | "changed" | "gone";

/** With `once` the work in all rows is looked at first, and nothing follows. */
export async function watch(
  { door, store }: Looking,
  input: InputOf<"watch">,
): Promise<Outcome<DataOf<"watch">>> {
  const wanted = { repo: await scopeOf(store, input, door), over: input.all === true };
  const { promise: isKnown, resolve } = Promise.withResolvers<void>();
  const source = sourceOf({ door, onWork: () => undefined, onRest: resolve });
  const look = async (): Promise<BoardView> => {
    const board = await source.look(wanted);
    source.want(board.rows);
    return board;
  };
  try {
    const first = await look();
    if (input.once !== true)
      return { ...outcomeOf(first), stream: (emit, signal) => changes({ source, look, emit }, signal) };
    await Promise.race([isKnown, pause(WORK_MS, undefined, { ref: false })]);
    return outcomeOf(await look());
  } finally {
    if (input.once === true) await source.close();
  }
}

function outcomeOf({ rows, more, projects }: BoardView): Outcome<DataOf<"watch">> {
  const waiting = rows.filter(needsPerson).length;
  return success(
    `${rows.length} ${rows.length === 1 ? "run" : "runs"}, ${waiting} ${waiting === 1 ? "waits" : "wait"} for you`,
    { rows: rows.map(rowData), more, projects, waiting },
    { next: waiting > 0 ? "signalbox inbox" : "signalbox watch" },
  );
}

type Changing = {
  readonly source: Source;
  readonly look: () => Promise<BoardView>;
  readonly emit: Emit;
};

/** Programs get the rows of the first look marked as such; people have seen them in the table. */
async function changes({ source, look, emit }: Changing, signal: AbortSignal): Promise<number> {
  let before = new Map<string, BoardRow>();
  let isFirst = true;
  const tell = (row: BoardRow, change: Change): void => {
    const at = new Date().toISOString();
    const text = isFirst ? "" : `${sayClock(at)}  ${sayRow(row, change)}\n`;
    emit({ text, data: { at, change, ...rowData(row) } });
  };
  try {
    while (!signal.aborted) {
      const after = new Map((await look()).rows.map((row) => [row.run, row]));
      for (const [run, row] of after) {
        const known = before.get(run);
        if (known === undefined) tell(row, "there");
        else if (JSON.stringify(known) !== JSON.stringify(row)) tell(row, "changed");
      }
      for (const [run, row] of before) if (!after.has(run)) tell(row, "gone");
      before = after;
      isFirst = false;
      await waitFor(source, signal);
    }
  } finally {
    await source.close();
  }
  return signal.reason === "SIGTERM" ? EXIT_TERMINATED : EXIT_INTERRUPTED;
}

/** One row on one line, with what it waits for in full. */
function sayRow(row: BoardRow, change: Change): string {
  const words = [
    row.run,
    nameOf(row),
    change === "gone" ? "gone" : row.state,
    change === "gone" ? "" : sayPhase(row),
    row.session === "none" ? "" : `session ${row.session}`,
    row.round === null || row.round.value === 0 ? "" : `round ${roundWord(row)}`,
    workWords(row) === "?" ? "" : workWords(row),
    row.waits.sentence,
  ];
  return words.filter((word) => word !== "").join("  ");
}

/** A row for programs: without what the keys of the screen need. */
function rowData(of: BoardRow): RowData {
  const { acts: _acts, answerTo: _answerTo, asked: _asked, ...row } = of;
  return { ...row, over: isOver(row), person: needsPerson(row) };
}

/** Until somebody has written, or it is time to look at processes and at the work. */
async function waitFor(source: Source, signal: AbortSignal): Promise<void> {
  const until = performance.now() + LOOK_MS;
  while (!signal.aborted && performance.now() < until) {
    await pause(POLL_MS, undefined, { signal }).catch(ignoreAbort);
    if (await source.isChanged()) return;
  }
  if (!signal.aborted) await source.seeToIt();
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === "AbortError")) throw error;
}
