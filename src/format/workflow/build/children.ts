/** Child runs: their tasks, the maximum number at a time, and their parameters. */

import type { Path } from "../../problem.ts";
import type { Children, TakenFrom } from "../../../core/model/artifact.ts";
import type { Literal, Value } from "../../../core/model/value.ts";
import { listOf, report, requireName, type NamedPath } from "./context.ts";
import { paramOr, type ParamScope } from "./params.ts";
import type { ArtifactFile } from "../schema/schema.ts";

type TakenFile = Extract<NonNullable<ArtifactFile["with"]>[string], { from: string }>;

const AT_ONCE = 4;

export function childrenOf(scope: ParamScope, file: ArtifactFile, { name, path }: NamedPath): Children {
  return {
    type: "children",
    ...tasksOf(scope, file, { name, path }),
    workflow: file.workflow ?? "",
    most: file.most ?? AT_ONCE,
    ...scoredOf(scope, file, [...path, "scored"]),
    with: withOf(scope, file.with ?? {}, [...path, "with"]),
    ...(file.earlier === undefined ? {} : { earlier: listOf(file.earlier) }),
  };
}

function tasksOf(
  scope: ParamScope,
  file: ArtifactFile,
  { name, path }: NamedPath,
): Pick<Children, "tasks" | "only"> {
  const { children = "" } = file;
  if (typeof children === "string") return { tasks: children };
  for (const key of ["most", "scored"] as const)
    if (file[key] !== undefined)
      report(scope.context, scope.context.keyPlaceOf([...path, key]), {
        code: "bad-artifact",
        message: `"${key}" means nothing here: there is one run, and nothing that it could be compared with`,
      });
  const title = paramOr(scope, children.title, { as: "text", path: [...path, "children", "title"] });
  return { tasks: name, only: { id: children.id, title } };
}

function scoredOf(scope: ParamScope, { scored }: ArtifactFile, path: Path): { scored?: Value<boolean> } {
  if (scored === undefined) return {};
  if (typeof scored === "boolean") return { scored };
  const value = paramOr(scope, scored, { as: "bool", path });
  return { scored: typeof value === "object" ? value : true };
}

function withOf(scope: ParamScope, given: NonNullable<ArtifactFile["with"]>, path: Path): Children["with"] {
  const valueOf = (value: Literal, at: Path): Value =>
    typeof value === "string" ? paramOr(scope, value, { as: "any", path: at }) : value;
  const values: Record<string, Children["with"][string]> = {};
  for (const [name, value] of Object.entries(given)) {
    const of = (word: Literal, ...key: string[]): Value => valueOf(word, [...path, name, ...key]);
    if (typeof value === "object" && "from" in value) values[name] = takenFrom(scope, value, [...path, name]);
    else
      values[name] =
        typeof value === "object"
          ? { easy: of(value.easy, "easy"), medium: of(value.medium, "medium"), hard: of(value.hard, "hard") }
          : of(value);
  }
  return values;
}

const TASK = "task.";

function takenFrom(scope: ParamScope, { from, or }: TakenFile, path: Path): TakenFrom {
  const also = or === undefined ? {} : { or: withoutPrefix(or) };
  if (from.startsWith(TASK)) return { from: { task: from.slice(TASK.length) }, ...also };
  const dot = from.lastIndexOf(".");
  const artifact = from.slice(0, Math.max(0, dot));
  requireName(scope.context, { kind: "artifact", name: artifact, path: [...path, "from"] });
  return { from: { artifact, field: from.slice(dot + 1) }, ...also };
}

function withoutPrefix(or: NonNullable<TakenFile["or"]>): NonNullable<TakenFrom["or"]> {
  return Object.fromEntries(Object.entries(or).map(([key, values]) => [key.slice(TASK.length), values]));
}
