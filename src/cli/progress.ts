/**
 * What is said while a long command is at work, beside its result: on a terminal one line that goes on, and is gone at the end;
 * elsewhere a line for each thing that begins.
 */

import type { Talk } from "../app/invocation.ts";
import type { Door } from "./command.ts";
import { harmless } from "./paint.ts";
import { thousands } from "./worst.ts";

type Progress = {
  /** This is being done now, instead of what was before it. */
  begin(what: string): void;
  /** Nothing is being done any more. */
  end(): void;
};

const TICK_MS = 1000;
const CLEAR = "\r\u001B[K";

function progressOf({ talk, env }: Pick<Door, "talk" | "env">): Progress {
  if (talk === undefined) return { begin: () => undefined, end: () => undefined };
  const columns = talk.columns();
  // Logs of a build server, and terminals that know no line, keep whatever was printed.
  if (columns === undefined || env["TERM"] === "dumb" || (env["CI"] ?? "") !== "")
    return { begin: (what) => talk.print(harmless(`  ${what}\n`)), end: () => undefined };
  return onOneLine(talk, columns);
}

/** For work that leaves no clock any time: it says itself how far it is. Nothing is said of work that is over at once. */
export function countingOf(
  door: Pick<Door, "talk" | "env">,
  // The first use of `performance` costs more than a small proof.
  now: () => number = () => process.uptime() * 1000,
): { readonly tell: (of: string, count: number) => void; readonly end: () => void } {
  const progress = progressOf(door);
  const isOnce = door.talk?.columns() === undefined;
  let toldAt = now();
  const told = new Set<string>();
  return {
    tell(of, count) {
      if (now() - toldAt < TICK_MS || (isOnce && told.has(of))) return;
      toldAt = now();
      told.add(of);
      progress.begin(`${of}: ${thousands(count)} situations so far`);
    },
    end: () => progress.end(),
  };
}

/** With how long it takes, so that people see that it is still at work. */
function onOneLine({ print }: Talk, columns: number): Progress {
  let timer: NodeJS.Timeout | undefined;
  // A line that is as wide as the terminal is broken by some.
  const show = (text: string): void =>
    print(`${CLEAR}${harmless(`  ${text}`).slice(0, Math.max(1, columns - 1))}`);
  return {
    begin(what) {
      clearInterval(timer);
      const since = performance.now();
      show(what);
      timer = setInterval(
        () => show(`${what}, ${Math.round((performance.now() - since) / 1000)} s`),
        TICK_MS,
      );
    },
    end() {
      clearInterval(timer);
      if (timer !== undefined) print(CLEAR);
    },
  };
}
