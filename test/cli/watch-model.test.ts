/** The pure parts of the screen: what keys do, and what is drawn. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BoardRow } from "../../src/app/board/row.ts";
import { harmless, paintOf } from "../../src/cli/paint.ts";
import { keyboard, type Key } from "../../src/cli/watch/keys.ts";
import type { Mode, News, Next } from "../../src/cli/watch/model.ts";
import { sayCommand } from "../../src/cli/watch/acts.ts";
import { update } from "../../src/cli/watch/update.ts";
import { view } from "../../src/cli/watch/view/screen.ts";
import { clipped, padded, plain, widthOf } from "../../src/cli/watch/width.ts";
import { board, model, row, typed, WAIT } from "./watch-rows.ts";

const PLAIN = paintOf(false);

const LIVE = row("a1", { acts: { attach: "" } });
const PERSON = row("b1", {
  state: "reviewing",
  status: "waiting",
  waits: { ...WAIT, kind: "person", short: "you", sentence: "The work waits for a person to look at it" },
  acts: { attach: "", changes: "", merge: "" },
});
const ASKS = row("g1", {
  state: "clarification",
  status: "waiting",
  waits: { ...WAIT, kind: "person", short: "you", sentence: "The worker has questions" },
  answerTo: "planning",
  asked: ["1. Which currency?", "2. Since when?"],
  acts: { answer: "" },
});
const DEAD = row("c1", { session: "dead", acts: { respawn: "" } });
const PENDING = row("d1", {
  state: "pending",
  status: "waiting",
  session: "none",
  work: null,
  round: null,
  waits: { ...WAIT, kind: "person", short: "you: start", sentence: "Not started yet." },
  acts: { start: "" },
});
const OVER = row("e1", {
  state: "done",
  status: "done",
  session: "none",
  work: null,
  waits: { ...WAIT, kind: "over", short: "", sentence: "Done." },
  acts: { cancel: "it is done", delete: "" },
});

/** In one line: the effects of the last key, the message, and the mode where it is not the table. */
function say({ model: { mode, message, selected, filter }, effects }: Next): string {
  const did = effects.map((effect) => {
    if (effect.type === "command" || effect.type === "foreground")
      return `${effect.type} ${sayCommand(effect.argv)}`;
    return "run" in effect ? `${effect.type} ${effect.run}` : effect.type;
  });
  return [...did, message?.text ?? "", mode.type === "table" ? "" : mode.type, `${selected} ${filter}`.trim()]
    .filter((part) => part !== "")
    .join("; ");
}

