/**
 * What stands where an artifact is expected and is no file that could be read: a folder, a link, too much.
 *
 * The run knows its files as they were when something last happened to it. That nothing was there is an old story where something
 * is in the way by now, and whoever types the move is told so: whoever looks is told the same.
 */

import { refusedIn } from "../../../adapters/files/artifacts/unreadable.ts";
import type { HeldReading } from "../../../core/model/run.ts";
import { slotKey } from "../../../core/model/run.ts";
import { isFinished, type Seen } from "../../runs/find.ts";

/** The same run, in which what is absent has the reason that it has now. Nothing else is looked at again. */
export function withWhatIsInTheWay(seen: Seen): Seen {
  const { run, workflow, root, row } = seen;
  if (isFinished(row)) return seen;
  const absent = refusedIn({ root, run, workflow }).flatMap((reading): [string, HeldReading][] => {
    const key = slotKey(reading.artifact, reading.slot);
    const known = run.held[key];
    return known?.reading.found === true ? [] : [[key, { by: "", tree: "", inputs: {}, ...known, reading }]];
  });
  if (absent.length === 0) return seen;
  return { ...seen, run: { ...run, held: { ...run.held, ...Object.fromEntries(absent) } } };
}
