/** The files of a run that was halted say so. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import { procsOf } from "../support/procs.ts";
import { scene } from "./acting-support.ts";

const SHOWN = `$schema: workflow-1.schema.json
name: shown
title: A person writes a note, and a file shows how far it is
states: { open: { waits: true }, closed: { final: done } }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: closed, by: human }
projection:
  - file: status.json
    as: json
    data: { status: { from: run.progress }, stoppedAt: { from: run.stoppedAt } }
`;

test("whoever stops a run finds it in its files, and whoever resumes it finds it gone", async () => {
  const on = await scene({ ".signalbox/workflows/shown/workflow.yaml": SHOWN });
  const id = (await on.say("run shown --detach --quiet")).stdout.trim();
  const told = (): unknown =>
    JSON.parse(readFileSync(join(runFolders(on.home, id).files, "status.json"), "utf8"));
  expect(told()).toEqual({ status: "in_progress", stoppedAt: null });
  await on.say(`stop ${id}`);
  expect(told()).toMatchObject({ status: "stopped" });
  expect(JSON.stringify(told())).toMatch(/"stoppedAt":"\d{4}-[^"]*Z"/);
  await on.say(`resume ${id}`);
  expect(told()).toEqual({ status: "in_progress", stoppedAt: null });
});

test("a stop of what has detached itself stands out in the history, as moves do", async () => {
  const on = await scene({ ".signalbox/workflows/shown/workflow.yaml": SHOWN });
  const id = (await on.say("run shown --detach --quiet")).stdout.trim();
  const procs = procsOf([{ pid: 1, name: "init" }]);
  for (const word of ["stop", "resume"]) await on.say(`${word} ${id}`, { procs });
  const { stdout } = await on.say(`history ${id}`);
  const by = String.raw`\S+ \(no terminal, nothing above it but init\)`;
  expect(stdout).toMatch(new RegExp(`${by} halted the run`));
  expect(stdout).toMatch(new RegExp(`${by} resumed the run`));
});
