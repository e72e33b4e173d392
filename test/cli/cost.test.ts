/** `signalbox cost`, and what every screen says of what a run used. */

import * as z from "zod/mini";
import { describe, expect, test } from "vitest";
import { SCHEMAS } from "../../src/app/schemas.ts";
import type { TurnReport } from "../../src/core/model/event.ts";
import { machine, type Machine } from "./reading-support.ts";

const KNOWN: Partial<TurnReport> = {
  harness: "claude",
  model: "claude-opus-5-5",
  usage: { input: 47_431, cached: 40_000, output: 80 },
  cost: { usd: 0.19, basis: "reported" },
  ms: 125_000,
};
const QUOTA = { class: "quota", message: "Out of credits." } as const;

type Said = Partial<TurnReport> & { readonly turn: number; readonly at: string };

async function reported(on: Machine, id: string, { at, ...more }: Said): Promise<void> {
  const of = { role: "worker", slot: "", attempt: 1 };
  const rest = {
    harness: "codex",
    model: "",
    conversation: "",
    ms: 4000,
    end: "exited",
    refused: [],
  } as const;
  await on.happen(id, { type: "turn-reported", at, ...of, ...rest, ...more });
}

describe("two runs", async () => {
  const on = await machine();
  await on.begin("abcd1234", { goal: "Write a letter" });
  await on.begin("wxyz1234", { goal: "Send it" });
  await on.begin("idle1234");
  const day = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
  await reported(on, "abcd1234", { at: day(2), turn: 1, ...KNOWN });
  await reported(on, "abcd1234", { at: day(1), turn: 2, end: "killed" });
  await reported(on, "wxyz1234", {
    at: day(1),
    turn: 1,
    model: "gpt-5",
    usage: { input: 900, cached: 0, output: 20 },
    cost: { usd: 0.25, basis: "estimated" },
  });
  await reported(on, "wxyz1234", { at: day(40), turn: 2, failure: QUOTA, refused: ["WebFetch"] });

  const lines = async (line: string): Promise<string[]> =>
    (await on.call(line)).stdout
      .split("\n")
      .map((each) => each.replaceAll(/\d{4}-\d\d-\d\d( [\d:]+)?/g, "DAY"));

  test("each run of the last 30 days, the dearest first", async () => {
    expect(await lines("cost")).toMatchInlineSnapshot(`
      [
        "RUN             TURNS  TOKENS               COST            TIME        ID",
        "Send it         1      920 tokens           about $0.25     4 s         wxyz",
        "Write a letter  2      at least 48k tokens  at least $0.19  2 min 09 s  abcd",
        "3 turns: at least 48k tokens, at least about $0.44, 2 min 13 s since DAY",
        "",
      ]
    `);
  });

  test.for(["role", "model", "project", "day"])("by %s", async (by) => {
    expect(await lines(`cost --by ${by} --since 2020-01-01`)).toMatchSnapshot("rows");
  });

  test.for(["abcd", "wxyz"])("each turn of run %s", async (run) => {
    expect(await lines(`cost ${run}`)).toMatchSnapshot("turns");
  });

  test("JSON is as published, and unknown is null", async () => {
    const { ok: _ok, code: _code, message: _message, next: _next, ...data } = await on.data("cost wxyz");
    expect(z.strictObject(SCHEMAS.cost.output.shape).safeParse(data).error).toBeUndefined();
    expect(data).toMatchObject({
      run: "wxyz1234",
      by: "turn",
      since: "",
      rows: [
        {
          used: {
            turns: 1,
            input: null,
            cached: null,
            output: null,
            usd: null,
            unknownTokens: 1,
            unknownCost: 1,
          },
        },
        { used: { input: 900, usd: 0.25, estimated: true }, turn: { model: "gpt-5", turn: 1 } },
      ],
      total: { turns: 2, input: 900, output: 20, usd: 0.25, unknownTokens: 1 },
    });
  });

  test("show says what a run used where something is known of it, and list in JSON", async () => {
    expect((await on.call("show abcd")).stdout).toContain(
      "used   2 turns: at least 48k tokens, at least $0.19, 2 min 09 s\n",
    );
    expect((await on.call("show idle")).stdout).not.toContain("used");
    const { runs } = await on.data("list");
    const used = (runs as { run: string; used: { turns: number } }[]).map((each) => [
      each.run,
      each.used.turns,
    ]);
    expect(Object.fromEntries(used)).toEqual({ abcd1234: 2, idle1234: 0, wxyz1234: 2 });
  });

  test("history tells it", async () => {
    expect((await lines("history wxyz")).join("\n")).toContain(
      "Worker's turn used 920 tokens (about $0.25).",
    );
    expect((await lines("history wxyz")).join("\n")).toContain(
      "Worker's turn failed: Out of credits. It was not allowed to use WebFetch.",
    );
  });

  test.for([
    ["cost --by week", '--by is turn, role, run, project, day, model, not "week"'],
    ["cost --since monday", '"monday" is not a day'],
    ["cost nobody", "nobody"],
  ])("%s is refused", async ([line = "", said]) => {
    const { stderr, code } = await on.call(line);
    expect(stderr).toContain(said);
    expect(code).not.toBe(0);
  });
});

test("nothing was ever started", async () => {
  const on = await machine();
  expect((await on.call("cost")).stdout).toMatch(/^no turn yet since /);
});
