/** What a process of ours is told and given: its prompt, its environment, its command, its limits. */

import { slotKey, type Run, type Attempt } from "../../core/model/run.ts";
import { valueIn } from "../../core/model/field.ts";
import { maxOf } from "../../core/gates/gate.ts";
import { memberOf } from "../../core/gates/fan-out-members.ts";
import { policyOf, reviewsIn } from "../../core/explain/review-policy.ts";
import { blockOf, valueOf } from "../../core/gates/artifact-status.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { Definition, Role } from "../../core/model/workflow.ts";
import { fill, fillAsked, wordsIn, type PromptWord } from "../../format/prompt.ts";
import type { Works } from "../box.ts";
import { isHandedOn } from "./environment.ts";
import { isWithheld } from "../../format/settings/withheld.ts";
import type { WorkspaceRow } from "../ports/registry.ts";
import type { PinnedSettings } from "../pins/pinned-settings.ts";
import type { Harness } from "../ports/settings.ts";
import { fillPath } from "../submit/place.ts";
import { commandsByState, commandsIn } from "./prompt-commands.ts";

export function environment(
  works: Pick<Works, "person">,
  settings: Pick<PinnedSettings, "env" | "path">,
  harness?: Pick<Harness, "env" | "set">,
): Record<string, string> {
  const { env: own, bin, home } = works.person;
  const names = [...settings.env, ...(harness?.env ?? [])];
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) if (isHandedOn(name, names)) env[name] = value;
  return {
    ...env,
    ...Object.fromEntries(Object.entries(harness?.set ?? {}).filter(([name]) => !isWithheld(name))),
    PATH: `${bin}:${settings.path}`,
    SIGNALBOX_HOME: home,
  };
}

export function variablesOf(on: {
  readonly workflow: Workflow;
  readonly run: Run;
  readonly workspace: Pick<WorkspaceRow, "path" | "branch" | "base"> | undefined;
  readonly agent: AgentOf;
}): Record<string, string> {
  const { workflow, run, workspace, agent } = on;
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(run.params)) variables[name] = oneLine(String(value));
  for (const name of Object.keys(workflow.definition.counters)) {
    variables[name] = String(run.counters[name] ?? 0);
    variables[`${name}_max`] = String(maxOf(workflow, run, name));
  }
  Object.assign(variables, wordsOf(workflow, run));
  const { role, slot, attempt, session } = agent;
  const branch = variables["branch"] || oneLine(workspace?.branch ?? "");
  return {
    base: workspace?.base || "HEAD",
    tree: treeOf(run, slotKey(role, slot)),
    input: fillPath(run, workflow.definition.roles[role]?.input?.file ?? "", slot),
    output: outputIn(workflow, run, { role, slot }),
    session,
    ...variables,
    branch,
    run: run.id,
    state: run.state,
    workspace: workspace?.path ?? "",
    slot,
    member: oneLine(memberOf(workflow, run, { role, slot })),
    attempt: String(attempt),
    policy: policyIn(workflow, run, role),
    commands: role === "" ? "" : commandsIn(workflow, role, run.state),
    commands_by_state: role === "" ? "" : commandsByState(workflow, role),
  };
}

/** What artifacts said, where some prompt names it: nothing where one was not taken in, or by somebody whose word does not count. */
function wordsOf({ definition }: Workflow, run: Run): Record<string, string> {
  const { artifacts } = definition;
  return Object.fromEntries(
    namedIn(definition).map(({ word, artifact, field }) => {
      const { reader, by } = artifacts[artifact] ?? {};
      const held = run.held[artifact];
      if (held === undefined || held.reading.faults.length > 0 || by?.includes(held.by) !== true)
        return [word, ""];
      const { reading } = held;
      const said = reading.lists[field]?.join(", ") ?? valueIn(reader, reading, field) ?? "";
      return [word, oneLine(String(said))];
    }),
  );
}

/** A definition never changes, and all its prompts are much to read. */
const named = new WeakMap<Definition, readonly PromptWord[]>();

function namedIn(definition: Definition): readonly PromptWord[] {
  const known = named.get(definition);
  if (known !== undefined) return known;
  const names = Object.keys(definition.artifacts);
  const words = Object.values(definition.prompts).flatMap((prompt) => wordsIn(prompt, names));
  named.set(definition, words);
  return words;
}

/** Where the one review stands that this role writes now. */
export function outputIn(
  { definition }: Workflow,
  run: Run,
  { role, slot }: Pick<AgentOf, "role" | "slot">,
): string {
  const [name = ""] = reviewsIn(definition, role, run.state);
  return fillPath(run, definition.artifacts[name]?.file ?? "", slot);
}

/** Of the one review that this role writes now; `check` sees to it that no prompt asks for it elsewhere. */
function policyIn({ definition }: Workflow, run: Run, role: string): string {
  const [name = ""] = reviewsIn(definition, role, run.state);
  const artifact = definition.artifacts[name];
  if (artifact === undefined) return "";
  return policyOf(artifact, { file: fillPath(run, artifact.file), block: blockOf(run, artifact) });
}

/** Without a role, the words are for a person. */
type AgentOf = Attempt & { readonly session: string };

/** What a review is bound to. The branch may go on, and its name would then mean something else. */
function treeOf(run: Run, agent: string): string {
  return (run.agents[agent]?.tree ?? run.tree) || "HEAD";
}

/** Agents may set some of these: a value is a line in somebody's prompt, and never a heading or a verdict of its own. */
export function oneLine(text: string): string {
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

/** What a person is asked. */
export function questionText(
  workflow: Workflow,
  name: string,
  variables: Readonly<Record<string, string>>,
): string {
  return fillAsked(workflow.definition.prompts[name]?.text ?? "", variables);
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
