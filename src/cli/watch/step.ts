/** Small steps that all keys share. */

import type { Key } from "./keys.ts";
import { TABLE, type Effect, type Model, type Next } from "./model.ts";

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
