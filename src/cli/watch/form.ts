/** The form for a new task: two texts and three choices. */

import { createCommand, STATUSES } from "./acts.ts";
import { opened, sent, and, closed, edited, told } from "./step.ts";
import type { Key } from "./keys.ts";
import { selectedRow, type Form, type Model, type Next } from "./model.ts";

export const FIELDS = ["summary", "branch", "harness", "reviewHarness", "status"] as const;
type Field = (typeof FIELDS)[number];

export function openForm(model: Model): Next {
  const [status = ""] = STATUSES;
  const form: Form = { type: "form", at: 0, branch: "", summary: "", harness: "", reviewHarness: "", status };
  return and(opened(model, form), { type: "harnesses" });
}

export function formKey(model: Model, form: Form, key: Key): Next {
  const name = key.type === "key" ? key.name : "";
  switch (name) {
    case "escape":
      return closed(model);
    case "tab":
    case "down":
      return and({ ...model, mode: { ...form, at: (form.at + 1) % FIELDS.length } });
    case "back-tab":
    case "up":
      return and({ ...model, mode: { ...form, at: (form.at + FIELDS.length - 1) % FIELDS.length } });
    case "enter":
      return created(model, form);
  }
  const field = FIELDS[form.at] ?? "summary";
  const value = changed(model, { form, field, key });
  return and(value === undefined ? model : { ...model, mode: { ...form, [field]: value } });
}

function created(model: Model, form: Form): Next {
  const { branch, summary, ...choices } = form;
  if (branch.trim() === "" && summary.trim() === "") return told(model, "a branch or a summary, please");
  if (model.busy !== "") return told(model, `one thing at a time: ${model.busy}`);
  const project = projectFor(model);
  const argv = createCommand({ ...choices, branch: branch.trim(), summary: summary.trim(), project });
  return sent(model, form, argv);
}

/** The project that is shown, or that of the selected run; without either, the command says where it would be. */
export function projectFor(model: Model): string {
  if (model.project !== "") return model.project;
  const row = selectedRow(model);
  return model.board.projects.find(({ repo }) => repo === row?.repo)?.project ?? "";
}

function changed(
  model: Model,
  { form, field, key }: { readonly form: Form; readonly field: Field; readonly key: Key },
): string | undefined {
  switch (field) {
    case "branch":
    case "summary":
      return edited(form[field], key);
    case "harness":
    case "reviewHarness":
      // The usual one is a choice as well.
      return cycled(["", ...model.harnesses], form[field], key);
    case "status":
      return cycled(STATUSES, form.status, key);
  }
}

/** Any key goes on to the next one. */
function cycled(values: readonly string[], value: string, key: Key): string | undefined {
  if (key.type === "mouse" || values.length === 0) return undefined;
  const by = key.type === "key" && (key.name === "left" || key.name === "backspace") ? values.length - 1 : 1;
  return values[(values.indexOf(value) + by) % values.length];
}
