/**
 * Paths of a projection to values of artifacts and answers: the artifact, its field, the list and the ask must exist. Other
 * unknown paths give null.
 */

import type { Path } from "../../problem.ts";
import type { Artifact } from "../../../core/model/artifact.ts";
import { closest } from "../../../core/text/closest.ts";
import { isEach, isFrom, isMap } from "../../../core/projection/project.ts";
import type { Definition, DataTree } from "../../../core/model/workflow.ts";
import { isDoubtful, report, requireName, type BuildContext } from "../build/context.ts";
import { fieldOf } from "./fields.ts";

type PathScope = { readonly context: BuildContext; readonly artifacts: Definition["artifacts"] };

export function checkPaths(scope: PathScope, tree: DataTree, path: Path): void {
  if (typeof tree !== "object" || tree === null) return;
  if (isFrom(tree)) {
    checkSome(scope, tree.from, [...path, "from"]);
    if (tree.else !== undefined) checkPaths(scope, tree.else, [...path, "else"]);
    for (const [word, inner] of Object.entries(tree.cases ?? {}))
      checkPaths(scope, inner, [...path, "cases", word]);
    return;
  }
  if (isEach(tree) || isMap(tree)) checkSome(scope, tree.each, [...path, "each"]);
  for (const [key, inner] of Object.entries(tree))
    checkPaths(scope, inner, [...path, Array.isArray(tree) ? Number(key) : key]);
}

function checkSome(scope: PathScope, paths: string | readonly string[], path: Path): void {
  if (typeof paths === "string") checkPath(scope, paths, path);
  else for (const [index, each] of paths.entries()) checkPath(scope, each, [...path, index]);
}

function checkPath(scope: PathScope, text: string, path: Path): void {
  const [root = "", ...rest] = text.split(".");
  if (rest.length === 0) return;
  const below = rest.join(".");
  if (root === "said") checkSaid(scope, below, path);
  if (root === "dispatch") checkDispatch(scope, rest, path);
  if (root === "run" && rest[0] === "asked") requireName(scope.context, { kind: "ask", name: rest[1], path });
  if (root === "collected") {
    const known = Object.values(scope.artifacts).flatMap(listsOf);
    if (!known.some((list) => isWithin(below, list)))
      requireName(scope.context, { kind: "list", name: below, known, path });
  }
}

/** What an agent's input can say about the agent and its turn. */
const DISPATCH = [
  "role",
  "slot",
  "attempt",
  "branch",
  "base",
  "context",
  "changed",
  "failed",
  "artifacts",
  "found",
  "input",
  "output",
];

function checkDispatch(scope: PathScope, [name = "", ...below]: readonly string[], path: Path): void {
  const { context } = scope;
  if (name === "found" && below.length > 0) checkSaid(scope, below.join("."), path);
  if (DISPATCH.includes(name)) return;
  report(context, context.placeOf(path), {
    code: "bad-projection",
    message: `unknown dispatch.${name}: use one of ${DISPATCH.join(", ")}`,
    suggestion: closest(name, DISPATCH),
  });
}

function checkSaid({ context, artifacts }: PathScope, below: string, path: Path): void {
  const names = [...context.names.artifacts];
  const name = names.filter((each) => isWithin(below, each)).toSorted((a, b) => b.length - a.length)[0];
  if (name === undefined) {
    const [first = ""] = below.split(".");
    requireName(context, { kind: "artifact", name: first, known: names, path });
    return;
  }
  const artifact = artifacts[name];
  // The members of a fan-out are known only at run time.
  if (artifact === undefined || artifact.each !== undefined || name === below || isDoubtful(context, name))
    return;
  const field = below.slice(name.length + 1);
  if (listsOf(artifact).some((list) => isWithin(field, list))) return;
  const found = fieldOf(artifact, field);
  if ("message" in found)
    report(context, context.placeOf(path), {
      code: "bad-projection",
      message: `${name} says nothing as ${field}: it is neither a text, a number or a boolean of it, nor one of its "lists"`,
      suggestion: found.suggestion ?? closest(field, listsOf(artifact)),
    });
}

function isWithin(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}.`);
}

function listsOf({ reader }: Artifact): readonly string[] {
  const own = "lists" in reader ? Object.keys(reader.lists) : [];
  return reader.type === "tasks" ? ["tasks", ...own] : own;
}
