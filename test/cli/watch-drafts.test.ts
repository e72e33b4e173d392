/** Nobody types a text twice. */

import { expect, test } from "vitest";
import type { Model } from "../../src/cli/watch/model.ts";
import { update } from "../../src/cli/watch/update.ts";
import { model, row, typed } from "./watch-rows.ts";

test.for<[keys: string, typed: string]>([
  ["cfix[tab]It is off[enter]", "c"],
  ["raround[enter]", "r"],
  ["atry it[enter]", "a"],
])("what was typed is there again when it is refused: %s", ([keys, again]) => {
  const acts = { changes: "", answer: "" };
  const open = model([row("b1", { acts })]);
  const { mode } = typed(open, keys.replace("[enter]", "")).model;
  const sent = typed(open, keys).model;
  expect(sent.mode.type).toBe("table");
  const end = (from: Model, isGood: boolean): Model =>
    update(from, { type: "command-ended", text: "no", isGood }).model;
  expect(end(sent, false)).toMatchObject({ mode, message: { text: "no", tone: "bad" } });
  // It can be sent once more, left, and is not there when it was good.
  expect(typed(end(sent, false), "[enter]").effects).toEqual(typed(open, keys).effects);
  for (const over of [typed(end(sent, false), "[escape]").model, end(sent, true)]) {
    expect(end(over, false).mode.type).toBe("table");
    expect(typed(over, again).model.mode).not.toEqual(mode);
  }
  // Where something else is on the screen by then, its key brings it back.
  const later = end(typed(sent, "?").model, false);
  expect(later.mode.type).toBe("help");
  expect(typed(later, `[escape]${again}`).model.mode).toEqual(mode);
});