describe("a key", () => {
  test.for<[row: BoardRow, keys: string, does: string]>([
    [LIVE, "[enter]", "foreground signalbox attach a1; a1 all"],
    [LIVE, "w", "foreground signalbox attach a1; a1 all"],
    [DEAD, "[enter]", "command signalbox respawn c1; c1 all"],
    [PENDING, "[enter]", "command signalbox start d1; d1 all"],
    [row("f1", { acts: { resume: "" } }), "[enter]", "command signalbox resume f1; f1 all"],
    [OVER, "[enter]", "attach: not now; e1 all"],
    [LIVE, "y", "copy; a1 copied, where the terminal allows it; a1 all"],
    [LIVE, "v", "read-page a1; page; a1 all"],
    [LIVE, "vr", "changes: not now; page; a1 all"],
    [PERSON, "vr", "changes; b1 all"],
    [PERSON, "v[escape]", "b1 all"],
    [PERSON, "vv", "b1 all"],
    [PERSON, "vq", "b1 all"],
    [PERSON, "r", "changes; b1 all"],
    [PERSON, "rfix it[enter]", "command signalbox send-back b1 'fix it'; b1 all"],
    [PERSON, "r-x y[enter]", "command signalbox send-back -- b1 '-x y'; b1 all"],
    [PERSON, "rab[backspace]c[enter]", "command signalbox send-back b1 ac; b1 all"],
    [PERSON, "r[enter]", "type what to change first; changes; b1 all"],
    [PERSON, "rx[escape]", "b1 all"],
    [LIVE, "r", "changes: not now; a1 all"],
    [ASKS, "a", "answer; g1 all"],
    [ASKS, "aIn euro[enter]", "command signalbox answer g1 'In euro'; g1 all"],
    [ASKS, "a-1[enter]", "command signalbox answer -- g1 -1; g1 all"],
    [ASKS, "a[enter]", "type the answer first; answer; g1 all"],
    [ASKS, "ax[escape]", "g1 all"],
    [ASKS, "va", "answer; g1 all"],
    [ASKS, "vr", "changes: not now; page; g1 all"],
    [LIVE, "a", "answer: not now; a1 all"],
    [PERSON, "m", "forecast b1; confirm; b1 all"],
    // Nobody says yes to what is not known yet.
    [PERSON, "my", "confirm; b1 all"],
    [PERSON, "mn", "nothing was done; b1 all"],
    [LIVE, "m", "merge: not now; a1 all"],
    [LIVE, "x", "confirm; a1 all"],
    [LIVE, "xy", "command signalbox cancel a1; a1 all"],
    [LIVE, "xY", "nothing was done; a1 all"],
    [LIVE, "x[enter]", "nothing was done; a1 all"],
    [OVER, "x", "cancel: it is done; e1 all"],
    [OVER, "dy", "command signalbox delete e1; e1 all"],
    [LIVE, "d", "delete: not now; a1 all"],
    [LIVE, "p", "pull requests are not there yet: push the branch and open one by hand; a1 all"],
    [LIVE, "c", "harnesses; form; a1 all"],
    [LIVE, "cA sum[tab]b[enter]", "command signalbox create --project=shop b 'A sum'; a1 all"],
    [LIVE, "cA sum[enter]", "command signalbox create --project=shop '' 'A sum'; a1 all"],
    [
      LIVE,
      "c[tab]b[tab][tab][tab]x[enter]",
      "command signalbox create --finished --project=shop b ''; a1 all",
    ],
    [LIVE, "c[enter]", "a branch or a summary, please; form; a1 all"],
    [LIVE, "cb[escape]", "a1 all"],
    [LIVE, "f", "refresh; done"],
    [LIVE, "ff", "refresh; a1 active"],
    [OVER, "ff", "refresh; active"],
    [LIVE, "?", "help; a1 all"],
    [LIVE, "?[escape]", "a1 all"],
    [LIVE, "q", "quit; a1 all"],
    [LIVE, "[ctrl-c]", "quit; a1 all"],
    [LIVE, "c[ctrl-c]", "quit; form; a1 all"],
    [LIVE, "[ctrl-z]", "suspend; a1 all"],
    [LIVE, "z", "a1 all"],
  ])("%#: $1 -> $2", ([one, keys, does]) => {
    expect(say(typed(model([one]), keys))).toBe(does);
  });

  test("y in a question about a merge whose outcome is known", () => {
    const asked = typed(model([PERSON]), "m").model;
    const known = update(asked, { type: "forecast-made", run: "b1", text: "a fast-forward" }).model;
    expect(view(known, PLAIN).join("\n")).toContain("a fast-forward");
    expect(say(typed(known, "y"))).toBe("command signalbox accept b1; b1 all");
  });

  test("an answer is typed below the question", () => {
    const screen = view(typed(model([ASKS]), "a").model, PLAIN).join("\n");
    expect(screen).toContain("Which currency?\n2. Since when?\n_\n");
  });

  test("harnesses are gone through by any key", () => {
    const form = typed(model([LIVE]), "c[tab]b[tab]").model;
    const known = update(form, { type: "harnesses-known", harnesses: ["claude", "codex"] }).model;
    expect(say(typed(known, "x[enter]"))).toBe(
      "command signalbox create --harness=claude --project=shop b ''; a1 all",
    );
    expect(say(typed(known, "xx[enter]"))).toBe(
      "command signalbox create --harness=codex --project=shop b ''; a1 all",
    );
  });

  test("the review harness is the usual one, or one of them", () => {
    const form = typed(model([LIVE]), "c[tab]b[tab][tab]").model;
    const known = update({ ...form }, { type: "harnesses-known", harnesses: ["claude", "codex"] }).model;
    expect(view(known, PLAIN).join("\n")).toContain("> review harness < as configured >");
    const review = (name: string): string => `command signalbox create ${name}--project=shop b ''; a1 all`;
    expect(say(typed(known, "[enter]"))).toBe(review(""));
    expect(say(typed(known, "xx[enter]"))).toBe(review("--review-harness=codex "));
    expect(say(typed(known, "xxx[enter]"))).toBe(review(""));
  });

  test("one command at a time", () => {
    const busy = update(model([PENDING]), { type: "command-begun", argv: ["start", "d1"] }).model;
    expect(say(typed(busy, "[enter]"))).toBe("one thing at a time: signalbox start d1; d1 all");
    const free = update(busy, { type: "command-ended", text: "it goes", isGood: true }).model;
    expect(say({ model: free, effects: [] })).toBe("it goes; d1 all");
  });

  test("what is pasted is text where there is a field, and nothing where there are keys", () => {
    const paste: News = { type: "text", text: "xy\nq", pasted: true };
    expect(say(update(model([LIVE]), paste))).toBe("a1 all");
    expect(say(update(typed(model([LIVE]), "x").model, paste))).toBe("confirm; a1 all");
    const { model: form } = update(typed(model([LIVE]), "c").model, paste);
    expect(form.mode).toMatchObject({ type: "form", summary: "xy q" });
  });
});

