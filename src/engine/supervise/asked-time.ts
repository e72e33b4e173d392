/**
 * How long a person was asked while the process of an agent waited: that time counts for none of its limits.
 *
 * Read from the journal only where a limit seems to be reached, which is seldom.
 */

import { isSameAttempt } from "../../core/model/run.ts";
import type { Store } from "../ports/store.ts";
import type { JobRow } from "../ports/registry.ts";

export type AskedTime = {
  /** A person is asked now. */
  readonly isOpen: boolean;
  readonly ms: number;
  /** When the last request was answered; 0 without one. */
  readonly until: number;
};

/** So many events are read at a time, backwards. */
const STRETCH = 256;

export async function askedTime(store: Pick<Store, "load" | "events">, job: JobRow): Promise<AskedTime> {
  const kept = await store.load(job.run);
  const isOpen = kept?.run.permissions?.some((each) => isSameAttempt(each, job)) === true;
  if (kept === undefined || isOpen) return { isOpen, ms: 0, until: 0 };
  const spans: AskedSpan[] = [];
  const closed = new Map<string, number>();
  for (let end = kept.run.seq; end > 0; end -= STRETCH) {
    const from = Math.max(1, end - STRETCH + 1);
    const events = (await store.events(job.run, from, end - from + 1)).toReversed();
    for (const { event, at } of events) {
      if (event.type === "permission-closed") closed.set(event.id, Date.parse(at));
      if (event.type !== "permission-asked" || event.by.type !== "agent") continue;
      const until = closed.get(event.id);
      if (until !== undefined && isSameAttempt(event.by, job)) spans.push({ from: Date.parse(at), until });
    }
    const first = events.at(-1);
    if (first === undefined || Date.parse(first.at) < job.startedAt) break;
  }
  return { isOpen, ...together(spans.filter(({ until }) => until > job.startedAt)) };
}

type AskedSpan = { readonly from: number; readonly until: number };

/** A program may ask for several things at once. */
function together(spans: readonly AskedSpan[]): Pick<AskedTime, "ms" | "until"> {
  let ms = 0;
  let until = 0;
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    ms += Math.max(0, span.until - Math.max(span.from, until));
    until = Math.max(until, span.until);
  }
  return { ms, until };
}
