/** The input file of a role: a file with no other author, one for each member of a fan-out. */

import type { Path } from "../../problem.ts";
import type { Input, DataTree } from "../../../core/model/workflow.ts";
import type { Build } from "../build/builder.ts";
import { report } from "../build/context.ts";
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
  // YAML without tags contains only literals, lists and maps, which is what a tree consists of.
  const tree = data as DataTree;
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
