/**
 * A store for one look at a run: a query that is asked again gets the answer that it got before. All parts of a view then agree, also
 * when an event arrives in between, and no event is read and parsed nine times.
 */

import type { Store } from "../../engine/ports/store.ts";

export function readOnce(store: Store | undefined): Store | undefined {
  if (store === undefined) return undefined;
  return {
    ...store,
    events: once((...of: Parameters<Store["events"]>) => store.events(...of)),
    boundWorkspace: once((...of: Parameters<Store["boundWorkspace"]>) => store.boundWorkspace(...of)),
    workspace: once((...of: Parameters<Store["workspace"]>) => store.workspace(...of)),
    line: once((...of: Parameters<Store["line"]>) => store.line(...of)),
    unattended: once((...of: Parameters<Store["unattended"]>) => store.unattended(...of)),
  };
}

function once<Values extends readonly unknown[], Answer>(
  ask: (...values: Values) => Promise<Answer>,
): (...values: Values) => Promise<Answer> {
  const known = new Map<string, Promise<Answer>>();
  return (...values) => {
    const key = JSON.stringify(values);
    const answer = known.get(key) ?? ask(...values);
    known.set(key, answer);
    return answer;
  };
}
