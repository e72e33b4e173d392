/** What a role is given as data: a file that nobody else writes, one for each member where there are several. */

import type { Input, Tree } from "../../../core/model/workflow.ts";
import type { Build } from "../build/builder.ts";
import { report, type Path } from "../build/context.ts";
import { checkFile } from "./paths.ts";
import { checkPaths } from "./projection-paths.ts";

export function buildInput(
  { context, file: whole, declared }: Build,
  { file, data }: { readonly file: string; readonly data: Readonly<Record<string, unknown>> },
  role: string,
): Input {
  const path: Path = ["roles", role, "input", "file"];
  const own = Object.values(declared.artifacts).filter(({ by }) => by.includes(role));
  const isEach = own.some(({ each }) => each !== undefined);
  checkFile(context, file, { path, isEach });
  const objection = objectionTo();
  if (objection !== undefined)
    report(context, context.placeOf(path), { code: "bad-projection", message: objection });
  // YAML without tags gives only literals, lists and maps: that is what a tree is.
  const tree = data as Tree;
  checkPaths({ context, artifacts: declared.artifacts }, tree, ["roles", role, "input", "data"]);
  return { file, data: tree };

  function objectionTo(): string | undefined {
    const [artifact] = Object.entries(declared.artifacts).find((each) => each[1].file === file) ?? [];
    if (artifact !== undefined) return `${file} is ${artifact} already: the one would undo the other`;
    if ((whole.projection ?? []).some((each) => each.file === file))
      return `${file} shows the run already: the one would undo the other`;
    if (isEach && !file.includes("{slot}"))
      return `${role} is one of several: its file needs {slot}, so that each has its own`;
    return undefined;
  }
}
