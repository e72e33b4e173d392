/** Small steps that all keys share. */

import type { Key } from "./keys.ts";
import { TABLE, type Effect, type Model, type Next, type Typed } from "./model.ts";

export function and(model: Model, ...effects: readonly Effect[]): Next {
  return { model, effects };
}

/** A key that does nothing says why. */
export function told(model: Model, text: string): Next {
  return and({ ...model, message: { text, tone: "note" } });
}

export function closed(model: Model, ...effects: readonly Effect[]): Next {
  return and({ ...model, mode: TABLE }, ...effects);
}

/** A line of text after a key; undefined where the key does not edit. One line: what is pasted is joined. */
export function edited(text: string, key: Key): string | undefined {
  if (key.type === "text") return `${text}${key.text.replaceAll(/\s+/g, " ")}`;
  if (key.type !== "key") return undefined;
  switch (key.name) {
    case "backspace":
      return text.replace(/.$/su, "");
    case "ctrl-u":
      return "";
    case "ctrl-w":
      return text.replace(/\S*\s*$/, "");
  }
  return undefined;
}

/**
 * Nobody types a text twice: what was typed for a command is kept until that has succeeded. Refused, it is on the screen again, with the
 * reason; where something else is on the screen by then, the key that opens such a text brings it back.
 */
export function sent(model: Model, typed: Typed, argv: readonly string[]): Next {
  return closed({ ...model, sent: typed, draft: undefined }, { type: "command", argv });
}

export function ended(model: Model, isGood: boolean): Model {
  const { sent: typed, mode } = model;
  const over = { ...model, sent: undefined };
  if (isGood || typed === undefined) return over;
  return mode.type === TABLE.type ? { ...over, mode: typed } : { ...over, draft: typed };
}

/** An empty text is opened, or the one of the same kind that was refused. */
export function opened(model: Model, empty: Typed): Model {
  const { draft } = model;
  const isSame = draft?.type === empty.type && aboutOf(draft) === aboutOf(empty);
  return { ...model, mode: isSame ? draft : empty, draft: isSame ? undefined : draft };
}

function aboutOf(typed: Typed): string {
  return typed.type === "form" ? "" : typed.run;
}
