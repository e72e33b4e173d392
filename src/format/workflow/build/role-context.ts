/** What a role must read before it begins, and what it may: as with keys of shapes, a name that ends in `?` may be missing. */

import type { Role, Definition } from "../../../core/model/workflow.ts";
import { listOf, requireName, type Context, type Path, report } from "./context.ts";
import type { Build } from "./builder.ts";
import { isKept, settingOf } from "../../../core/model/param.ts";
import type { Params } from "./params.ts";
import { notAsked } from "../../../core/gates/requested-tags.ts";

export function buildRoleContext(
  context: Context,
  named: string | readonly string[] | undefined,
  path: Path,
): Pick<Role, "context" | "optional"> {
  const names = listOf<string>(named);
  names.forEach((name, index) =>
    requireName(context, {
      kind: "artifact",
      name: bare(name),
      known: context.names.artifacts,
      path: typeof named === "string" ? path : [...path, index],
    }),
  );
  // What is named both ways is needed: whoever mends must read what is wrong, whatever its role says.
  const once = names.filter((name) => name === bare(name) || !names.includes(bare(name)));
  const optional = once.filter((name) => name !== bare(name)).map(bare);
  return { context: once.map(bare), ...(optional.length === 0 ? {} : { optional }) };
}

function bare(name: string): string {
  return name.endsWith("?") ? name.slice(0, -1) : name;
}

/** Where a run works: in a private clone, or in the user's checkout. One workflow does one of the two. */
/** Deeds that need a branch of the run's own. In place, the branch is the person's. */
const ON_A_BRANCH = new Set(["commit", "pull-request", "tag"]);

export function checkPlaces({ context, named }: Build): void {
  const isInPlace = named.some(({ kind, name }) => kind === "resource" && name === "place");
  if (!isInPlace) return;
  for (const { kind, name, path } of named) {
    const message =
      kind === "resource" && name === "workspace"
        ? "this workflow works in place: a run has a workspace or the place, not both"
        : kind === "deed" && ON_A_BRANCH.has(name)
          ? `this workflow works in place, where the branch is the person's: it cannot perform ${name}`
          : undefined;
    if (message === undefined) continue;
    const code = kind === "deed" ? "bad-action" : "bad-resource";
    report(context, context.placeOf(path), { code, message });
  }
}

/** Where people set parameters: every place means one of them, and none lies inside of another. */
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

/** What is tagged, and how it is called, is for people to ask for: the parameter is empty until one of them fills it in. */
export function checkTags({ context, named }: Build, definition: Definition): void {
  for (const { kind, name, path } of named) {
    const why =
      kind === "tag" && !context.isTroubled(["params", name]) ? notAsked(definition, name) : undefined;
    if (why === undefined) continue;
    const message = `a tag is asked for by a person, in a text that is empty until then: ${why}`;
    report(context, context.placeOf(path), { code: "bad-action", message });
  }
}
