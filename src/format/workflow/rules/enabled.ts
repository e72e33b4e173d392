/**
 * Rules for disabled stages: some work remains, every state has a way forward, and the other stages have their inputs. Also the
 * rules for reviewers of phases.
 */

import type { Path } from "../../problem.ts";
import { ORIGIN } from "../../../core/model/workflow.ts";
import { report, type BuildContext, listOf } from "../build/context.ts";
import { followingIn } from "../expand/expand.ts";
import { entryOf } from "../phases/site.ts";
import type { StageFile, WorkflowFile, PhaseFile } from "../schema/schema.ts";

type NamedStage = readonly [string, StageFile];

export function checkEnabled(context: BuildContext, file: WorkflowFile): void {
  const stages = Object.entries(file.stages ?? {});
  const optional = stages.filter(([, { enabled = true }]) => enabled !== true);
  const [last] = optional.at(-1) ?? [];
  if (last === undefined) return;
  if (stages.every(([, { enabled }]) => enabled === false) && !context.isLost(""))
    return report(context, context.placeOf(["stages", last, "enabled"]), {
      code: "no-stage",
      message: "every stage is disabled, so there is nothing to do: no run could begin",
    });
  for (const [name, { then }] of optional)
    if (then === ORIGIN)
      report(context, context.placeOf(["stages", name, "then"]), {
        code: "no-next",
        message: `${name} can be disabled, and a run that never was in it has no origin to go back to`,
      });
  checkCircle(context, file, optional);
  for (const stage of stages) checkSources(context, stage, { file, optional });
}

function checkCircle(context: BuildContext, file: WorkflowFile, optional: readonly NamedStage[]): void {
  const circle = optional.map(([name]) => circleOf(file, optional, name)).find((names) => names.length > 0);
  if (circle !== undefined)
    report(context, context.placeOf(["stages", circle[0] ?? "", "enabled"]), {
      code: "no-next",
      message: `with ${circle.join(" and ")} disabled no run could continue: each leads to the next, and the last to the first`,
    });
}

/** The stages on a cycle through this one, when all of them are disabled. */
function circleOf(file: WorkflowFile, optional: readonly NamedStage[], from: string): string[] {
  const passed: string[] = [];
  let at: string | undefined = from;
  while (at !== undefined && !passed.includes(at)) {
    passed.push(at);
    const to = followingIn(file, at);
    at = optional.find(([, { phases }]) => entryOf(Object.entries(phases)[0]) === to)?.[0];
  }
  return at === from ? passed : [];
}

/** Members and tasks are required: without them a phase has no work. */
function checkSources(
  context: BuildContext,
  [name, { phases, enabled }]: NamedStage,
  { file, optional }: { readonly file: WorkflowFile; readonly optional: readonly NamedStage[] },
): void {
  // Stages with the same parameter are enabled together.
  const others = optional.filter(([other, stage]) => other !== name && stage.enabled !== enabled);
  for (const [id, { tasks, each, split }] of Object.entries(phases)) {
    // With a split, the phase makes its own list.
    const source =
      tasks ?? (split === undefined ? each?.slice(0, Math.max(each.lastIndexOf("."), 0)) : undefined);
    // An artifact that the file declares may come from elsewhere.
    if (source === undefined || Object.hasOwn(file.artifacts ?? {}, source)) continue;
    const [maker] = others.find(([, stage]) => Object.hasOwn(stage.phases, source)) ?? [];
    const path: Path = ["stages", name, "phases", id, tasks === undefined ? "each" : "tasks"];
    if (maker !== undefined)
      report(context, context.placeOf(path), {
        code: "no-producer",
        message: `${source} is made in ${maker}, which can be disabled: ${id} would have nothing to do`,
      });
  }
}

/** A role must not review its own work or fixes, and a role that fixes the work needs write access. */
export function checkReviewer(context: BuildContext, file: WorkflowFile, path: Path): void {
  const [, stageName = "", , id = ""] = path;
  const stage = file.stages?.[stageName];
  const phase = stage?.phases[id];
  if (stage === undefined || phase?.by === undefined) return;
  const { by, fix, review } = phase;
  const tell = (at: Path, message: string): void =>
    report(context, context.placeOf([...path, ...at]), { code: "bad-phase", message });
  if (fix?.by === by) return tell(["fix", "by"], `${by} would judge its own fix: another role must fix`);
  if (listOf(review).includes(TREE) && fix !== undefined && file.roles?.[fix.by]?.access === "read")
    return tell(["fix", "by"], `${fix.by} may only read: it cannot fix the work`);
  const own = listOf(review).find((name) => authorsOf(file, stage, name).includes(by));
  if (own !== undefined)
    tell(["by"], `${by} would judge its own work: it is an author of ${own === TREE ? "the work" : own}`);
}

export const TREE = "tree";

/**
 * The authors of an output are its producer and its fixers. The authors of the work are all producers and fixers with write
 * access.
 */
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
