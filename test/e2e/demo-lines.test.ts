/** The demo, for programs: every line is one document of the published schema, and the last says how it ended. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { STREAMS } from "../../src/format/answers/answers.ts";

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

test.for(IS_DEEP ? PLACES : PLACES.slice(-1))("demo --yes --json, %s", ([, more]) => {
  const cwd = mkdtempSync(join(tmpdir(), "signalbox-demo-lines-"));
  const program = join(import.meta.dirname, "../../bin/signalbox");
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd, ...more };
  const { status, stdout, stderr } = spawnSync(program, ["demo", "--yes", "--json"], {
    cwd,
    env,
    encoding: "utf8",
  });
  rmSync(cwd, { recursive: true });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  for (const line of lines)
    expect(STREAMS["demo"]?.safeParse(JSON.parse(line)).error?.issues).toBeUndefined();
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
    exit: 0,
    code: "ok",
    runs: [{ state: "done" }, { state: "done" }, { state: "done" }],
  });
});
