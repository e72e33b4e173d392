/** Checks stages and their phases before they are expanded. */

import type { Path } from "../../problem.ts";
import { closest } from "../../../core/text/closest.ts";
import { ORIGIN } from "../../../core/model/workflow.ts";
import { report, requireName, type BuildContext } from "../build/context.ts";
import { checkEnabled, checkReviewer, TREE } from "../rules/enabled.ts";
import { restartable } from "../rules/restarts.ts";
import { checkSchedule } from "./schedule.ts";
import type { PhaseFile, StageFile, WorkflowFile } from "../schema/schema.ts";

type PhaseKey = keyof PhaseFile;

/** The required and optional keys of each kind of phase. If several kinds match, the first counts. */
const KINDS: Readonly<
  Record<string, { readonly needs: readonly PhaseKey[]; readonly may: readonly PhaseKey[] }>
> = {
  hand: { needs: [], may: ["makes", "type"] },
  review: { needs: ["by", "out"], may: ["fix", "tries", "then"] },
  each: { needs: ["run", "part", "merge", "out"], may: ["split", "most", "failed", "tries", "then"] },
  check: { needs: [], may: ["out", "fix", "then"] },
  tasks: { needs: ["workflow"], may: ["failed", "most", "with", "scored", "earlier", "then"] },
  ask: { needs: [], may: [] },
  run: { needs: ["out"], may: ["tries", "then"] },
};

/** Reports problems, and returns the paths of phases that need no further checks. */
export function checkStages(context: BuildContext, file: WorkflowFile): Path[] {
  const stages = Object.entries(file.stages ?? {});
  checkWords(context, stages);
  checkEnabled(context, file);
  for (const [name] of stages) checkRestart(context, file, name);
  const doubled = checkSchedule(context, file);
  const unsound = stages.flatMap(([name, stage], index) => {
    const path: Path = ["stages", name];
    const isLast = index === stages.length - 1 && !context.isLost("");
    return [
      ...(isLast && stage.then === undefined ? [withoutNext(context, stage, path)] : []),
      ...Object.keys(stage.phases)
        .map((id): Path => [...path, "phases", id])
        .filter((phase) => !isSound(context, file, phase)),
    ];
  });
  return [...doubled, ...unsound];
}

function checkRestart(context: BuildContext, file: WorkflowFile, name: string): void {
  const restart = file.stages?.[name]?.restart;
  if (restart === undefined || "max" in restart) return;
  const known = restartable(file.stages ?? {}, name);
  for (const [index, other] of restart.stages.entries())
    if (!known.includes(other))
      report(context, context.placeOf(["stages", name, "restart", "stages", index]), {
        code: "bad-value",
        message: `"${other}" is not an earlier stage with "restart"`,
        suggestion: closest(other, known),
      });
}

function withoutNext(context: BuildContext, stage: StageFile, path: Path): Path {
  const message = `this is the last stage: it must say where its last phase leads, with "then"`;
  report(context, context.keyPlaceOf(path), { code: "no-next", message });
  return [...path, "phases", Object.keys(stage.phases).at(-1) ?? ""];
}

function isSound(context: BuildContext, file: WorkflowFile, path: Path): boolean {
  const [, stage = "", , id = ""] = path;
  const phases = file.stages?.[stage]?.phases ?? {};
  const phase: PhaseFile = phases[id] ?? {};
  const wrong = problemOf(String(id), phase);
  if (wrong !== undefined) {
    report(context, context.keyPlaceOf(path), { code: "bad-phase", message: wrong });
    return false;
  }
  if (phase.review === undefined) return true;
  const outputs = Object.keys(phases).filter((other) => other !== id && phases[other]?.out !== undefined);
  const known = [TREE, ...outputs];
  if (!requireName(context, { kind: "phase", name: phase.review, known, path: [...path, "review"] }))
    return false;
  checkReviewer(context, file, path);
  return true;
}

function problemOf(id: string, phase: PhaseFile): string | undefined {
  const found = Object.entries(KINDS).find(([name]) => Object.hasOwn(phase, name));
  if (found === undefined) return `${id} must have one of ${Object.keys(KINDS).join(", ")}`;
  const [kind, { needs, may }] = found;
  const missing = needs.filter((key) => phase[key] === undefined);
  if (missing.length > 0) return `${id} needs ${missing.map((key) => `"${key}"`).join(" and ")}`;
  const known = new Set<string>([kind, "title", ...needs, ...may]);
  const other = Object.keys(phase).find((key) => !known.has(key));
  if (other !== undefined) return `"${other}" means nothing in ${id}, which has "${kind}"`;
  if (kind === "tasks" && typeof phase.most === "string")
    return `"most" of ${id} is a number: how many at the same time`;
  return phase.fix === undefined ? undefined : problemOfFix(id, kind, phase);
}

function problemOfFix(id: string, kind: string, phase: PhaseFile): string | undefined {
  const { fix, out } = phase;
  if (fix?.part !== undefined && fix.each === undefined)
    return `"part" means nothing in "fix" of ${id} without "each": one alone leaves no note`;
  if (fix?.each !== undefined && (typeof out !== "object" || out.review?.issues === undefined))
    return `"each" means nothing in "fix" of ${id}, which has no list of issues: "review" in its "out" must say where they are`;
  if (kind === "check" && phase.out === undefined)
    return `${id} needs "out": the fixing role must be able to read the result of the check`;
  return kind !== "check" && fix?.failing !== undefined
    ? `"failing" means nothing in "fix" of ${id}, which has "${kind}": only a check tells where it failed`
    : undefined;
}

type NamedWord = {
  readonly kind: "role" | "artifact" | "ask" | "state";
  readonly name: string;
  readonly path: Path;
};

/** Checks each name at its own position, before the pieces that are generated from it. */
function checkWords(context: BuildContext, stages: readonly (readonly [string, StageFile])[]): void {
  const { roles, artifacts, asks, states } = context.names;
  const known = { role: roles, artifact: artifacts, ask: asks, state: new Set([...states, ORIGIN]) };
  const words = stages.flatMap(([name, stage]) => wordsIn(stage, ["stages", name]));
  const unknown = words.filter((word) => !requireName(context, { ...word, known: known[word.kind] }));
  for (const { kind, name } of unknown) context.told.add(`${kind} ${name}`);
}

function wordsIn(stage: StageFile, path: Path): NamedWord[] {
  const word = (kind: NamedWord["kind"], name: string | undefined, at: Path): NamedWord[] =>
    name === undefined ? [] : [{ kind, name, path: [...path, ...at] }];
  return [
    ...word("ask", stage.stuck, ["stuck"]),
    ...word("role", stage.summary?.by, ["summary", "by"]),
    ...word("ask", stage.exhausted, ["exhausted"]),
    ...word("state", stage.then, ["then"]),
    ...Object.entries(stage.phases).flatMap(([id, phase]) => [
      ...word("role", phase.run, ["phases", id, "run"]),
      ...word("role", phase.merge, ["phases", id, "merge"]),
      ...word("role", phase.split?.by, ["phases", id, "split", "by"]),
      ...word("role", phase.by, ["phases", id, "by"]),
      ...word("role", phase.fix?.by, ["phases", id, "fix", "by"]),
      ...word("state", phase.fix?.to, ["phases", id, "fix", "to"]),
      ...word("artifact", phase.tasks, ["phases", id, "tasks"]),
      ...word("ask", phase.ask, ["phases", id, "ask"]),
      ...word("state", phase.then, ["phases", id, "then"]),
    ]),
  ];
}
