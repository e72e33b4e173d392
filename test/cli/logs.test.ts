/** The log of a program with a driver: text for people, and with `--raw` the lines that it printed. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { AT, machine, PERSON } from "./reading-support.ts";

describe("the log of a program with a driver", async () => {
  const on = await machine();
  await on.begin("abcd1234");
  const LOG = [
    '{"type":"thread.started","thread_id":"t-1"}',
    '{"type":"item.started","item":{"id":"1","type":"command_execution","command":"npm test"}}',
    '{"type":"item.started","item":{"id":"2","type":"command_execution","command":"ls"}}',
    `{"type":"item.completed","item":{"id":"1","type":"command_execution","aggregated_output":"${"line\\n".repeat(12)}","status":"failed"}}`,
    '{"type":"item.completed","item":{"id":"2","type":"command_execution","aggregated_output":"\\u001b[31mred\\u001b[0m\\u0000\\n","status":"completed"}}',
    "a warning",
    '{"type":"of a newer version"}',
    '{"type":"turn.failed","error":{"message":"Quota exceeded. Check your plan."}}',
    '{"type":"turn.comp',
  ].join("\n");
  const SHOWN = `Conversation t-1
> command: npm test
> command: ls
< command: npm test
${"  line\n".repeat(10)}  ... and 2 more lines
  (failed)
  red\uFFFD
a warning
Failed. Quota: Quota exceeded. Check your plan.
`;

  test("is text for people, and --raw prints the lines", async () => {
    const { dir } = await on.agent("abcd1234", { log: LOG, turn: 3 });
    writeFileSync(join(dir, "driver"), "codex");
    expect((await on.call("logs abcd")).stdout).toBe(SHOWN);
    expect(await on.data("logs abcd")).toMatchObject({ text: SHOWN.replace("\uFFFD", "\0") });
    expect((await on.call("logs abcd --raw")).stdout).toBe(`${LOG}\n`);
  });

  const USAGE = { input_tokens: 9, output_tokens: 2, padding: "x".repeat(9000) };
  test.for([
    ["its failure", "fail1234", "codex", LOG, "Quota: Quota exceeded. Check your plan."],
    [
      "its last words, before a long line that is for programs",
      "word1234",
      "claude",
      [
        '{"type":"assistant","message":{"content":[{"type":"text","text":"I looked.\\nNothing to do.\\n"}]}}',
        JSON.stringify({ type: "result", is_error: false, usage: USAGE }),
      ].join("\n"),
      "Nothing to do.",
    ],
    ["not half of a line", "half1234", "claude", `{"type":"${"x".repeat(99_000)}"}`, ""],
    ["its last line, without a driver", "line1234", "command", '{"a":1}\n\n', '{"a":1}'],
  ])(
    "show tells what an agent that failed said last: %s",
    async ([, id = "", driver = "", log = "", said]) => {
      await on.begin(id);
      const { dir } = await on.agent(id, { log, status: "idle", exit: 1 });
      writeFileSync(join(dir, "driver"), driver);
      expect(await on.data(`show ${id}`)).toMatchObject({ agents: [{ exit: 1, output: said }] });
    },
  );

  test.for([false, true])("the same where it is followed (raw: %s)", async (isRaw) => {
    const id = isRaw ? "rawf1234" : "read1234";
    await on.begin(id);
    const job = await on.agent(id, { log: LOG });
    writeFileSync(join(job.dir, "driver"), "codex");
    await on.store.commit([{ type: "put-job", job: { ...job, status: "over" } }]);
    await on.happen(id, { type: "move-asked", by: PERSON, at: AT, to: "dropped", tree: "t1" });
    const printed: string[] = [];
    const live = {
      print: (text: string) => void printed.push(text),
      interrupted: () => new AbortController().signal,
    };
    await run(["logs", id, "-f", ...(isRaw ? ["--raw"] : [])], { cwd: "/", env: on.env, live });
    expect(printed.join("")).toBe(isRaw ? `${LOG}\n` : SHOWN);
  });
});
