/** Where people set parameters: every place means one of them, and none lies inside of another. */

import { isKept, settingOf } from "../../../core/model/param.ts";
import { report, type Context, type Path } from "./context.ts";
import type { Params } from "./params.ts";

export function checkSettings(context: Context, params: Params): void {
  const known: { readonly name: string; readonly keys: readonly string[] }[] = [];
  for (const [name, param] of Object.entries(params)) {
    const path: Path = ["params", name];
    if (context.isTroubled(path) || isKept(param)) continue;
    const keys = settingOf(name, param);
    const other = known.find((one) => isWithin(one.keys, keys) || isWithin(keys, one.keys));
    known.push({ name, keys });
    if (other === undefined) continue;
    const at = param.setting === undefined ? context.keyPlaceOf(path) : context.placeOf([...path, "setting"]);
    report(context, at, { code: "bad-param", message: sayTaken(other, { name, keys }) });
  }
}

type Known = { readonly name: string; readonly keys: readonly string[] };

function sayTaken(other: Known, own: Known): string {
  const [theirs, mine] = [other.keys.join("."), own.keys.join(".")];
  if (theirs === mine)
    return `${own.name} and ${other.name} are both set by ${mine}: each needs a place of its own`;
  return `${own.name} is set by ${mine}, and ${other.name} by ${theirs}: a value cannot stand where there are keys below it`;
}

function isWithin(outer: readonly string[], inner: readonly string[]): boolean {
  return outer.every((key, index) => inner[index] === key);
}
