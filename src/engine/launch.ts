/** What a process of ours is told and given: its prompt, its environment, its command, its limits. */

import type { Run } from "../core/run.ts";
import { maxOf } from "../core/gate.ts";
import { valueOf } from "../core/standing.ts";
import type { Workflow } from "../core/compile.ts";
import type { Role } from "../core/workflow.ts";
import { fill } from "../format/prompt.ts";
import type { Works } from "./box.ts";
import { isHandedOn } from "./environment.ts";
import type { Harness, Settings } from "./ports/settings.ts";

export function environment(works: Works, settings: Settings, harness?: Harness): Record<string, string> {
  const { env: own, bin, home } = works.person;
  const names = [...settings.env, ...(harness?.env ?? [])];
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) if (isHandedOn(name, names)) env[name] = value;
  return {
    ...env,
    ...harness?.set,
    PATH: `${bin}:${own["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"}`,
    SIGNALBOX_HOME: home,
  };
}

export function variablesOf(on: {
  readonly workflow: Workflow;
  readonly run: Run;
  readonly workspace: string;
  readonly agent: { readonly slot: string; readonly attempt: number; readonly session: string };
}): Record<string, string> {
  const { workflow, run, workspace, agent } = on;
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(run.params)) variables[name] = oneLine(String(value));
  for (const name of Object.keys(workflow.definition.counters)) {
    variables[name] = String(run.counters[name] ?? 0);
    variables[`${name}_max`] = String(maxOf(workflow, run, name));
  }
  const { slot, attempt, session } = agent;
  return { ...variables, run: run.id, state: run.state, workspace, slot, attempt: String(attempt), session };
}

/** Agents may set some of these: a value is a line in somebody's prompt, and never a heading or a verdict of its own. */
function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\s\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, " ").trim();
}

export function promptText(
  workflow: Workflow,
  name: string,
  variables: Readonly<Record<string, string>>,
): string {
  const text = workflow.definition.prompts[name]?.text ?? "";
  return fill(text, variables);
}

/** In milliseconds; 0 for no limit. The workflow's own word comes first. */
export function limitsOf(
  run: Run,
  role: Role,
  defaults: { readonly minutes: number; readonly stallMinutes: number },
): { limitMs: number; stallMs: number } {
  const minutes = Number(valueOf(run, role.minutes)) || defaults.minutes;
  const stall = Number(valueOf(run, role.stallMinutes)) || defaults.stallMinutes;
  return { limitMs: minutes * MINUTE_MS, stallMs: stall * MINUTE_MS };
}

export const MINUTE_MS = 60_000;
