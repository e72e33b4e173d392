/**
 * Projections: trees of data, or reviews for people. Artifacts that a projection shows are marked, so that readings keep the
 * needed text.
 */

import type { Path } from "../../problem.ts";
import type { Artifact } from "../../../core/model/artifact.ts";
import { isEach, isFrom } from "../../../core/projection/project.ts";
import type { Definition, Projection, DataTree } from "../../../core/model/workflow.ts";
import { report, requireName, type BuildContext } from "../build/context.ts";
import { checkFile } from "./paths.ts";
import { checkPaths } from "./projection-paths.ts";
import type { WorkflowFile } from "../schema/schema.ts";

type ProjectionFile = NonNullable<WorkflowFile["projection"]>[number];
type ArtifactMap = Definition["artifacts"];

export function buildProjections(
  context: BuildContext,
  file: WorkflowFile,
  artifacts: ArtifactMap,
): readonly Projection[] {
  const all = file.projection ?? [];
  for (const [index, { file: name, as }] of all.entries()) {
    const other = all.slice(0, index).find((each) => each.file === name && isRival(each.as, as));
    if (other !== undefined)
      bad(
        context,
        context.placeOf(["projection", index, "file"]),
        `${name} is shown as ${other.as} already: the one would undo the other`,
      );
  }
  return all.map((projection, index) =>
    buildProjection({ context, artifacts }, projection, ["projection", index]),
  );
}

/** Blocks can be combined with front matter; otherwise a file has one projection of these kinds. */
function isRival(one: ProjectionFile["as"], other: ProjectionFile["as"]): boolean {
  const both = [one, other];
  const isAlone = both.some((as) => ALONE.has(as));
  return isAlone && !(both.includes("review-block") && both.includes("front-matter"));
}

const ALONE: ReadonlySet<ProjectionFile["as"]> = new Set([
  "review",
  "review-block",
  "lines",
  "sections",
  "task-status",
]);

function buildProjection(
  scope: { readonly context: BuildContext; readonly artifacts: ArtifactMap },
  projection: ProjectionFile,
  path: Path,
): Projection {
  const { context } = scope;
  const { file, as, data, of } = projection;
  checkFile(context, file, { path: [...path, "file"], isEach: false });
  const isReview = as === "review" || as === "review-block";
  const [wanted, other] = isReview ? (["of", "data"] as const) : (["data", "of"] as const);
  if (projection[wanted] === undefined)
    bad(context, context.placeOf(path), `what is shown as ${as} needs "${wanted}"`);
  if (projection[other] !== undefined)
    bad(context, context.keyPlaceOf([...path, other]), `"${other}" means nothing for what is shown as ${as}`);
  if (!isReview) {
    // YAML without tags contains only literals, lists and maps, which is what a tree consists of.
    const tree = (data ?? {}) as DataTree;
    checkPaths(scope, tree, [...path, "data"]);
    if (as === "task-status") requireTasks(scope, file, path);
    if (data !== undefined) checkKind(context, tree, { as, path: [...path, "data"] });
    return { file, as, data: tree };
  }
  if (of !== undefined) requireReview(scope, of, [...path, "of"]);
  return { file, as, of: of ?? "" };
}

/** Lines are members of a list, and sections have names. */
function checkKind(
  context: BuildContext,
  tree: DataTree,
  { as, path }: { readonly as: ProjectionFile["as"]; readonly path: Path },
): void {
  if (typeof tree !== "object" || tree === null) return;
  if (isFrom(tree) && tree.cases !== undefined) {
    for (const [word, inner] of Object.entries(tree.cases))
      checkKind(context, inner, { as, path: [...path, "cases", word] });
    checkKind(context, tree.else ?? null, { as, path: [...path, "else"] });
    return;
  }
  if (as === "task-status" && (isFrom(tree) || isEach(tree)))
    bad(context, context.placeOf(path), "a status is of a task: { each: PATH, key: PATH, give: TREE }");
  if (isFrom(tree)) return;
  if (as === "lines" && !isEach(tree))
    bad(context, context.placeOf(path), "lines are the members of a list: { each: PATH, give: TREE }");
  if (as === "sections" && isEach(tree))
    bad(context, context.placeOf(path), `sections have headings: a map of them, or "each" with "key"`);
}

function requireTasks(
  { context, artifacts }: { readonly context: BuildContext; readonly artifacts: ArtifactMap },
  file: string,
  path: Path,
): void {
  if (Object.values(artifacts).some((artifact) => artifact.file === file && isYamlTasks(artifact))) return;
  bad(context, context.placeOf([...path, "file"]), `${file} is not a list of tasks in YAML`);
}

function isYamlTasks({ reader, each }: Artifact): boolean {
  return reader.type === "tasks" && reader.style === "yaml" && each === undefined;
}

function bad(context: BuildContext, at: ReturnType<BuildContext["placeOf"]>, message: string): void {
  report(context, at, { code: "bad-projection", message });
}

function requireReview(
  { context, artifacts }: { readonly context: BuildContext; readonly artifacts: ArtifactMap },
  name: string,
  path: Path,
): void {
  requireName(context, { kind: "artifact", name, path });
  const artifact = artifacts[name];
  if (artifact === undefined || reviewOf(artifact)?.issuesAt !== undefined) return;
  bad(context, context.placeOf(path), `${name} is not a review with issues, so it cannot be shown as one`);
}

function reviewOf({ reader, each }: Artifact) {
  if (each !== undefined) return undefined;
  return reader.type === "json" || reader.type === "yaml" ? reader.review : undefined;
}

/** The reading of a shown review keeps its texts; a file with blocks or statuses of the engine is read without them. */
export function withShown(artifacts: ArtifactMap, projections: readonly Projection[]): ArtifactMap {
  const shown = new Set(projections.flatMap((each) => ("of" in each ? [each.of] : [])));
  const filesAs = (as: Projection["as"]): ReadonlySet<string> =>
    new Set(projections.flatMap((each) => (each.as === as ? [each.file] : [])));
  const [marked, listed] = [filesAs("review-block"), filesAs("task-status")];
  return Object.fromEntries(
    Object.entries(artifacts).map(([name, artifact]) => [
      name,
      {
        ...(shown.has(name) ? keepingWords(artifact) : artifact),
        ...(marked.has(artifact.file) ? { blocks: true } : {}),
        ...(listed.has(artifact.file) ? withoutStatus(artifact) : {}),
      },
    ]),
  );
}

/** For every reader: changes by the engine do not change the content. */
function withoutStatus({ reader }: Artifact): Partial<Artifact> {
  const isRead = reader.type === "tasks" || reader.type === "yaml" || reader.type === "file";
  return isRead ? { reader: { ...reader, shown: true } } : {};
}

function keepingWords(artifact: Artifact): Artifact {
  const { reader } = artifact;
  if ((reader.type !== "json" && reader.type !== "yaml") || reader.review === undefined) return artifact;
  return { ...artifact, reader: { ...reader, review: { ...reader.review, shown: true } } };
}
