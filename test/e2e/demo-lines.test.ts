/** The demo, for programs: every line is one document of the published schema, and the last says how it ended. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "vitest";
import { STREAMS } from "../../src/app/answers.ts";

const PLACES: [where: string, env: Record<string, string>][] = [
  ["anywhere", {}],
  ["inside of a coding agent", { CLAUDECODE: "1" }],
  [
    "inside of an agent of a run",
    { SIGNALBOX_JOB: "x.worker.1.1", SIGNALBOX_TOKEN: "x", SIGNALBOX_RUN: "x" },
  ],
];

// The last one is the strictest.
const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

type End = [workflow: string, asked: number, runs: object[]];

// What they are made of is looked at by demo-scripts.test.ts.
const LONG: End[] = [
  ["change", 2, [{ state: "archived", status: "done" }]],
  ["orchestrated", 3, [{ state: "DONE", status: "done" }]],
  ["staged", 1, [{ state: "completed", status: "done" }]],
];

const ENDS: End[] = [
  ["task", 4, [{ state: "done" }, { state: "done" }, { state: "done" }]],
  ...(IS_DEEP ? LONG : []),
];

const demos = ENDS.flatMap((end) =>
  (IS_DEEP ? PLACES : PLACES.slice(-1)).map(([where, more]) => ({ where, more, end })),
);

describe.concurrent("demo --yes --json", () => {
  test.for(demos)("$end.0, $where", async ({ more, end: [workflow, asked, runs] }, { expect }) => {
    const { status, stdout, stderr } = await demo([workflow, "--yes", "--json"], more);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    for (const line of lines)
      expect(STREAMS["demo"]?.safeParse(JSON.parse(line)).error?.issues).toBeUndefined();
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ exit: 0, code: "ok", runs });
    expect(lines.filter((line) => line.includes('"asks"'))).toHaveLength(asked);
  });

  test.runIf(IS_DEEP)(
    "staged, for people: nothing but commands is wider than a terminal",
    async ({ expect }) => {
      const { status, stdout } = await demo(["staged", "--yes"], {});
      expect(status).toBe(0);
      const wide = stdout.split("\n").filter((line) => line.length > 80);
      expect(wide.filter((line) => !/bin\/signalbox |^ {2}export /.test(line))).toEqual([]);
      expect(stdout).toMatch(
        /task 3 waits for a person[^]*task 3 is done[^]*On the branch [^\n]+:\n {2}\w+ Shout/,
      );
    },
  );
});

type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

async function demo(argv: readonly string[], more: Record<string, string>): Promise<Ended> {
  const cwd = mkdtempSync(join(tmpdir(), "signalbox-demo-lines-"));
  const program = join(import.meta.dirname, "../../bin/signalbox");
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd, DEMO_PAUSE: "0", ...more };
  const child = spawn(program, ["demo", ...argv], { cwd, env });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const [status] = (await once(child, "close")) as [number | null];
  rmSync(cwd, { recursive: true });
  return { status, stdout, stderr };
}
