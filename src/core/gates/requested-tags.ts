/** Only people request tags: the parameters with tag names must not be set by agents. */

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

/** Why actors other than a person can set the parameter; undefined if none can. */
export function notAsked(
  { params, moves }: Pick<Definition, "params" | "moves">,
  name: string,
): string | undefined {
  const param = params[name];
  if (param === undefined) return undefined;
  if (param.type !== "text") return `${name} is not a text`;
  if (param.default !== "" || param.named !== undefined) return `${name} is set where no person asks for it`;
  const other = param.set.find((who) => who !== "human");
  if (other !== undefined) return `${other} may set ${name}`;
  return moves.some(({ set = {} }) => Object.hasOwn(set, name)) ? `a move sets ${name}` : undefined;
}
