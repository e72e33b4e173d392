/**
 * Checks of the build that concern one key each: the context of roles, the resources, the settings of parameters, the tags.
 *
 * The context of a role lists what it must read before its start. As with keys of shapes, a name that ends in `?` may be missing.
 */

import type { Path } from "../../problem.ts";
import type { Role, Definition } from "../../../core/model/workflow.ts";
import { listOf, requireName, type BuildContext, report } from "./context.ts";
import type { Build } from "./builder.ts";
import { isKept, settingOf } from "../../../core/model/param.ts";
import type { DeclaredParams } from "./params.ts";
import { notAsked } from "../../../core/gates/requested-tags.ts";

export function buildRoleContext(
  context: BuildContext,
  named: string | readonly string[] | undefined,
  path: Path,
): Pick<Role, "context" | "optional"> {
  const names = listOf<string>(named);
  names.forEach((name, index) =>
    requireName(context, {
      kind: "artifact",
      name: bare(name),
      path: typeof named === "string" ? path : [...path, index],
    }),
  );
  // A name in both forms is required: an agent that fixes something must read the findings, even if its role says otherwise.
  const once = names.filter((name) => name === bare(name) || !names.includes(bare(name)));
  const optional = once.filter((name) => name !== bare(name)).map(bare);
  return { context: once.map(bare), ...(optional.length === 0 ? {} : { optional }) };
}

function bare(name: string): string {
  return name.endsWith("?") ? name.slice(0, -1) : name;
}

/**
 * Effects that need a branch of the run. In the user's checkout, the branch belongs to the person. One workflow uses either
 * private clones or the user's checkout.
 */
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

/** Settings of parameters: every path means one parameter, and no path is a prefix of another. */
export function checkSettings(context: BuildContext, params: DeclaredParams): void {
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

type SettingSite = { readonly name: string; readonly keys: readonly string[] };

function sayTaken(other: SettingSite, own: SettingSite): string {
  const [theirs, mine] = [other.keys.join("."), own.keys.join(".")];
  if (theirs === mine) return `${own.name} and ${other.name} are both set by ${mine}: each needs its own key`;
  return `${own.name} is set by ${mine}, and ${other.name} by ${theirs}: a key with further keys below it cannot have a value`;
}

function isWithin(outer: readonly string[], inner: readonly string[]): boolean {
  return outer.every((key, index) => inner[index] === key);
}

/** Only people request tags and choose their names: the parameter is empty until a person sets it. */
export function checkTags({ context, named }: Build, definition: Definition): void {
  for (const { kind, name, path } of named) {
    const why =
      kind === "tag" && !context.isTroubled(["params", name]) ? notAsked(definition, name) : undefined;
    if (why === undefined) continue;
    const message = `a tag is asked for by a person, in a text that is empty until then: ${why}`;
    report(context, context.placeOf(path), { code: "bad-action", message });
  }
}
