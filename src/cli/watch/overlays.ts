/** Keys while something lies over the table: help, a page, a question, a text. */

import { answerCommand, changesCommand } from "./acts.ts";
import type { BoardRow } from "../../app/board/row.ts";
import { opened, sent } from "./drafts.ts";
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
  const act = key.type === "text" && !key.pasted ? PAGE_ACTS[key.text] : undefined;
  if (act === undefined) return and(model);
  const row = rowNamed(model, mode.run);
  const why = row?.acts[act] ?? "it is not on the board any more";
  if (row === undefined || why !== "") return told(model, `${act}: ${why}`);
  return and(opened(model, textFor(act, row)));
}

/** Keys that do something with what one has read. */
const PAGE_ACTS: Readonly<Record<string, "changes" | "answer">> = { r: "changes", a: "answer" };

/** A text is asked for. */
export function textFor(act: "changes" | "answer", { run, answerTo }: BoardRow): Of<"changes" | "answer"> {
  return act === "changes" ? { type: act, run, text: "" } : { type: act, run, to: answerTo, text: "" };
}

/** Enter sends it, also without a text: then the agent finds out by itself what a person has written into the page. */
export function textKey(model: Model, mode: Of<"changes" | "answer">, key: Key): Next {
  if (key.type === "key" && key.name === "escape") return closed(model);
  if (key.type === "key" && key.name === "enter") {
    const said = mode.text.trim();
    const argv =
      mode.type === "changes" ? changesCommand(mode.run, said) : answerCommand({ ...mode, text: said });
    return sent(model, mode, argv);
  }
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