describe("moving", () => {
  const rows = Array.from({ length: 30 }, (_none, at) => row(`r${at}`));

  test.for<[keys: string, selected: string, top: number]>([
    ["", "r0", 0],
    ["k", "r0", 0],
    ["jj", "r2", 0],
    ["jjk", "r1", 0],
    ["[down][down][up]", "r1", 0],
    ["G", "r29", 12],
    ["Gj", "r29", 12],
    ["Gg", "r0", 0],
    ["[page-down]", "r18", 1],
  ])("%s -> %s from %i", ([keys, selected, top]) => {
    const { model: after } = typed(model(rows), keys);
    expect({ selected: after.selected, top: after.top }).toEqual({ selected, top });
  });

  test("a click selects what is under it, the wheel goes on", () => {
    const click = (line: number): News => ({ type: "mouse", what: "click", line, column: 5 });
    expect(update(model(rows), click(5)).model.selected).toBe("r2");
    expect(update(model([LIVE, DEAD]), click(4)).model.selected).toBe("c1");
    expect(update(model(rows), click(1)).model.selected).toBe("r0");
    const wheel: News = { type: "mouse", what: "down", line: 9, column: 1 };
    expect(update(model(rows), wheel).model.selected).toBe("r1");
  });

  test("the selection stays with its run when rows change places, and finds another when it is gone", () => {
    const before = typed(model([LIVE, DEAD, PENDING]), "j").model;
    const moved = update(before, { type: "board", board: board(DEAD, PENDING, LIVE) }).model;
    expect(moved.selected).toBe("c1");
    expect(update(moved, { type: "board", board: board(LIVE) }).model.selected).toBe("a1");
    expect(update(moved, { type: "board", board: board() }).model.selected).toBe("");
  });
});

describe("the screen", () => {
  test("at 80 by 24", () => {
    const lines = view(model([PERSON, LIVE, DEAD, PENDING, OVER]), PLAIN);
    expect(lines.map((line) => line.trimEnd()).join("\n")).toMatchInlineSnapshot(`
      "signalbox   2 wait for you   all: 5   agents: shop 1/4
        SUMMARY          STATE     WAITS FOR  SESSION ROUND WORK       AGE RUN
      > What b1 is about reviewing you        alive   1/2   3c +120 -4 4m  branch-b1
        What a1 is about working   worker     alive   1/2   3c +120 -4 4m  branch-a1
        What c1 is about working   worker     dead    1/2   3c +120 -4 4m  branch-c1
        What d1 is about pending   you: start -                        4m  branch-d1
        What e1 is about done                 -       1/2              4m  branch-e1













      b1  What b1 is about
      The work waits for a person to look at it

      enter attach  v view  r changes  m merge  x cancel  f filter  ? help  q quit"
    `);
  });

  test("at 80 columns there is room for what runs are about", () => {
    const summary = "Fix the dates in the export of all the reports";
    const [, titles = "", first = ""] = view(model([{ ...LIVE, summary }, DEAD]), PLAIN);
    expect(first).toContain("Fix the dates in the e");
    expect(titles).toMatch(/STATE .*WAITS FOR .*AGE .*RUN/);
  });

  const rows = Array.from({ length: 40 }, (_none, at) =>
    row(`r${at}`, { summary: "日本語のテキスト \u001B[2J 👨‍👩‍👧 é".repeat(9), branch: `x/${"語".repeat(at)}` }),
  );
  const modes: readonly Mode[] = [
    { type: "table" },
    { type: "help", top: 3 },
    { type: "page", run: "r1", top: 2, text: "\u001B]0;owned\u0007\ttext 日本語\n".repeat(50) },
    {
      type: "form",
      at: 1,
      branch: "语".repeat(200),
      summary: "x",
      harness: "claude",
      reviewHarness: "",
      status: "pending",
    },
    { type: "answer", run: "r1", to: "planning", text: "long ".repeat(100) },
    { type: "changes", run: "r1", text: "long ".repeat(100) },
    { type: "confirm", run: "r1", question: "Really? ".repeat(40), forecast: "a\nb\nc\nd\ne", argv: ["x"] },
  ];

  test("no size and no mode draws more lines or wider ones, or a command to the terminal", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 200 }),
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom(...modes),
        (columns, lines, mode) => {
          const drawn = view(
            update({ ...model(rows), mode }, { type: "resized", size: { columns, lines } }).model,
            PLAIN,
          );
          expect(drawn.length).toBeLessThanOrEqual(lines);
          for (const line of drawn) {
            expect(widthOf(line)).toBeLessThanOrEqual(columns);
            // oxlint-disable-next-line no-control-regex
            expect(line).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E]/);
          }
        },
      ),
    );
  });

  test("keys that do nothing now are dim", () => {
    const lines = view(model([LIVE], { size: { columns: 120, lines: 24 } }), paintOf(true));
    const last = harmless(lines.at(-1) ?? "");
    expect(last).toContain("enter attach");
    expect(last).toContain("\u001B[2mm merge\u001B[22m");
    expect(last).not.toContain("\u001B[2mx cancel");
  });

  test("without runs it says what to do", () => {
    expect(view(model([]), PLAIN).join("\n")).toContain("There are no runs yet.");
    expect(view(model([OVER], { filter: "active" }), PLAIN).join("\n")).toContain("No run is under way.");
  });

  test("why it is not up to date", () => {
    const stale = update(model([LIVE]), { type: "stale", why: "the database is locked" }).model;
    expect(view(stale, PLAIN).join("\n")).toContain("not up to date: the database is locked");
  });
});

