/** An agent's request for permission, as the question that a person sees, with the three answers. */

import type { Permission, PermissionAnswer, Run } from "../../../core/model/run.ts";
import { PERMISSION } from "../../../engine/ports/journal.ts";
import type { ActionView, QuestionView } from "../run-view.ts";
import { agentName } from "../words.ts";

/** The oldest one first: each is decided by itself. */
export function permissionOf({ id, permissions = [] }: Run): QuestionView | undefined {
  const [asked] = permissions;
  if (asked === undefined) return undefined;
  return {
    id: asked.id,
    ask: PERMISSION,
    question: sayPermission(asked),
    openedAt: asked.at,
    repeats: 0,
    shows: [],
    reads: [],
    shown: "",
    options: answersTo(id, asked),
  };
}

export function sayPermission(asked: Permission): string {
  return `The ${agentName(asked)} asks for permission: ${asked.tool}: ${asked.input}`;
}

const LABELS: Readonly<Record<PermissionAnswer, string>> = {
  allow: "this once",
  always: "for the rest of the run",
  deny: "the agent goes on without",
};

export function answersTo(run: string, { id, tool }: Permission): QuestionView["options"] {
  const values: readonly PermissionAnswer[] = ["allow", "always", "deny"];
  return values.map((value) => ({
    value,
    label: LABELS[value],
    text: "none",
    command: `signalbox answer ${run}/${id} ${value}`,
    means: value === "always" ? `every ${tool} of its agents` : "",
  }));
}

/** The answers as actions. They name the request, and no visit of a state: agents ask while the run goes on. */
export function permissionActions(run: string, { id, options }: QuestionView): readonly ActionView[] {
  return options.map(({ command, value, label, means }) => ({
    command,
    sentence: means === "" ? `${value} it: ${label}` : `${value} it: ${label}, ${means}`,
    call: { use: "answer", input: { decision: `${run}/${id}`, value }, words: "none" },
  }));
}

export function isPermission({ ask }: Pick<QuestionView, "ask">): boolean {
  return ask === PERMISSION;
}
