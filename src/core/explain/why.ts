/** For every move out of the current state: whether it is open, and the smallest change that would open it. */

import type { Workflow } from "../model/compile.ts";
import { targetOf, unmet, type Unmet } from "../gates/gate.ts";
import type { Run } from "../model/run.ts";

export type Why = {
  readonly to: string;
  readonly by: readonly string[];
  readonly answer?: string;
  readonly open: boolean;
  readonly reasons: readonly Unmet[];
  /** One sentence: what to do. */
  readonly smallest: string;
};

export function why(workflow: Workflow, run: Run): Why[] {
  return (workflow.movesFrom[run.state] ?? []).map((move) => {
    // Resources are reserved when the move is requested, so they are not a reason here.
    const reasons = unmet({ workflow, run, reserved: move.reserve }, move);
    const who = move.by.map((name) => (name === "human" ? "a person" : name)).join(" or ");
    const to = targetOf(run, move);
    const how = move.answer === undefined ? `${who} asks for ${to}` : `a person answers ${move.answer}`;
    return {
      to,
      by: move.by,
      ...(move.answer === undefined ? {} : { answer: move.answer }),
      open: reasons.length === 0,
      reasons,
      smallest:
        reasons.length === 0
          ? move.by.includes("engine")
            ? "nothing: it happens by itself"
            : how
          : reasons.map((reason) => reason.mend).join("; then "),
    };
  });
}
