/** Bytes from a terminal become keys. What comes in pieces is put together; what is no key is nothing. */

export type Key =
  | { readonly type: "key"; readonly name: string }
  /** Text that was typed or pasted: never a command. */
  | { readonly type: "text"; readonly text: string; readonly pasted: boolean }
  /** Lines and columns count from 1. */
  | {
      readonly type: "mouse";
      readonly what: "click" | "up" | "down";
      readonly line: number;
      readonly column: number;
    };

const ESC = "\u001B";
const PASTE_BEGIN = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;
const WHEEL_UP = 64;
const WHEEL_DOWN = 65;

const NAMES: Readonly<Record<string, string>> = {
  [`${ESC}[A`]: "up",
  [`${ESC}OA`]: "up",
  [`${ESC}[B`]: "down",
  [`${ESC}OB`]: "down",
  [`${ESC}[C`]: "right",
  [`${ESC}[D`]: "left",
  [`${ESC}[5~`]: "page-up",
  [`${ESC}[6~`]: "page-down",
  [`${ESC}[H`]: "home",
  [`${ESC}OH`]: "home",
  [`${ESC}[1~`]: "home",
  [`${ESC}[F`]: "end",
  [`${ESC}OF`]: "end",
  [`${ESC}[4~`]: "end",
  [`${ESC}[Z`]: "back-tab",
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u007F": "backspace",
  "\b": "backspace",
  "\u0003": "ctrl-c",
  "\u0004": "ctrl-d",
  "\u000C": "ctrl-l",
  "\u0015": "ctrl-u",
  "\u0017": "ctrl-w",
  "\u001A": "ctrl-z",
};

export type Keyboard = {
  /** Keys that are complete. */
  take(text: string): Key[];
  /** Nothing more has come for a moment: an escape that stands alone was the key. */
  rest(): Key[];
};

export function keyboard(): Keyboard {
  let held = "";
  return {
    take(text) {
      held += text;
      const keys: Key[] = [];
      for (;;) {
        const found = next(held);
        if (found === undefined) return keys;
        held = held.slice(found.length);
        if (found.key !== undefined) keys.push(found.key);
      }
    },
    rest() {
      const isEscape = held === ESC;
      // Half a paste is still on its way.
      if (!held.startsWith(PASTE_BEGIN)) held = "";
      return isEscape ? [{ type: "key", name: "escape" }] : [];
    },
  };
}

type Found = { readonly length: number; readonly key: Key | undefined };

function next(text: string): Found | undefined {
  if (text === "") return undefined;
  if (text.startsWith(PASTE_BEGIN)) return pasted(text);
  if (text.startsWith(ESC)) return escaped(text);
  const [sign = ""] = text;
  const name = NAMES[sign];
  if (name !== undefined) return { length: sign.length, key: { type: "key", name } };
  // Other control characters are no keys of ours.
  if (sign < " ") return { length: sign.length, key: undefined };
  return { length: sign.length, key: { type: "text", text: sign, pasted: false } };
}

function pasted(text: string): Found | undefined {
  const end = text.indexOf(PASTE_END);
  if (end === -1) return undefined;
  return {
    length: end + PASTE_END.length,
    key: { type: "text", text: text.slice(PASTE_BEGIN.length, end), pasted: true },
  };
}

function escaped(text: string): Found | undefined {
  // oxlint-disable-next-line no-control-regex
  const sequence = /^\u001B(?:\[[0-9;<=>?]*[ -/]*[@-~]|O[A-Za-z])/.exec(text)?.[0];
  if (sequence === undefined) {
    // Perhaps the rest is still to come.
    // oxlint-disable-next-line no-control-regex
    if (/^\u001B(?:\[[0-9;<=>?]*[ -/]*|O)?$/.test(text)) return undefined;
    // Escape, and at once another key.
    return { length: 1, key: { type: "key", name: "escape" } };
  }
  const mouse = mouseOf(sequence);
  if (mouse !== undefined) return { length: sequence.length, key: mouse };
  const name = NAMES[sequence];
  return { length: sequence.length, key: name === undefined ? undefined : { type: "key", name } };
}

function mouseOf(sequence: string): Key | undefined {
  // oxlint-disable-next-line no-control-regex
  const match = /^\u001B\[<(\d+);(\d+);(\d+)M$/.exec(sequence);
  if (match === null) return undefined;
  const button = Number(match[1]);
  const at = { line: Number(match[3]), column: Number(match[2]) };
  if (button === 0) return { type: "mouse", what: "click", ...at };
  if (button === WHEEL_UP) return { type: "mouse", what: "up", ...at };
  return button === WHEEL_DOWN ? { type: "mouse", what: "down", ...at } : undefined;
}
