/** All runs by what they wait for. What waits for a person comes first, with the reason. */

import type { JSX } from "preact";
import type { RunSummary } from "../app/view/run-view.ts";
import type { Rights } from "./api.ts";
import { CreateForm } from "./create.tsx";
import { Age, Main, sayState, titleOf, toneOf } from "./words.tsx";

const ENDED_MAX = 30;

type BoardColumn = { readonly name: string; readonly kinds: readonly string[]; readonly about: string };

const COLUMNS: readonly BoardColumn[] = [
  {
    name: "Waiting for you",
    kinds: ["person", "stuck", "crashed", "attention", "stopped"],
    about: "Nothing waits for you.",
  },
  { name: "At work", kinds: ["agent", "check", "child"], about: "No agent is at work." },
  { name: "Queued or parked", kinds: ["queue", "parked"], about: "Nothing is queued or parked." },
  { name: "Ended", kinds: ["over"], about: "Nothing has ended yet." },
];

/** Whether a person has to act before the run goes on. */
export function isYours({ waits }: RunSummary): boolean {
  return COLUMNS[0]?.kinds.includes(waits.kind) === true;
}

type BoardProps = { readonly runs: readonly RunSummary[]; readonly own: Rights };

export function Board({ runs, own }: BoardProps): JSX.Element {
  return (
    <Main title="">
      <div class="bar">
        <h1>Board</h1>
        <CreateForm own={own} isFirst={runs.length === 0} />
      </div>
      {runs.length === 0 ? <NoRuns /> : null}
      <div class="board">
        {COLUMNS.map((column) => (
          <Column key={column.name} column={column} runs={runs} />
        ))}
      </div>
    </Main>
  );
}

function NoRuns(): JSX.Element {
  return (
    <p class="welcome">
      There are no runs yet. Create one here, or type <code>signalbox create "what is to be done"</code> in
      your repository. This page shows it at once.
    </p>
  );
}

function Column({
  column: { name, kinds, about },
  runs,
}: {
  readonly column: BoardColumn;
  readonly runs: readonly RunSummary[];
}): JSX.Element {
  const own = runs.filter(({ waits }) => kinds.includes(waits.kind));
  const shown = name === "Ended" ? own.toSorted(lastFirst).slice(0, ENDED_MAX) : own;
  return (
    <section aria-label={name}>
      <h2>
        {name} <span class="count">{own.length}</span>
      </h2>
      {own.length === 0 ? <p class="quiet">{about}</p> : null}
      {shown.map((run) => (
        <Card key={run.run} run={run} />
      ))}
      {own.length > shown.length ? <p class="quiet">and {own.length - shown.length} more</p> : null}
    </section>
  );
}

function lastFirst(a: RunSummary, b: RunSummary): number {
  return b.updatedAt.localeCompare(a.updatedAt);
}

function Card({ run }: { readonly run: RunSummary }): JSX.Element {
  return (
    <a class={`card ${toneOf(run)}`} href={`#/run/${run.run}`}>
      <strong>{titleOf(run)}</strong>
      <span>{run.waits.sentence}</span>
      <small>
        {sayState(run)} · {run.project} · <Age at={run.waits.since} />
      </small>
    </a>
  );
}
