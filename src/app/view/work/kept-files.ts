/** What a run that is over has left: its pages for people; in git its commit, its pull request, and what to type to look at it and to take it over. */

import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { isGood, standingOf } from "../../../core/gates/artifact-status.ts";
import { tagsIn } from "../../../core/gates/requested-tags.ts";
import { fillPath } from "../../../engine/submit/place.ts";
import type { Seen } from "../../runs/find.ts";
import { isFinished } from "../../runs/find.ts";
import { shellWord } from "../../../core/text/shell-word.ts";
import type { Choice } from "../decision/choices.ts";

export type Left = {
  readonly rows: readonly (readonly [what: string, said: string])[];
  readonly choices: readonly Choice[];
  /** Paths of what it has written for people; the rows have them, too. */
  readonly pages: readonly string[];
};

export const NOTHING_LEFT: Left = { rows: [], choices: [], pages: [] };

export async function leftOf(seen: Seen): Promise<Left> {
  if (!isFinished(seen.row)) return NOTHING_LEFT;
  const { rows, choices } = await leftInGit(seen);
  const pages = pagesOf(seen);
  const files = await filesRows(seen);
  return {
    rows: [...files, ...pages.map((path) => [basename(path), path] as const), ...rows],
    choices,
    pages,
  };
}

/** Artifacts are no part of the work, so no branch has them: without a workspace they are in the state home. */
async function filesRows(seen: Seen): Promise<Left["rows"]> {
  const { workflow, run, root } = seen;
  if (workflow.isInPlace || (await seen.store.boundWorkspace(run.id)) !== undefined) return [];
  const hasFile = Object.entries(workflow.definition.artifacts).some(
    ([name, { file }]) =>
      file !== "" &&
      isGood(standingOf(workflow, run, name)) &&
      existsSync(join(root, fillPath(run, file, ""))),
  );
  return hasFile ? [["files", root]] : [];
}

/** Its workspace may be gone; they are not. */
function pagesOf({ workflow, run, root }: Seen): readonly string[] {
  return workflow.definition.projections
    .filter(({ as }) => as === "sections")
    .map(({ file }) => join(root, fillPath(run, file, "")))
    .filter((path) => existsSync(path));
}

async function leftInGit(seen: Seen): Promise<Pick<Left, "rows" | "choices">> {
  const { row, run, store } = seen;
  const commit = fieldOf(seen, "committed", "commit");
  const branch = (await store.workspace(run.id))?.branch ?? "";
  if (commit === "" || branch === "") return NOTHING_LEFT;
  if (fieldOf(seen, "committed", "made") === "false")
    return {
      rows: [["commit", `none: there was nothing to commit, and ${branch} is at ${commit}`]],
      choices: [],
    };
  const url = fieldOf(seen, "pull-request-opened", "url");
  const reason = fieldOf(seen, "pull-request-refused", "reason");
  const tag = fieldOf(seen, "tagged", "tag");
  const noTag = isTagWanted(seen) ? fieldOf(seen, "tag-refused", "reason") : "";
  const git = `git -C ${shellWord(row.repo)}`;
  const typed = shellWord(branch);
  const look = {
    command: `${git} log --patch ${row.base.slice(0, SHORT)}..${typed}`,
    means: "what it has done",
  };
  const merge = { command: `${git} merge ${typed}`, means: "take it over into what is checked out there" };
  return {
    rows: [
      ["commit", `${commit.slice(0, SHORT)} on the branch ${branch}`],
      ...(tag === "" ? [] : [["tag", tag] as const]),
      ...(tag !== "" || noTag === "" ? [] : [["no tag", noTag] as const]),
      ...(url === "" ? [] : [["pull request", url] as const]),
      ...(url !== "" || reason === "" ? [] : [["no pull request", reason] as const]),
    ],
    choices: url === "" ? [look, merge] : [look],
  };
}

/** Where nobody has asked for one, there is nothing to tell. */
function isTagWanted({ workflow, run }: Seen): boolean {
  return tagsIn(workflow.definition).some((name) => String(run.params[name] ?? "").trim() !== "");
}

/** As git shortens them, and a little longer: it has to be unique for years. */
const SHORT = 12;

/** What the run was told by a fact. */
function fieldOf({ workflow, run }: Seen, fact: string, field: string): string {
  const names = Object.entries(workflow.definition.artifacts).flatMap(([name, { reader }]) =>
    reader.type === "fact" && reader.fact === fact ? [name] : [],
  );
  const told = names
    .map((name) => run.held[name]?.reading.fields[field])
    .find((value) => value !== undefined);
  return String(told ?? "");
}
