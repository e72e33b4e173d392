/** An option that is a whole number. */

import { badUsage } from "../app/failure.ts";
import type { Given } from "../app/invocation.ts";

export function numberOption(
  { options }: Given,
  name: string,
  on: { readonly otherwise: number; readonly min: number; readonly max: number; readonly help: string },
): number {
  const text = options[name];
  if (text === undefined) return on.otherwise;
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value >= on.min && value <= on.max) return value;
  throw badUsage(`--${name} is a whole number from ${on.min} to ${on.max}, not "${text}"`, on.help);
}
