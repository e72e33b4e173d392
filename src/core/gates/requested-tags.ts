/** Tags are for people to ask for: their names stand in parameters that nobody else fills in. */

import type { Action, Definition } from "../model/workflow.ts";

/** Parameters that name a tag. */
export function tagsIn(definition: Pick<Definition, "states" | "moves" | "ends">): readonly string[] {
  const { states, moves, ends } = definition;
  const actions: readonly Action[] = [
    ...Object.values(states).flatMap(({ enter }) => enter),
    ...moves.flatMap((move) => move.do),
    ...ends.flatMap((end) => [...end.then, ...end.do]),
  ];
  return actions.flatMap((action) =>
    action.type === "perform" && action.as !== undefined ? [action.as] : [],
  );
}

/** Why a parameter is not a person's alone; undefined where it is. */
export function notAsked(
  { params, moves }: Pick<Definition, "params" | "moves">,
  name: string,
): string | undefined {
  const param = params[name];
  if (param === undefined) return undefined;
  if (param.type !== "text") return `${name} is no text`;
  if (param.default !== "" || param.named !== undefined) return `${name} is filled in where nobody asks`;
  const other = param.set.find((who) => who !== "human");
  if (other !== undefined) return `${other} may set ${name}`;
  return moves.some(({ set = {} }) => Object.hasOwn(set, name)) ? `a move sets ${name}` : undefined;
}
