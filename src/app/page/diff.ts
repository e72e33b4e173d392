/** What a run has changed, as text by file: from the commit that it began from to its last handover, in the engine's mirror. */

import { isOfOtherHome } from "../../adapters/cluster/local-workspaces.ts";
import { gitBytes, GitError } from "../../adapters/git/call/call.ts";
import { inMirror } from "../../adapters/git/mirror/mirror.ts";
import { mirrorOf } from "../../adapters/git/mirror/names.ts";
import type { Home } from "../../adapters/home/paths.ts";
import type { Looking } from "../declare.ts";
import { success, type Outcome } from "../outcome.ts";
import { fillPath } from "../../core/text/fill-path.ts";
import { lineDiff } from "../../core/text/line-diff.ts";
import { unknownArtifact } from "../act/artifact/submit.ts";
import { isFinished, requireHome, seeRun, type Seen } from "../runs/find.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { editsOf } from "../view/work/edits.ts";
import { workOf } from "../view/work/diffstat.ts";
import { leftOf } from "../view/work/kept-files.ts";
import { withoutHeading } from "../view/words.ts";

type Diff = DataOf<"diff">;

const LIMIT_MS = 20_000;
const FILES_MAX = 200;

export async function diffOf(
  { door, store }: Looking,
  { run, artifact }: InputOf<"diff">,
): Promise<Outcome<Diff>> {
  const seen = await seeRun(store, door, run);
  if (artifact !== undefined) return editOf(seen, artifact);
  const home = requireHome(door);
  const work = await workOf(seen, { home, env: door.env });
  const none: Diff = { run: seen.run.id, base: "", commit: "", files: [], more: 0 };
  if (work === null) return success(await nothingIn(seen, home), none);
  const { base, commit } = work;
  const args = ["diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", base, commit, "--"];
  try {
    const call = { ...inMirror(mirrorOf(home, seen.row.repo)), args, limitMs: LIMIT_MS };
    const files = filesIn((await gitBytes(door.env, call)).toString("utf8"));
    const shown = files.slice(0, FILES_MAX);
    return success(files.length === 0 ? "its work equals what it began from" : `${files.length} files`, {
      ...none,
      base,
      commit,
      files: shown,
      more: files.length - shown.length,
    });
  } catch (error) {
    // A mirror that git cannot read hides nothing else of the run.
    if (error instanceof GitError) return success(`git cannot show the changes: ${error.message}`, none);
    throw error;
  }
}

async function nothingIn(seen: Seen, home: Home): Promise<string> {
  const workspace = await seen.store.workspace(seen.run.id);
  if (workspace !== undefined && isOfOtherHome(home, workspace.path))
    return `its work is in another state home: ${workspace.path}; the remote has its handovers on ${workspace.branch}`;
  if (!isFinished(seen.row)) return "nothing was handed over yet";
  const files = (await leftOf(seen)).rows.find(([what]) => what === "files")?.[1];
  return `it has changed nothing${files === undefined ? "" : `; its artifacts are in ${files}`}`;
}

/** How the file of an artifact differs from the text that an event has accepted. */
async function editOf(seen: Seen, artifact: string): Promise<Outcome<Diff>> {
  const { run, workflow } = seen;
  const { artifacts } = workflow.definition;
  const declared = Object.hasOwn(artifacts, artifact) ? artifacts[artifact] : undefined;
  if (declared === undefined)
    throw unknownArtifact(artifact, Object.keys(artifacts), "signalbox diff --help");
  const none: Diff = { run: run.id, base: "", commit: "", files: [], more: 0 };
  const edit = (await editsOf(seen)).find((each) => each.artifact === artifact);
  if (edit === undefined) return success(`${artifact} has no edit that was not submitted`, none);
  const isSection = declared.reader.type === "section";
  const [before, now] = [await edit.accepted(), await edit.now()].map((each) =>
    isSection ? withoutHeading(each) : each,
  );
  const text = lineDiff(before ?? "", now ?? "");
  const path = fillPath(run, declared.file, "*");
  const file = fileIn(`+++ b/${path}\n${text}`);
  const next = edit.isForPerson ? { next: `signalbox submit ${run.id} ${artifact}` } : {};
  return success(`${artifact} was edited, and not submitted`, { ...none, files: [file] }, next);
}

type ChangedFile = DataOf<"diff">["files"][number];

const LINES_MAX = 2000;
const LINE_CHARACTERS_MAX = 2000;

/**
 * The text of `git diff`, by file. Agents write the files, so no line of theirs may pass as the head of a file. Only a line feed ends a line:
 * with other line ends, a line of a file could look like the head of another file.
 */
export function filesIn(text: string): readonly ChangedFile[] {
  return text === "" ? [] : text.split(/(?<=\n)(?=diff --git )/).map(fileIn);
}

function fileIn(part: string): ChangedFile {
  const lines = part.split("\n");
  const first = lines.findIndex((line) => line.startsWith("@@"));
  const head = first === -1 ? lines : lines.slice(0, first);
  const body =
    first === -1 ? [] : lines.slice(first).filter((line, at, all) => line !== "" || at < all.length - 1);
  return {
    path: pathIn(head),
    added: body.filter((line) => line.startsWith("+")).length,
    removed: body.filter((line) => line.startsWith("-")).length,
    text: body.slice(0, LINES_MAX).map(shortened).join("\n"),
    cut: body.length > LINES_MAX,
  };
}

/** A line that was cut shows that it goes on. */
function shortened(line: string): string {
  const more = line.length - LINE_CHARACTERS_MAX;
  return more <= 0 ? line : `${line.slice(0, LINE_CHARACTERS_MAX)} ... and ${more} more characters`;
}

/** The new name, or the old one of a deleted file. Git quotes unusual names, and they are shown as git prints them. */
function pathIn(head: readonly string[]): string {
  const named = ["+++ ", "--- "]
    .map((mark) =>
      head
        .find((line) => line.startsWith(mark))
        ?.slice(mark.length)
        .replace(/\t$/, ""),
    )
    .find((name) => name !== undefined && name !== "/dev/null");
  if (named !== undefined) return named.replace(/^("?)[ab]\//, "$1");
  const [, both = ""] = /^diff --git (.*)$/.exec(head[0] ?? "") ?? [];
  return both.slice(0, Math.floor(both.length / 2)).replace(/^("?)a\//, "$1");
}
