/**
 * The data of a projection, made from what is known about a run.
 *
 * Total: a path that leads nowhere gives null, and an `each` over something that is neither a list nor a
 * record gives an empty list, or with `key` an empty map.
 */

import type { Literal } from "./value.ts";
import type { Tree } from "./workflow.ts";

export function project(tree: Tree, root: unknown): unknown {
  if (typeof tree !== "object" || tree === null) return tree;
  if (isList(tree)) return tree.map((member) => project(member, root));
  if (isFrom(tree)) return taken(tree, root);
  if (isEach(tree))
    return membersOf(find(root, tree.each)).map((member) => project(tree.give, within(root, member)));
  if (isMap(tree)) return mapOf(tree, root);
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, project(value, root)]));
}

/** Whether anything in it is about what is known under this name. */
export function reads(tree: Tree, root: string): boolean {
  if (typeof tree !== "object" || tree === null) return false;
  if (isList(tree)) return tree.some((member) => reads(member, root));
  if (isFrom(tree))
    return (
      pathsOf(tree).some((path) => isBelow(path, root)) ||
      [tree.else ?? null, ...Object.values(tree.cases ?? {})].some((inner) => reads(inner, root))
    );
  if (isMap(tree) && isBelow(tree.key, root)) return true;
  if (isEach(tree) || isMap(tree)) return isBelow(tree.each, root) || reads(tree.give, root);
  return Object.values(tree).some((member) => reads(member, root));
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}.`);
}

type Member = { readonly key: string | number; readonly item: unknown };

/** `Array.isArray` alone does not narrow a readonly array. */
function isList(value: unknown): value is readonly Tree[] {
  return Array.isArray(value);
}

/** One path; or several, what is said instead of some words, and what where none of them says anything. */
export type From = {
  readonly from: string | readonly string[];
  readonly cases?: Readonly<Record<string, Tree>>;
  readonly else?: Tree;
};

export function isFrom(tree: object): tree is From {
  const from: unknown = "from" in tree ? tree.from : undefined;
  const isPaths = isList(from) && from.length > 0 && from.every((path) => typeof path === "string");
  const cases: unknown = "cases" in tree ? tree.cases : {};
  return (
    (typeof from === "string" || isPaths) &&
    isRecord(cases) &&
    !isList(cases) &&
    Object.keys(tree).every((key) => key === "from" || key === "cases" || key === "else")
  );
}

function pathsOf({ from }: From): readonly string[] {
  return typeof from === "string" ? [from] : from;
}

/** One path alone gives what is there. Of a choice an empty text is as good as none. */
function taken(tree: From, root: unknown): unknown {
  const { from, cases } = tree;
  if (typeof from === "string" && cases === undefined && tree.else === undefined)
    return find(root, from) ?? null;
  const found = pathsOf(tree).map((path) => find(root, path) ?? null);
  if (cases === undefined)
    return found.find((value) => value !== null && value !== "") ?? project(tree.else ?? null, root);
  const word = found.flatMap((value) => (isLiteral(value) ? [String(value)] : []));
  const known = word.find((each) => Object.hasOwn(cases, each));
  return project((known === undefined ? tree.else : cases[known]) ?? null, root);
}

export function isEach(tree: object): tree is { readonly each: string; readonly give: Tree } {
  return "each" in tree && "give" in tree && typeof tree.each === "string" && Object.keys(tree).length === 2;
}

type MapTree = { readonly each: string; readonly key: string; readonly give: Tree };

export function isMap(tree: object): tree is MapTree {
  return (
    "each" in tree &&
    "key" in tree &&
    "give" in tree &&
    typeof tree.each === "string" &&
    typeof tree.key === "string" &&
    Object.keys(tree).length === 3
  );
}

/** A member whose key is no text, number or boolean has no place in a map. */
function mapOf({ each, key, give }: MapTree, root: unknown): unknown {
  const pairs = membersOf(find(root, each)).flatMap((member) => {
    const inside = within(root, member);
    const name = find(inside, key);
    return isLiteral(name) ? [[String(name), project(give, inside)] as const] : [];
  });
  return Object.fromEntries(pairs);
}

function isLiteral(value: unknown): value is Literal {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** A key may hold dots itself (`1.2`): of the keys that fit the rest of the path, the longest is taken. */
function find(root: unknown, path: string): unknown {
  if (!isRecord(root)) return undefined;
  for (let end = path.length; end !== -1; end = end === 0 ? -1 : path.lastIndexOf(".", end - 1)) {
    const key = path.slice(0, end);
    if (Object.hasOwn(root, key))
      return end === path.length ? root[key] : find(root[key], path.slice(end + 1));
  }
  return undefined;
}

function membersOf(value: unknown): readonly Member[] {
  if (Array.isArray(value)) return value.map((item: unknown, key) => ({ key, item }));
  if (isRecord(value)) return Object.entries(value).map(([key, item]) => ({ key, item }));
  return [];
}

function within(root: unknown, member: Member): unknown {
  return isRecord(root) ? { ...root, ...member } : member;
}

/** Lists count: their members are found by index, as own properties. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
