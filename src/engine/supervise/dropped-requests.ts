/** Requests for permission that no process waits for any more. */

import { isSameAttempt } from "../../core/model/run.ts";
import type { Works } from "../box.ts";
import type { JobRow } from "../ports/registry.ts";
import { submit } from "../submit/submit.ts";

/** After the end of a turn. Without it, a person would be asked about what nobody waits for. */
export async function dropRequests(works: Works, job: JobRow): Promise<void> {
  const { run, role, slot, attempt } = job;
  const kept = await works.store.load(run);
  if (kept?.run.permissions?.some((each) => isSameAttempt(each, job)) !== true) return;
  await submit(works, {
    run,
    by: { type: "engine" },
    facts: {},
    event: ({ at }) => ({ type: "permissions-dropped", at, role, slot, attempt }),
  });
}
