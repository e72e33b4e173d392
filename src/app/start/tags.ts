/** A tag that cannot be made is told before a run begins, and not when its work is done. Somebody may still take its name meanwhile. */

import { commonDirOf, gitDirOf } from "../../adapters/git/repository/locate.ts";
import { isBranchName } from "../../adapters/git/mirror/names.ts";
import { refAt } from "../../adapters/git/repository/refs.ts";
import { UserError } from "../../adapters/user-error.ts";
import { tagsIn } from "../../core/gates/requested-tags.ts";
import type { Literal } from "../../core/model/value.ts";
import type { Definition } from "../../core/model/workflow.ts";
import { EXIT_CONFLICT } from "../exit-codes.ts";

/** `given` is what settings and options say. */
export function requireTags(
  definition: Definition,
  given: Readonly<Record<string, Literal>>,
  repo: string,
): void {
  for (const param of tagsIn(definition)) {
    const name = String(given[param] ?? "").trim();
    if (name === "") continue;
    // Git takes the same names for both.
    if (!isBranchName(name))
      throw new UserError(
        "tag-name",
        `${param}: ${JSON.stringify(name)} cannot be the name of a tag`,
        "git help check-ref-format",
      );
    const gitDir = gitDirOf(repo);
    if (gitDir === undefined || refAt(commonDirOf(gitDir), `refs/tags/${name}`) === undefined) continue;
    throw new UserError("tag-name", `${param}: there is a tag ${name} already`, {
      next: "git tag --list",
      exit: EXIT_CONFLICT,
    });
  }
}
