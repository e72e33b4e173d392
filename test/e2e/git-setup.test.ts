/** The command of `workspace.setup`: before the first agent, once for each workspace, and told where it fails. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { isPerson } from "../support/person.ts";
import { begin, clear, look, makeLife, type, untilOver } from "./lives/life.ts";
import type { Life } from "./lives/life.ts";

/** Says where it runs and who has been there before it; fails until somebody puts a file there. */
function configOf(root: string): string {
  const ledger = join(root, "ledger");
  const harness = (name: string) =>
    `  ${name}: { command: [sh, ${join(import.meta.dirname, `lives/${name}.sh`)}], set: { LEDGER: ${ledger} } }\n`;
  const line = `echo "$PWD" >> ${ledger}/setup; echo why; test -e ${ledger}/mended`;
  return `harnesses:\n${harness("worker")}${harness("reviewer")}workspace:\n  setup: '${line}'\n`;
}

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;
const isTurn = (name: string) => name.includes("/turn-");
const linesOf = (life: Life) => readFileSync(join(life.ledger, "setup"), "utf8").trimEnd().split("\n");

test.runIf(isPerson)("no agent is started before it has done its work", { timeout: 120_000 }, async () => {
  const life = makeLife({ config: configOf });
  const run = await begin(life);
  while (look(life, run).attention === "") await pause(50);
  const { attention } = look(life, run);
  expect(attention).toContain("workspace.setup ended with exit code 1");
  const log = /its log: (\S+out\.log)/.exec(attention)?.[1] ?? "";
  expect(readFileSync(log, "utf8")).toContain("why");
  const folder = join(life.home.root, "runs", run, "agents");
  const turns = () =>
    existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isTurn) : [];
  expect(turns()).toEqual([]);
  const place = join(life.home.worktrees, "repo--1");
  expect(linesOf(life)).toEqual([place]);
  writeFileSync(join(life.ledger, "mended"), "");
  await type(life, ["resume", run]);
  expect(await untilOver(life, run)).toBe("done");
  expect(turns()).not.toEqual([]);
  expect(linesOf(life)).toEqual([place, place]);
  await clear(life);
});

test.runIf(isPerson && isDeep)(
  "the next one has the same folder, set up again",
  { timeout: 120_000 },
  async () => {
    const life = makeLife({ config: configOf });
    writeFileSync(join(life.ledger, "mended"), "");
    expect(await untilOver(life, await begin(life))).toBe("done");
    const params = ["--param", "harness=worker", "--param", "review_harness=reviewer"];
    const second = await type(life, ["run", "task", "Another", ...params, "--detach"]);
    expect(await untilOver(life, String(second.document["run"]))).toBe("done");
    const place = join(life.home.worktrees, "repo--1");
    expect(linesOf(life)).toEqual([place, place]);
    await clear(life);
  },
);
