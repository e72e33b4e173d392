/** A `.signalbox` folder to begin with. */

import { relative } from "node:path";
import { initialise } from "../../adapters/config/init.ts";
import { repositoryOf } from "../../adapters/trust/repository.ts";
import type { Invocation } from "../invocation.ts";
import { success, type Outcome } from "../outcome.ts";
import type { DataOf } from "../schemas.ts";

export function init({ cwd }: Invocation): Outcome<DataOf<"init">> {
  const { tree } = repositoryOf(cwd);
  const near = (path: string): string => relative(cwd, `${tree}/${path}`);
  const files = initialise(tree).files.map(({ path, status }) => ({ path: near(path), status }));
  const isNew = files.some(({ status }) => status === "written");
  return success(
    isNew ? "the repository is set up" : "everything is there already; nothing was written",
    { folder: near(".signalbox"), files },
    { next: "signalbox check task" },
  );
}
