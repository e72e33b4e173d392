/** Small pieces of text that several views show, and what words of the engine are called here. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { RunSummary } from "../app/view/run-view.ts";

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** How long ago, in the largest unit; the exact local time as a tooltip. */
export function Age({ at }: { readonly at: string }): JSX.Element | null {
  const date = new Date(at);
  if (at === "" || Number.isNaN(date.getTime())) return null;
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {sayAge((Date.now() - date.getTime()) / 1000)}
    </time>
  );
}

/** The time of day, or the date of another day. */
export function Clock({ at }: { readonly at: string }): JSX.Element {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {isToday
        ? date.toLocaleTimeString([], {
            hour: "2-digit",
            minute: "2-digit",
            second: "2-digit",
            hourCycle: "h23",
          })
        : date.toLocaleDateString()}
    </time>
  );
}

function sayAge(seconds: number): string {
  for (const [unit, length] of UNITS) {
    const count = Math.floor(seconds / length);
    if (count > 0) return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
  }
  return "just now";
}

export function Lines({ of }: { readonly of: readonly string[] }): JSX.Element | null {
  return of.length === 0 ? null : <div class="text">{of.join("\n")}</div>;
}

/** A view, with its name in the title of the window. */
export function Main({
  title,
  class: name = "",
  children,
}: {
  readonly title: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  useEffect(() => {
    document.title = title === "" ? "Signalbox" : `${title} - Signalbox`;
  }, [title]);
  return (
    <main id="content" class={name} tabIndex={-1}>
      {children}
    </main>
  );
}

export function Loading(): JSX.Element {
  return (
    <Main title="">
      <p class="quiet">Loading ...</p>
    </Main>
  );
}

export function Refused({ message }: { readonly message: string }): JSX.Element {
  return (
    <Main title="Not found" class="plain">
      <h1>This cannot be shown</h1>
      <p>{message}</p>
      <p>
        <a href="#/">Back to the board</a>
      </p>
    </Main>
  );
}

type Tone = "yours" | "bad" | "good" | "machine" | "over";

/** Red is stuck, yellow is yours, green is done, and what a machine does is dim. */
export function toneOf({ waits, status, stuck }: Pick<RunSummary, "waits" | "status" | "stuck">): Tone {
  if (stuck) return "bad";
  if (waits.kind === "crashed" || waits.kind === "attention") return "bad";
  if (status === "failed" || status === "damaged") return "bad";
  if (waits.kind === "person" || waits.kind === "stopped") return "yours";
  if (status === "done") return "good";
  return waits.kind === "over" ? "over" : "machine";
}

export function titleOf({ summary, name }: Pick<RunSummary, "summary" | "name">): string {
  return summary === "" ? name : summary;
}

/** The phase or the state of a run. A number says nothing without its title. */
export function sayState({ phase, state, title }: Pick<RunSummary, "phase" | "state" | "title">): string {
  if (phase !== "") return phase;
  return /^\d/.test(state) && title !== "" ? `${state} ${title}` : state;
}

const STANDINGS: Readonly<Record<string, string>> = {
  pass: "passed",
  pass_with_notes: "passed with notes",
  needs_fix: "changes requested",
  needs_human: "needs a person",
  reject: "rejected",
};

const FAILING: ReadonlySet<string> = new Set(["needs_fix", "needs_human", "reject", "invalid"]);

/** The colour of a status. */
export function toneOfStanding(word: string, isGood: boolean): string {
  return isGood ? "ok" : FAILING.has(word) ? "wrong" : "";
}

export function sayStanding(word: string): string {
  return STANDINGS[word] ?? word;
}

export function sayReview(verdict: string, isEarlier: boolean): string {
  return isEarlier ? `earlier work: ${sayStanding(verdict)}` : sayStanding(verdict);
}

const PROCESSES: Readonly<Record<string, string>> = {
  running: "at work",
  idle: "between its turns",
  "not-started": "not started yet",
  "gone-with-the-machine": "gone with a restart of the machine",
};

export function sayProcess(word: string): string {
  return PROCESSES[word] ?? word;
}

export function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
