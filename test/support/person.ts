/**
 * For tests in which somebody acts as a person through real processes: `test.runIf(isPerson)`.
 *
 * Whoever runs them from inside of a coding agent is no person, and Signalbox refuses them, as it should: so they are left out
 * there, by name. `test/setup/person.ts` says why.
 */
import { markIn } from "../../src/adapters/person/marks.ts";
import { lineageOf, PROCS } from "../../src/adapters/person/processes.ts";

/** Why whatever is started here is no person; undefined where it is one. */
export function whyNoPerson(): string | undefined {
  const mark = markIn(process.env);
  if (mark !== undefined) return `this environment carries ${mark}`;
  const { mark: above, gap } = lineageOf(PROCS);
  return above ?? gap;
}

export const isPerson = whyNoPerson() === undefined;
