/**
 * What an artifact is worth at this moment: is it there, valid, new, about the present content, and from somebody
 * whose word counts? Everything that is in doubt is not worth anything.
 */

import type { Workflow } from "./compile.ts";
import type { Held, Run } from "./run.ts";
import { slotKey } from "./run.ts";
import { judge, SEVERITIES, type Severity } from "./verdict.ts";
import type { Artifact, Literal, Place, Standing, Value } from "./workflow.ts";

export type Worth = { readonly standing: Standing; readonly reason: string; readonly at?: Place };

const VALID: Worth = { standing: "valid", reason: "" };
const HOLDS: Worth = { standing: "holds", reason: "" };

/** Standings that let a gate pass. */
const GOOD: ReadonlySet<Standing> = new Set<Standing>(["valid", "holds", "pass", "pass_with_notes", "waived", "all"]);

export function isGood(standing: Standing): boolean {
  return GOOD.has(standing);
}

export function worth(workflow: Workflow, run: Run, name: string): Worth {
  const artifact = workflow.definition.artifacts[name];
  if (artifact === undefined) return { standing: "missing", reason: `there is no artifact "${name}"` };
  const waiver = run.waivers[name];
  if (waiver !== undefined && (waiver.tree === run.tree || !artifact.bind.includes("tree"))) {
    return { standing: "waived", reason: `waived by ${waiver.by}: ${waiver.reason}` };
  }
  if (artifact.each !== undefined) return worthOfSlots(run, name);
  const held = run.held[name];
  return held === undefined
    ? { standing: "missing", reason: `${describe(artifact, name)} is not there yet` }
    : worthOfReading({ run, name, artifact, held });
}

/** The standing of one member of a fan-out. */
export function worthOfSlot(workflow: Workflow, run: Run, name: string, slot: string): Worth {
  const artifact = workflow.definition.artifacts[name];
  const held = run.held[slotKey(name, slot)];
  if (artifact === undefined || held === undefined) return { standing: "missing", reason: `${name} of ${slot} is not there yet` };
  return worthOfReading({ run, name: slotKey(name, slot), artifact, held });
}

function worthOfReading(on: { run: Run; name: string; artifact: Artifact; held: Held }): Worth {
  const { run, name, artifact, held } = on;
  const { reading } = held;
  const fault = reading.faults[0];
  if (!reading.found) return { standing: "missing", reason: fault?.reason ?? `${describe(artifact, name)} is not there`, ...place(fault) };
  if (!artifact.by.includes(held.by)) {
    return { standing: "stale", reason: `${describe(artifact, name)} counts only from ${artifact.by.join(" or ")}` };
  }
  if (run.baseline[name] === reading.digest) {
    return { standing: "stale", reason: `${describe(artifact, name)} has not changed since it was last used` };
  }
  const other = artifact.bind.find((bound) => bound !== "tree" && held.inputs[bound] !== (run.held[bound]?.reading.digest ?? ""));
  if (other !== undefined) return { standing: "stale", reason: `${other} changed after ${describe(artifact, name)} was made` };
  if (held.tree !== run.tree && artifact.bind.includes("tree")) {
    return { standing: "stale", reason: `the work changed after ${describe(artifact, name)} was made` };
  }
  if (fault !== undefined) return { standing: "invalid", reason: fault.reason, ...place(fault) };
  if (artifact.reader.type === "children") return worthOfChildren(name, reading.fields["outcome"]);
  if (reading.verdict === undefined) return artifact.reader.type === "fact" ? HOLDS : VALID;
  const judgement = judge(reading.verdict, reading.issues, severity(valueOf(run, artifact.block)));
  if (judgement.verdict === "invalid") return { standing: "invalid", reason: `${describe(artifact, name)}: ${judgement.reason}` };
  return { standing: judgement.verdict, reason: `${describe(artifact, name)} says ${judgement.verdict}` };
}

function worthOfChildren(name: string, outcome: Literal | undefined): Worth {
  const standing = (["all", "some", "none"] as const).find((known) => known === outcome);
  if (standing === undefined) return { standing: "invalid", reason: `${name} has no outcome` };
  return { standing, reason: `${standing} of ${name} are done` };
}

function worthOfSlots(run: Run, name: string): Worth {
  const slots = run.slots[name];
  const outcomes = slots === undefined ? [] : Object.values(slots);
  if (slots === undefined) return { standing: "missing", reason: `${name} was not begun` };
  const open = outcomes.filter((outcome) => outcome === "open").length;
  if (open > 0) return { standing: "missing", reason: `${open} of ${outcomes.length} of ${name} are still open` };
  const done = outcomes.filter((outcome) => outcome === "done").length;
  const standing = done === 0 ? "none" : done === outcomes.length ? "all" : "some";
  return { standing, reason: `${done} of ${outcomes.length} of ${name} are done` };
}

export function valueOf<T extends Literal>(run: Run, value: Value<T>): Literal {
  return typeof value === "object" ? (run.params[value.param] ?? "") : value;
}

function severity(word: Literal): Severity {
  // An unknown threshold blocks on everything.
  return SEVERITIES.find((known) => known === word) ?? "low";
}

function describe(artifact: Artifact, name: string): string {
  if (artifact.reader.type === "section") return `section "## ${artifact.reader.heading}" of ${artifact.file}`;
  return artifact.file === "" ? name : artifact.file;
}

function place(fault: { readonly at: Place } | undefined): { at?: Place } {
  return fault === undefined ? {} : { at: fault.at };
}
