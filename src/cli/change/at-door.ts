/** What is refused to whoever came through a door: they are told of doors, and not of the moves behind them. */

import { UserError } from "../../adapters/user-error.ts";
import type { Doing } from "../../app/change/doors.ts";

export function atDoor(
  { code, message, next, exit, at }: UserError,
  doing: Doing,
  { change, move }: { readonly change: string; readonly move: string },
): UserError {
  const door = `signalbox ${doing} ${change}`;
  const where = { exit, ...(at === undefined ? {} : { at }) };
  if (doing === "reopen" && code === "unchanged")
    return new UserError("not-edited", `${change} was rejected, and nothing of it was edited since`, {
      ...where,
      next: `edit what is in changes/${change}, then: ${door}`,
    });
  return new UserError(code, message, { ...where, next: next.replace(`signalbox move ${move}`, door) });
}
