/** A git that is not there, fails or says nothing sensible is the machine's: told in one sentence, and never as a bug of ours. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Printed } from "../../src/cli/run.ts";
import { taskScene } from "./task-support.ts";

const LINES = ["task create x y --no-start", "run task x --detach"];

const GITS: readonly (readonly [what: string, script: string | undefined])[] = [
  ["there is none", undefined],
  ["it fails", "echo boom >&2; echo bang >&2; exit 1"],
  ["it ends by a signal", "kill -KILL $$"],
  ["it says nothing", "exit 0"],
];

test.for(GITS)("%s", async ([, script]) => {
  const on = await taskScene();
  const path = join(on.repo, "../programs");
  mkdirSync(path);
  if (script !== undefined) {
    writeFileSync(join(path, "git"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(path, "git"), 0o755);
  }
  const env = { ...on.env, PATH: path };
  const said = [];
  for (const line of LINES) {
    said.push(plain(await on.say(line.split(" "), { env })));
    said.push(asDocument(await on.say([...line.split(" "), "--json"], { env })));
  }
  expect(said).toEqual(said.map(() => "clear"));
});

/** What is wrong with an answer that people read. */
function plain({ code, stdout, stderr }: Printed): string {
  const isClear = code === 0 || /^signalbox: .*\n {2}next: \S.*\n$/.test(stderr);
  return code !== 70 && isClear ? "clear" : `${code} ${stdout}${stderr}`;
}

/** What is wrong with an answer that programs read. */
function asDocument({ code, stdout, stderr }: Printed): string {
  const { ok, next } = JSON.parse(stdout) as { ok: boolean; next: string };
  const isClear = ok === (code === 0) && next !== "" && stderr === "";
  return code !== 70 && isClear ? "clear" : `${code} ${stdout}${stderr}`;
}
