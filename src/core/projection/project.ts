/**
 * Builds the data of a projection from what is known about a run.
 *
 * Total: an unknown path gives null. An `each` over a value that is neither a list nor a record gives an empty list, or with
 * `key` an empty map.
 */

import type { Literal } from "../model/value.ts";
import type { DataTree } from "../model/workflow.ts";

export function project(tree: DataTree, root: unknown): unknown {
  if (typeof tree !== "object" || tree === null) return tree;
  if (isList(tree)) return tree.map((member) => project(member, root));
  if (isFrom(tree)) return taken(tree, root);
  if (isEach(tree)) return membersAt(tree, root).map((member) => project(tree.give, within(root, member)));
  if (isMap(tree)) return mapOf(tree, root);
  if (isJoin(tree)) return tree.join.map((member) => wordOf(project(member, root))).join("");
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, project(value, root)]));
}

/** Whether the tree reads anything below this name. */
export function reads(tree: DataTree, root: string): boolean {
  return pathsIn(tree).some((path) => isBelow(path, root));
}

/** All paths that the tree reads. */
export function pathsIn(tree: DataTree): readonly string[] {
  if (typeof tree !== "object" || tree === null) return [];
  if (isList(tree)) return tree.flatMap(pathsIn);
  if (isFrom(tree))
    return [
      ...pathsOf(tree.from),
      ...[tree.else ?? null, ...Object.values(tree.cases ?? {})].flatMap(pathsIn),
    ];
  if (isMap(tree)) return [...pathsOf(tree.each), tree.key, ...pathsIn(tree.give)];
  if (isEach(tree)) return [...pathsOf(tree.each), ...pathsIn(tree.give)];
  return Object.values(tree).flatMap(pathsIn);
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}.`);
}

type Paths = string | readonly string[];

type TreeMember = { readonly key: string | number; readonly item: unknown };

/** `Array.isArray` alone does not narrow a readonly array. */
function isList(value: unknown): value is readonly DataTree[] {
  return Array.isArray(value);
}

/** One path or several, replacements for some values, and a default if no path has a value. */
export type FromTree = {
  readonly from: Paths;
  readonly cases?: Readonly<Record<string, DataTree>>;
  readonly else?: DataTree;
};

export function isFrom(tree: object): tree is FromTree {
  const cases: unknown = "cases" in tree ? tree.cases : {};
  return (
    "from" in tree &&
    isPaths(tree.from) &&
    isRecord(cases) &&
    !isList(cases) &&
    Object.keys(tree).every((key) => key === "from" || key === "cases" || key === "else")
  );
}

function isPaths(value: unknown): value is Paths {
  const isSome = isList(value) && value.length > 0 && value.every((path) => typeof path === "string");
  return typeof value === "string" || isSome;
}

function pathsOf(paths: Paths): readonly string[] {
  return typeof paths === "string" ? [paths] : paths;
}

/** A single path gives its value. With several paths, an empty text counts as missing. */
function taken(tree: FromTree, root: unknown): unknown {
  const { from, cases } = tree;
  if (typeof from === "string" && cases === undefined && tree.else === undefined)
    return find(root, from) ?? null;
  const found = pathsOf(from).map((path) => find(root, path) ?? null);
  if (cases === undefined)
    return found.find((value) => value !== null && value !== "") ?? project(tree.else ?? null, root);
  const word = found.flatMap((value) => (isLiteral(value) ? [String(value)] : []));
  const known = word.find((each) => Object.hasOwn(cases, each));
  return project((known === undefined ? tree.else : cases[known]) ?? null, root);
}

export function isEach(tree: object): tree is { readonly each: Paths; readonly give: DataTree } {
  return "each" in tree && "give" in tree && isPaths(tree.each) && Object.keys(tree).length === 2;
}

type MapTree = { readonly each: Paths; readonly key: string; readonly give: DataTree };

export function isMap(tree: object): tree is MapTree {
  return (
    "each" in tree &&
    "key" in tree &&
    "give" in tree &&
    isPaths(tree.each) &&
    typeof tree.key === "string" &&
    Object.keys(tree).length === 3
  );
}

/** One text made of several. */
function isJoin(tree: object): tree is { readonly join: readonly DataTree[] } {
  return "join" in tree && isList(tree.join) && Object.keys(tree).length === 1;
}

function wordOf(value: unknown): string {
  return isLiteral(value) ? String(value) : "";
}

/** A member whose key is not a text, number or boolean is left out. */
function mapOf(tree: MapTree, root: unknown): unknown {
  const pairs = membersAt(tree, root).flatMap((member) => {
    const inside = within(root, member);
    const name = find(inside, tree.key);
    return isLiteral(name) ? [[String(name), project(tree.give, inside)] as const] : [];
  });
  return Object.fromEntries(pairs);
}

function isLiteral(value: unknown): value is Literal {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** A key may contain dots itself (`1.2`): the longest key that fits the rest of the path is used. */
function find(root: unknown, path: string): unknown {
  if (!isRecord(root)) return undefined;
  for (let end = path.length; end !== -1; end = end === 0 ? -1 : path.lastIndexOf(".", end - 1)) {
    const key = path.slice(0, end);
    if (Object.hasOwn(root, key))
      return end === path.length ? root[key] : find(root[key], path.slice(end + 1));
  }
  return undefined;
}

/** The members at several paths, in order. */
function membersAt({ each }: { readonly each: Paths }, root: unknown): readonly TreeMember[] {
  return pathsOf(each).flatMap((path) => membersOf(find(root, path)));
}

function membersOf(value: unknown): readonly TreeMember[] {
  if (Array.isArray(value)) return value.map((item: unknown, key) => ({ key, item }));
  if (isRecord(value)) return Object.entries(value).map(([key, item]) => ({ key, item }));
  return [];
}

function within(root: unknown, member: TreeMember): unknown {
  return isRecord(root) ? { ...root, ...member } : member;
}

/** Includes lists: their members are found by index, as own properties. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
