/** Workspaces are set up before the first agent, once each, and only as many as there is room for. */
import { execFileSync } from "node:child_process";
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
  const line = `echo "$PWD" >> ${ledger}/setup; echo "$SIGNALBOX_CACHE" >> ${ledger}/cache; echo why; test -e ${ledger}/mended`;
  return `harnesses:\n${harness("worker")}${harness("reviewer")}workspace:\n  setup: '${line}'\n`;
}

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;
/** The checkouts of judges are set up too. */
const isJudges = (line: string) => line.includes("/agents/");
const isTurn = (name: string) => name.includes("/turn-");
const linesOf = (life: Life, file = "setup") =>
  readFileSync(join(life.ledger, file), "utf8").trimEnd().split("\n");

test.runIf(isPerson)("no agent is started before it has done its work", { timeout: 120_000 }, async () => {
  const life = makeLife({ config: configOf });
  const run = await begin(life);
  while ((await look(life, run)).attention === "") await pause(50);
  const { attention } = await look(life, run);
  expect(attention).toContain("workspace.setup ended with exit code 1");
  const log = /its log: (\S+out\.log)/.exec(attention)?.[1] ?? "";
  expect(readFileSync(log, "utf8")).toContain("why");
  const folder = join(life.home.root, "runs", run, "agents");
  const turns = () =>
    existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isTurn) : [];
  expect(turns()).toEqual([]);
  const place = join(life.home.workspaces, run);
  expect(linesOf(life)).toEqual([place]);
  writeFileSync(join(life.ledger, "mended"), "");
  await type(life, ["resume", run]);
  expect(await untilOver(life, run)).toBe("done");
  expect(turns()).not.toEqual([]);
  expect(linesOf(life).filter((line) => !isJudges(line))).toEqual([place, place]);
  await clear(life);
});

test.runIf(isPerson && isDeep)(
  "the next one has a folder of its own, and shares what is kept for both",
  { timeout: 120_000 },
  async () => {
    const life = makeLife({ config: configOf });
    writeFileSync(join(life.ledger, "mended"), "");
    const first = await begin(life);
    expect(await untilOver(life, first)).toBe("done");
    const params = ["--param", "harness=worker", "--param", "review_harness=reviewer"];
    const { document } = await type(life, ["run", "task", "Another", ...params, "--detach"]);
    const second = String(document["run"]);
    expect(await untilOver(life, second)).toBe("done");
    expect(linesOf(life).filter((line) => !isJudges(line))).toEqual(
      [first, second].map((run) => join(life.home.workspaces, run)),
    );
    const [cache = "", other] = linesOf(life, "cache");
    expect([other, existsSync(cache), cache.startsWith(`${life.home.caches}/repo-`)]).toEqual([
      cache,
      true,
      true,
    ]);
    await clear(life);
  },
);

