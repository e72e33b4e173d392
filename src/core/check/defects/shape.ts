/** Defects of the map that need no exploration. */

import type { Workflow } from "../../model/compile.ts";
import { ORIGIN, START, type Move } from "../../model/workflow.ts";
import { topOf, type Defect } from "../defect.ts";

export function checkShape(workflow: Workflow): Defect[] {
  const { states, moves } = workflow.definition;
  const at = topOf(workflow);
  const trace: string[] = [];
  const defects: Defect[] = [];
  if (!moves.some((move) => move.from === START)) {
    defects.push({
      code: "no-start",
      at,
      message: `no move leads from "${START}": a run could never begin`,
      trace,
    });
  }
  if (!Object.values(states).some((state) => state.final !== undefined)) {
    defects.push({ code: "no-final", at, message: "no state is final: a run could never end", trace });
  }
  for (const move of moves) {
    if (states[move.from]?.final !== undefined) {
      const message = `${move.from} is final: nothing leads out of it`;
      defects.push({ code: "move-out-of-final", at: move.at, message, trace });
    }
    if (move.to === ORIGIN && !isRemembered(moves, move)) {
      const message = `no move into ${move.from} says "remember", so no origin is known to go back to`;
      defects.push({ code: "never-possible", at: move.at, message, trace });
    }
  }
  return defects;
}

export function isRemembered(moves: readonly Move[], back: Move): boolean {
  return moves.some((move) => move.to === back.from && move.remember);
}
