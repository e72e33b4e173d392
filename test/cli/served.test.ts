/** Which questions the supervisor answers, and which it leaves to whoever asks. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { homeAt } from "../../src/adapters/home/paths.ts";
import type { Printed } from "../../src/adapters/supervisor/listen.ts";
import { PROTOCOL, type Question } from "../../src/adapters/supervisor/wire.ts";
import { serving } from "../../src/cli/served.ts";
import type { Box } from "../../src/engine/box.ts";
import { asking } from "../support/asking.ts";

/** Answers by what is wrong with how it was typed, before anything of the box is needed. */
async function answering(): Promise<{
  readonly question: Question;
  readonly ask: (question: unknown) => Promise<Printed | undefined>;
}> {
  const { question, program } = await asking(["move"]);
  const answer = serving({
    home: homeAt(question.cwd),
    box: {} as Box,
    env: {},
    programs: [program],
    ring: () => undefined,
  });
  return {
    question,
    ask: (asked) => answer({ question: asked, read: () => Promise.reject(new Error("no")) }),
  };
}

test("one that is as it should be is answered, anything else is not", async () => {
  const { question, ask } = await answering();
  expect(await ask(question)).toMatchObject({ code: 2, stdout: "" });
  const others: readonly Partial<Question>[] = [
    { protocol: PROTOCOL + 1 },
    { version: `${question.version}.1` },
    { argv: ["show"] },
    { argv: ["move", "--help"] },
    { env: { ...question.env, SIGNALBOX_TOKEN: "" } },
    { env: { SIGNALBOX_HOME: question.cwd } },
    { env: { ...question.env, SIGNALBOX_HOME: "/elsewhere" } },
    { pid: process.pid },
    { key: "mine" },
  ];
  for (const other of others)
    expect([other, await ask({ ...question, ...other })]).toEqual([other, undefined]);
  expect(await ask("hello")).toBeUndefined();
});

test("another database in the place of ours: whoever asks finds it itself", async () => {
  const { question, ask } = await answering();
  writeFileSync(join(question.cwd, "signalbox.db"), "");
  expect(await ask(question)).toBeUndefined();
});
