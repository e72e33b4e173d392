/** What a run that is over has left in git: its commit, its pull request, and what to type to look at it and to take it over. */

import type { Seen } from "../box.ts";
import { isFinished } from "../box.ts";
import { quoted } from "../typed.ts";
import type { Choice } from "./means.ts";

export type Left = {
  readonly rows: readonly (readonly [what: string, said: string])[];
  readonly choices: readonly Choice[];
};

const NOTHING: Left = { rows: [], choices: [] };

export function leftOf(seen: Seen): Left {
  const { row, run, store } = seen;
  const commit = fieldOf(seen, "committed", "commit");
  const branch = store.workspace(run.id)?.branch ?? "";
  if (!isFinished(row) || commit === "" || branch === "") return NOTHING;
  if (fieldOf(seen, "committed", "made") === "false")
    return {
      rows: [["commit", `none: there was nothing to commit, and ${branch} is at ${commit}`]],
      choices: [],
    };
  const url = fieldOf(seen, "pull-request-opened", "url");
  const reason = fieldOf(seen, "pull-request-refused", "reason");
  const tag = fieldOf(seen, "tagged", "tag");
  const git = `git -C ${quoted(row.repo)}`;
  const look = {
    command: `${git} log --patch ${row.base.slice(0, SHORT)}..${branch}`,
    means: "what it has done",
  };
  const merge = { command: `${git} merge ${branch}`, means: "take it over into what is checked out there" };
  return {
    rows: [
      ["commit", `${commit.slice(0, SHORT)} on the branch ${branch}`],
      ...(tag === "" ? [] : [["tag", tag] as const]),
      ...(url === "" ? [] : [["pull request", url] as const]),
      ...(url !== "" || reason === "" ? [] : [["no pull request", reason] as const]),
    ],
    choices: url === "" ? [look, merge] : [look],
  };
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
