/** Keys while something lies over the table: help, a page, a question, a text. */

import { changesCommand } from "./acts.ts";
import type { Key } from "./keys.ts";
import { rowNamed, type Mode, type Model, type Next } from "./model.ts";
import { and, closed, edited, told } from "./step.ts";

type Of<T extends Mode["type"]> = Extract<Mode, { type: T }>;

const WHEEL = 3;

export function helpKey(model: Model, mode: Of<"help">, key: Key): Next {
  const by = scrolled(model, key);
  if (by !== undefined) return and({ ...model, mode: { ...mode, top: Math.max(0, mode.top + by) } });
  return isClosing(key, "?") ? closed(model) : and(model);
}

export function pageKey(model: Model, mode: Of<"page">, key: Key): Next {
  const by = scrolled(model, key);
  if (by !== undefined) return and({ ...model, mode: { ...mode, top: Math.max(0, mode.top + by) } });
  if (isClosing(key, "v")) return closed(model);
  if (key.type !== "text" || key.pasted || key.text !== "r") return and(model);
  const why = rowNamed(model, mode.run)?.acts.changes ?? "it is not on the board any more";
  if (why !== "") return told(model, `changes: ${why}`);
  return and({ ...model, mode: { type: "changes", run: mode.run, text: "" } });
}

/** Enter sends it, also without a text: then the agent finds out by itself what a person has written into the page. */
export function changesKey(model: Model, mode: Of<"changes">, key: Key): Next {
  if (key.type === "key" && key.name === "escape") return closed(model);
  if (key.type === "key" && key.name === "enter")
    return closed(model, { type: "command", argv: changesCommand(mode.run, mode.text.trim()) });
  const text = edited(mode.text, key);
  return and(text === undefined ? model : { ...model, mode: { ...mode, text } });
}

/** Only y is a yes: a key that was pressed by mistake changes nothing. */
export function confirmKey(model: Model, mode: Of<"confirm">, key: Key): Next {
  if (key.type === "mouse" || (key.type === "text" && key.pasted)) return and(model);
  if (key.type !== "text" || key.text !== "y")
    return told({ ...model, mode: { type: "table" } }, "nothing was done");
  if (mode.forecast === undefined) return and(model);
  return closed(model, { type: "command", argv: mode.argv });
}

/** Lines to go; undefined where the key does not scroll. */
function scrolled({ size }: Model, key: Key): number | undefined {
  if (key.type === "mouse") return key.what === "click" ? 0 : key.what === "up" ? -WHEEL : WHEEL;
  const page = Math.max(1, size.lines - 3);
  switch (key.type === "text" ? key.text : key.name) {
    case "j":
    case "down":
      return 1;
    case "k":
    case "up":
      return -1;
    case "page-down":
    case " ":
      return page;
    case "page-up":
      return -page;
    case "g":
    case "home":
      return -Infinity;
    case "G":
    case "end":
      return Infinity;
  }
  return undefined;
}

function isClosing(key: Key, own: string): boolean {
  if (key.type === "key") return key.name === "escape";
  return key.type === "text" && !key.pasted && (key.text === "q" || key.text === own);
}