describe("keys of a terminal", () => {
  test.for<[typed: string, keys: readonly Key[]]>([
    ["j", [{ type: "text", text: "j", pasted: false }]],
    [
      "\u001B[A\u001BOB",
      [
        { type: "key", name: "up" },
        { type: "key", name: "down" },
      ],
    ],
    [
      "\r\t\u007F",
      [
        { type: "key", name: "enter" },
        { type: "key", name: "tab" },
        { type: "key", name: "backspace" },
      ],
    ],
    ["\u001B[<0;7;3M", [{ type: "mouse", what: "click", line: 3, column: 7 }]],
    ["\u001B[<0;7;3m", []],
    ["\u001B[<65;1;1M", [{ type: "mouse", what: "down", line: 1, column: 1 }]],
    [
      "\u001B[200~a\u001Bq\nb\u001B[201~j",
      [
        { type: "text", text: "a\u001Bq\nb", pasted: true },
        { type: "text", text: "j", pasted: false },
      ],
    ],
    [
      "\u001Bj",
      [
        { type: "key", name: "escape" },
        { type: "text", text: "j", pasted: false },
      ],
    ],
    ["\u001B[1;5C\u0001日", [{ type: "text", text: "日", pasted: false }]],
  ])("%j", ([text, keys]) => {
    expect(keyboard().take(text)).toEqual(keys);
    // In pieces it is the same.
    const slow = keyboard();
    expect(Array.from(text).flatMap((sign) => slow.take(sign))).toEqual(keys);
  });

  test("an escape that stands alone is one as soon as nothing follows", () => {
    const keys = keyboard();
    expect(keys.take("\u001B")).toEqual([]);
    expect(keys.rest()).toEqual([{ type: "key", name: "escape" }]);
    expect(keys.rest()).toEqual([]);
  });
});

describe("widths", () => {
  test.for<[text: string, said: string, width: number]>([
    ["abc", "abc", 3],
    ["日本", "日本", 4],
    ["e\u0301", "é", 1],
    ["👨‍👩‍👧", "👨👩👧", 6],
    ["👍🏽", "👍", 2],
    ["🇩🇪", "DE", 2],
    ["a\u200B\u202Eb\tc\nd", "a\uFFFDb c d", 7],
    ["\u001B[31mred", "red", 3],
    ["\u001B[2Jgone", "\uFFFD[2Jgone", 8],
    [`z${"\u0300".repeat(50)}`, `z${"\u0300".repeat(3)}`, 1],
  ])("%j is %j", ([text, said, width]) => {
    expect(plain(text)).toBe(said);
    expect(widthOf(plain(text))).toBe(width);
  });

  test("clipping and filling never go wrong by a cell", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 0, max: 30 }), (text, width) => {
        const shown = plain(text);
        expect(widthOf(clipped(shown, width))).toBeLessThanOrEqual(width);
        expect(widthOf(padded(shown, width))).toBe(width);
      }),
    );
  });
});
