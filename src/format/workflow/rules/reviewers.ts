/** Nobody reviews what they made or mended, and whoever mends the work may change it. */

import { listOf, report, type Context, type Path } from "../build/context.ts";
import type { PhaseFile, StageFile, WorkflowFile } from "../schema/schema.ts";

export function checkReviewer(context: Context, file: WorkflowFile, path: Path): void {
  const [, stageName = "", , id = ""] = path;
  const stage = file.stages?.[stageName];
  const phase = stage?.phases[id];
  if (stage === undefined || phase?.by === undefined) return;
  const { by, fix, review } = phase;
  const tell = (at: Path, message: string): void =>
    report(context, context.placeOf([...path, ...at]), { code: "bad-phase", message });
  if (fix?.by === by) return tell(["fix", "by"], `${by} would judge what it mended: another role must mend`);
  if (listOf(review).includes(TREE) && fix !== undefined && file.roles?.[fix.by]?.access === "read")
    return tell(["fix", "by"], `${fix.by} may only read: it cannot mend the work`);
  const own = listOf(review).find((name) => authorsOf(file, stage, name).includes(by));
  if (own !== undefined)
    tell(["by"], `${by} would judge its own work: it has a hand in ${own === TREE ? "the work" : own}`);
}

export const TREE = "tree";

/** Of an output, whoever makes and mends it. Of the work itself, whoever makes or mends anything and may change the work. */
function authorsOf({ stages = {}, roles }: WorkflowFile, stage: StageFile, reviewed: string): string[] {
  if (reviewed === TREE)
    return Object.values(stages)
      .flatMap(({ phases }) => Object.values(phases).flatMap(handsIn))
      .filter((role) => roles?.[role]?.access !== "read");
  const menders = Object.values(stage.phases).filter(({ review }) => listOf(review).includes(reviewed));
  const { run, merge }: PhaseFile = stage.phases[reviewed] ?? {};
  return [...listOf(run), ...listOf(merge), ...menders.flatMap(({ fix }) => listOf(fix?.by))];
}

function handsIn({ run, merge, fix }: PhaseFile): string[] {
  return [...listOf(run), ...listOf(merge), ...listOf(fix?.by)];
}
