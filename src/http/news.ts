/**
 * News for open pages, as server-sent events: which runs have changed, and whether a session may decide.
 *
 * One look at the store serves all pages, and none happens while no page is open. A page that reads slowly gets several changes as one.
 */

import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import type { Invocation } from "../app/invocation.ts";
import { newsOf } from "../app/page/host.ts";
import type { PageSession, Sessions } from "./sessions.ts";

const LOOK_MS = 100;
const BEAT_MS = 15_000;
/** A browser has few open at a time: its hidden pages close theirs. */
const STREAMS_MAX = 60;

type OpenStream = {
  readonly session: PageSession;
  /** Runs that have changed and that the page was not told of yet. */
  readonly changed: Set<string>;
  /** The last rights that the page was told of, as JSON. */
  rights: string;
  /** Something is to be told. */
  ring: () => void;
};

export type SharedNews = {
  readonly streams: Set<OpenStream>;
  readonly sessions: Sessions;
  readonly canDecide: boolean;
  readonly signal: AbortSignal;
};

export function sharedNews(on: {
  readonly door: Invocation;
  readonly sessions: Sessions;
  readonly canDecide: boolean;
  readonly signal: AbortSignal;
}): SharedNews {
  const { door, sessions, canDecide, signal } = on;
  const shared: SharedNews = { streams: new Set(), sessions, canDecide, signal };
  const news = newsOf(door);
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (shared.streams.size === 0 || isLooking) return;
    isLooking = true;
    try {
      const runs = await news.changed();
      for (const stream of shared.streams) {
        for (const run of runs) stream.changed.add(run);
        if (runs.length > 0 || stream.rights !== rightsOf(shared, stream.session)) stream.ring();
      }
    } catch (error) {
      process.stderr.write(`signalbox serve: ${String(error)}\n`);
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    void news.close();
  });
  return shared;
}

/** What the page shows about its own rights, as JSON; empty where the session is over. */
function rightsOf({ sessions, canDecide }: SharedNews, session: PageSession): string {
  if (!sessions.isOpen(session)) return "";
  const mayDecide = sessions.mayDecide(session);
  return JSON.stringify({
    mayDecide,
    canDecide,
    ...(mayDecide || !canDecide ? {} : { code: sessions.code(session) }),
  });
}

export function streamNews(context: Context, shared: SharedNews, session: PageSession): Response {
  const { streams, signal } = shared;
  if (streams.size >= STREAMS_MAX)
    return context.json({ code: "too-many", message: "Too many pages are open." }, 503);
  return streamSSE(context, async (stream) => {
    const own: OpenStream = { session, changed: new Set(), rights: "", ring: () => undefined };
    const over = new AbortController();
    const end = (): void => {
      over.abort();
      own.ring();
    };
    streams.add(own);
    stream.onAbort(end);
    signal.addEventListener("abort", end, { once: true });
    try {
      while (!over.signal.aborted) {
        const rung = Promise.withResolvers<boolean>();
        const beat = setTimeout(() => rung.resolve(false), BEAT_MS);
        own.ring = () => rung.resolve(true);
        const rights = rightsOf(shared, session);
        if (rights === "") return;
        if (rights !== own.rights) {
          own.rights = rights;
          await stream.writeSSE({ event: "rights", data: rights });
        }
        if (own.changed.size > 0) {
          const runs = [...own.changed];
          own.changed.clear();
          await stream.writeSSE({ event: "runs", data: JSON.stringify(runs) });
        }
        if (own.changed.size > 0) rung.resolve(true);
        const wasRung = await rung.promise;
        clearTimeout(beat);
        if (!wasRung) await stream.writeSSE({ event: "beat", data: "" });
      }
    } finally {
      streams.delete(own);
      signal.removeEventListener("abort", end);
    }
  });
}