test.runIf(isPerson)("cancelled while it is set up: its folder goes", { timeout: 120_000 }, async () => {
  const life = makeLife({ config: (root) => configOf(root).replace(/test -e .*'/, "sleep 600'") });
  const run = await begin(life);
  const place = join(life.home.workspaces, run);
  await expect.poll(() => existsSync(join(life.ledger, "setup")), { timeout: 60_000 }).toBe(true);
  expect(existsSync(place)).toBe(true);
  expect((await type(life, ["cancel", run])).code).toBe(0);
  await expect.poll(() => existsSync(place), { timeout: 60_000 }).toBe(false);
  await clear(life);
});

test.runIf(isPerson).for([
  ["max: 1", /^it waits for room for its workspace: 1 of 1 workspaces are in use; .*signalbox workspace gc/],
  [
    "min_free_mb: 1000000000",
    /^it waits for room .*: the disk has \d+ MB left, and a workspace needs 1000000000; /,
  ],
] as const)(
  "workspace.%s: the run waits, says what for, and goes on by itself",
  { timeout: 120_000 },
  async ([limit, said]) => {
    const life = makeLife({
      config: (root) => configOf(root).replace(/ {2}setup: .*\n/, `  ${limit}\n`),
    });
    const settings = join(life.root, "config/signalbox/config.yaml");
    const first = limit === "max: 1" ? await begin(life) : "";
    if (first !== "") await untilState(life, first, "reviewing");
    const params = ["--param", "harness=worker", "--param", "review_harness=reviewer"];
    const { code, document } = await type(life, ["run", "task", "Another", ...params, "--detach"]);
    const run = String(document["run"]);
    expect(code).toBe(0);
    await expect.poll(async () => (await look(life, run)).attention, { timeout: 60_000 }).toMatch(said);
    expect(existsSync(join(life.home.workspaces, run))).toBe(false);
    const inbox = (await type(life, ["inbox"])).document["items"] as { reason: string }[];
    expect(inbox.find(({ reason }) => said.test(reason.replace("Needs attention: ", "")))).toMatchObject({
      run,
      kind: "attention",
      actions: [{ command: "signalbox workspace gc" }, { command: `signalbox cancel ${run}` }],
    });
    writeFileSync(settings, readFileSync(settings, "utf8").replace(limit, "max: 2"));
    await untilState(life, run, "reviewing");
    expect((await look(life, run)).attention).toBe("");
    await clear(life);
  },
);

test.runIf(isPerson)("workspace.max: it holds for runs that begin at the same moment", async () => {
  const life = makeLife({ config: (root) => configOf(root).replace(/ {2}setup: .*\n/, "  max: 1\n") });
  const params = ["--param", "harness=worker", "--param", "review_harness=reviewer"];
  const begun = ["One", "Two", "Three"].map((goal) =>
    type(life, ["run", "task", goal, ...params, "--detach"]),
  );
  const runs = (await Promise.all(begun)).map(({ document }) => String(document["run"]));
  const isSettled = async (run: string): Promise<boolean> => {
    const { state, attention } = await look(life, run);
    return state === "reviewing" || attention !== "";
  };
  for (const run of runs) await expect.poll(() => isSettled(run)).toBe(true);
  expect(readdirSync(life.home.workspaces)).toHaveLength(1);
  await clear(life);
});

/** A worker that commits nothing, and its reviewer. */
const AGENTS = `  worker: { command: [sh, -c, "echo 'APPROACH: it' | signalbox submit plan - && signalbox move working; echo work >work.txt; echo 'DONE: it' | signalbox submit handoff - && signalbox move agent-review"] }
  reviewer: { command: [sh, -c, "echo 'Verdict: PASS' | signalbox submit review -"] }
`;

test.runIf(isPerson)("the engine's commits have the configured author and message", async () => {
  const given = 'author: Bot <bot@example.org>\n  message: "{workflow} {run}: {goal} in {state}"';
  const life = makeLife({
    config: () => `terminal: none\nharnesses:\n${AGENTS}workspace:\n  ${given}\n`,
  });
  const run = await begin(life);
  await untilState(life, run, "reviewing");
  const { document } = await type(life, ["show", run]);
  const git = (...argv: string[]): string =>
    execFileSync("git", argv, { cwd: life.repo, encoding: "utf8" }).trim();
  const last = (ref: string): string => git("log", "-1", "--format=%an <%ae>|%cn|%B", ref);
  expect(last(String(document["branch"]))).toBe(
    `Bot <bot@example.org>|Bot|task ${run}: A life in agent-review\n\nSignalbox-Run: ${run}`,
  );
  git("commit", "--quiet", "--allow-empty", "--message", "elsewhere");
  expect((await type(life, ["accept", run])).code).toBe(0);
  expect(last("main")).toMatch(/^Bot <bot@example.org>\|Bot\|Merge task /);
  await clear(life);
});

async function untilState(life: Life, run: string, state: string): Promise<void> {
  await expect.poll(async () => (await look(life, run)).state, { timeout: 100_000 }).toBe(state);
}
