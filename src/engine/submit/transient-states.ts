/** States in which no run ever stays: whatever it is asked there, the engine knows the answer when it comes in. */

import type { Workflow } from "../../core/model/compile.ts";
import { ORIGIN, type Action, type Move } from "../../core/model/workflow.ts";

/** Nobody is waited for: nothing is asked, nothing was begun, and every way on is the engine's and reads what is there already. */
export function isPassed({ definition, movesFrom }: Workflow, name: string): boolean {
  const { states, moves } = definition;
  const state = states[name];
  if (state === undefined || state.ask !== undefined || state.waits || state.enter.length > 0) return false;
  const ways = movesFrom[name] ?? [];
  const begins = moves.some(
    ({ to, do: actions }) => (to === name || to === ORIGIN) && actions.some(isBeginning),
  );
  return (
    !begins && ways.length > 0 && ways.every((way) => isEngineAlone(way) && !isWatching(definition, way))
  );
}

function isEngineAlone({ by }: Move): boolean {
  return by.every((who) => who === "engine");
}

/** Only what the engine itself comes to see can happen without anybody being there. */
function isWatching({ artifacts }: Workflow["definition"], { when, need }: Move): boolean {
  const named = [
    ...need,
    ...when.flatMap((condition) => ("artifact" in condition ? [condition.artifact] : [])),
  ];
  return named.some((artifact) => artifacts[artifact]?.by.includes("engine") === true);
}

function isBeginning({ type }: Action): boolean {
  switch (type) {
    case "start":
    case "start-each":
    case "start-tasks":
    case "start-next":
    case "tell":
    case "run":
    case "perform":
      return true;
    case "stop":
    case "stop-all":
    case "mark":
    case "release":
    case "archive":
      return false;
  }
}
