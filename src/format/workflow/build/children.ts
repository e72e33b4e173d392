/** Child runs: their tasks, the maximum number at a time, and their parameters. */

import type { Children, TakenFrom } from "../../../core/model/artifact.ts";
import type { Literal, Value } from "../../../core/model/value.ts";
import { listOf, report, requireName, type Context, type Path } from "./context.ts";
import { paramOr, type Params } from "./params.ts";
import type { ArtifactFile } from "../schema/schema.ts";

type On = { readonly context: Context; readonly params: Params };

type TakenFile = Extract<NonNullable<ArtifactFile["with"]>[string], { from: string }>;

const AT_ONCE = 4;

/** `path` is the position of the artifact. */
type Site = { readonly name: string; readonly path: Path };

export function childrenOf(on: On, file: ArtifactFile, { name, path }: Site): Children {
  return {
    type: "children",
    ...tasksOf(on, file, { name, path }),
    workflow: file.workflow ?? "",
    most: file.most ?? AT_ONCE,
    ...scoredOf(on, file, [...path, "scored"]),
    with: withOf(on, file.with ?? {}, [...path, "with"]),
    ...(file.earlier === undefined ? {} : { earlier: listOf(file.earlier) }),
  };
}

function tasksOf(on: On, file: ArtifactFile, { name, path }: Site): Pick<Children, "tasks" | "only"> {
  const { children = "" } = file;
  if (typeof children === "string") return { tasks: children };
  for (const key of ["most", "scored"] as const)
    if (file[key] !== undefined)
      report(on.context, on.context.keyPlaceOf([...path, key]), {
        code: "bad-artifact",
        message: `"${key}" means nothing here: there is one run, and nothing that it could be compared with`,
      });
  const title = paramOr(on, children.title, { as: "text", path: [...path, "children", "title"] });
  return { tasks: name, only: { id: children.id, title } };
}

function scoredOf(on: On, { scored }: ArtifactFile, path: Path): { scored?: Value<boolean> } {
  if (scored === undefined) return {};
  if (typeof scored === "boolean") return { scored };
  const value = paramOr(on, scored, { as: "bool", path });
  return { scored: typeof value === "object" ? value : true };
}

function withOf(on: On, given: NonNullable<ArtifactFile["with"]>, path: Path): Children["with"] {
  const valueOf = (value: Literal, at: Path): Value =>
    typeof value === "string" ? paramOr(on, value, { as: "any", path: at }) : value;
  const values: Record<string, Children["with"][string]> = {};
  for (const [name, value] of Object.entries(given)) {
    const of = (word: Literal, ...key: string[]): Value => valueOf(word, [...path, name, ...key]);
    if (typeof value === "object" && "from" in value) values[name] = takenFrom(on, value, [...path, name]);
    else
      values[name] =
        typeof value === "object"
          ? { easy: of(value.easy, "easy"), medium: of(value.medium, "medium"), hard: of(value.hard, "hard") }
          : of(value);
  }
  return values;
}

const TASK = "task.";

function takenFrom(on: On, { from, or }: TakenFile, path: Path): TakenFrom {
  const also = or === undefined ? {} : { or: withoutPrefix(or) };
  if (from.startsWith(TASK)) return { from: { task: from.slice(TASK.length) }, ...also };
  const dot = from.lastIndexOf(".");
  const artifact = from.slice(0, Math.max(0, dot));
  requireName(on.context, {
    kind: "artifact",
    name: artifact,
    known: on.context.names.artifacts,
    path: [...path, "from"],
  });
  return { from: { artifact, field: from.slice(dot + 1) }, ...also };
}

function withoutPrefix(or: NonNullable<TakenFile["or"]>): NonNullable<TakenFrom["or"]> {
  return Object.fromEntries(Object.entries(or).map(([key, values]) => [key.slice(TASK.length), values]));
}
