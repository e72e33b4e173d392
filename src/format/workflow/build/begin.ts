/** What a run begins with where nobody brings a text: only a person's own words are there by then, which are its parameters. */

import type { Artifact, Begin } from "../../../core/model/artifact.ts";
import { sayTaken, takes } from "../../../core/model/param.ts";
import { pathsIn } from "../../../core/projection/project.ts";
import type { Tree } from "../../../core/model/workflow.ts";
import { listOf, report, requireName, type Context, type Path } from "./context.ts";
import type { Params } from "./params.ts";
import type { ArtifactFile } from "../schema/schema.ts";

type On = { readonly context: Context; readonly params: Params };

export function beginOf(on: On, file: ArtifactFile, path: Path): Pick<Artifact, "begin"> {
  const { begin } = file;
  if (begin === undefined) return {};
  const { context } = on;
  const bad = (message: string, ...key: string[]): void =>
    report(context, context.keyPlaceOf([...path, "begin", ...key]), { code: "bad-artifact", message });
  if (file.in === undefined || file.each !== undefined || file.every !== undefined)
    bad("a run begins with one file");
  if (!listOf(file.by).includes("human")) bad(`these are a person's words: "by" needs human`);
  // YAML without tags gives only literals, lists and maps: that is what a tree is.
  const data = begin.data as Tree;
  const other = pathsIn(data).find((text) => !isKnown(on, text));
  if (other !== undefined)
    bad(`${other} is not there when a run begins: params.NAME and lines.NAME are`, "data");
  return { begin: { when: whenOf(on, begin.when ?? {}, [...path, "begin", "when"]), as: begin.as, data } };
}

function isKnown({ params }: On, text: string): boolean {
  const [root = "", name = ""] = text.split(".");
  if (root === "item" || root === "key") return true;
  return (root === "params" || root === "lines") && Object.hasOwn(params, name);
}

function whenOf({ context, params }: On, when: Begin["when"], path: Path): Begin["when"] {
  for (const [name, value] of Object.entries(when)) {
    requireName(context, { kind: "parameter", name, known: context.names.params, path: [...path, name] });
    const param = Object.hasOwn(params, name) ? params[name] : undefined;
    if (param !== undefined && !takes(param, value))
      report(context, context.placeOf([...path, name]), {
        code: "bad-artifact",
        message: `${name} is ${sayTaken(param)}`,
      });
  }
  return when;
}
