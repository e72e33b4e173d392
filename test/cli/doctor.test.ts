/** Broken homes: what doctor says of each, that it ends with a command that works, and what is left after --repair. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { takeSupervisorLock } from "../../src/adapters/supervisor/lock.ts";
import { run } from "../../src/cli/run.ts";
import { AT_HOME } from "../support/procs.ts";
import { copyOf, NOTE_FILES, prepareHome, removeHomes, type Prepared } from "../support/home.ts";
import { BROKEN, RUNS } from "./broken-homes.ts";
import { sampled } from "../support/sampled.ts";

const REPAIR = "signalbox doctor --repair";

const JOB = {
  id: "a1.writer.1.1",
  run: "a1",
  kind: "turn",
  role: "writer",
  slot: "",
  attempt: 1,
  artifact: "",
  tree: "",
  startedAt: 1,
  endsBy: 0,
  stallMs: 0,
  killed: "",
  status: "live",
  seat: "",
} as const;

type Findings = readonly { status: string; name: string; text: string; next: string }[];
type Told = {
  readonly exit: number;
  readonly next: string;
  /** Nothing is wrong, or there is something to do about it. */
  readonly hasWayOn: boolean;
  readonly said: string;
  readonly findings: Findings;
  readonly did: readonly string[];
  readonly lost: readonly string[];
};

let origin: Prepared | undefined;
afterAll(removeHomes);

/** The home is one's own; the repository is the same for all. */
async function withRuns(): Promise<Prepared> {
  origin ??= await makeRuns();
  return copyOf(origin);
}

async function makeRuns(): Promise<Prepared> {
  const on = prepareHome(NOTE_FILES);
  await on.runIn("open", "a1");
  await on.runIn("asked", "b1");
  await on.runIn("filed", "c1");
  await on.call("trust");
  await on.call("key --new");
  return on;
}

async function doctor(on: Prepared, option = ""): Promise<Told> {
  const { code, stdout, stderr } = await on.call(`doctor --json ${option}`);
  const document = JSON.parse(stdout) as Omit<Told, "exit" | "said"> & { code: string };
  expect({ stderr, code: document.code }).not.toMatchObject({ code: "bug" });
  const findings = document.findings ?? [];
  const wrong = findings.filter(({ status }) => status !== "ok" && status !== "note");
  return {
    ...document,
    findings,
    exit: code,
    hasWayOn: code === 0 || document.next !== "" || document.lost.length > 0,
    said: wrong.map(({ status, name, text, next }) => `${status} ${name}: ${text}; ${next}`).join("\n"),
  };
}

async function listed(on: Prepared): Promise<string> {
  const { stdout } = await on.call("list --all --json");
  const { runs } = JSON.parse(stdout) as { runs: readonly { run: string }[] };
  const names = runs.map((row) => row.run);
  return names.toSorted().join(" ");
}

function overwrite(file: string, at: number, bytes: Uint8Array): void {
  const content = readFileSync(file);
  content.set(bytes, at);
  writeFileSync(file, content);
}

describe.for(sampled(18, BROKEN))("$name", (broken) => {
  test("is told, mended as far as it can be, and hides no other run", async () => {
    const { repaired, lost = /^$/, runs = RUNS.join(" "), after = 0 } = broken;
    const on = broken.ownRepo === true ? await makeRuns() : await withRuns();
    await broken.broken(on);
    const first = await doctor(on);
    expect(first.said).toMatch(broken.says);
    expect(first).toMatchObject({ exit: broken.exit, hasWayOn: true });
    expect(broken.still === undefined || (await listed(on)) === broken.still).toBe(true);
    const mended = await doctor(on, "--repair");
    expect(mended.lost.join("\n")).toMatch(lost);
    expect(mended).toMatchObject({ exit: repaired, hasWayOn: true });
    const last = await doctor(on);
    expect(last).toMatchObject({ exit: after, hasWayOn: true });
    // Nobody is sent in a circle.
    expect(last.next === REPAIR && broken.after !== 8).toBe(false);
    expect(runs === "none" || (await listed(on)) === runs).toBe(true);
  });
});

test("in a state home of version 0.1 nothing is made or changed", async () => {
  const on = await withRuns();
  const db = new DatabaseSync(on.home.database);
  db.exec("PRAGMA application_id = 0x53424f58");
  db.close();
  for (const folder of [on.home.locks, on.home.exits, on.home.pokes])
    rmSync(folder, { recursive: true, force: true });
  for (const file of [on.home.supervisorLock, on.home.supervisorLog]) rmSync(file, { force: true });
  // SQLite makes files of its own next to a database that it reads.
  const names = (): readonly string[] =>
    readdirSync(on.home.root)
      .filter((name) => !name.startsWith("signalbox.db-"))
      .toSorted();
  const before = names();
  const { exit, lost } = await doctor(on, "--repair");
  expect([exit, lost.join()]).toEqual([8, expect.stringContaining("was made by version 0.1")]);
  expect(names()).toEqual(before);
});

/** What people type when something seems wrong. */
const LINES = ["list --all", "show a1", "inbox", "verify --all", "history b1", "move b1 dropped", "why c1"];

test.for(sampled(10, BROKEN))("no command ends in a dead end: $name", async (broken) => {
  const on = broken.ownRepo === true ? await makeRuns() : await withRuns();
  await broken.broken(on);
  for (const line of LINES) {
    const { code, stdout } = await on.call(`--json ${line}`);
    const document = JSON.parse(stdout) as { code: string; message: string; next: string };
    expect({ line, ...document, isBug: code === 70 }).toMatchObject({ isBug: false });
    expect({ line, ...document, isDeadEnd: code !== 0 && document.next === "" }).toMatchObject({
      isDeadEnd: false,
    });
    // Nothing that is damaged is shown as if there had never been anything.
    const isSilent = broken.exit === 8 && broken.runs === "" && code === 0 && line !== "inbox";
    expect({ line, ...document, isSilent }).toMatchObject({ isSilent: false });
  }
});

test("looking changes nothing", async () => {
  const on = await withRuns();
  chmodSync(on.home.database, 0o644);
  const names = (): readonly string[] => readdirSync(on.root, { recursive: true }).map(String).toSorted();
  const before = names();
  await doctor(on);
  const left = names().filter((name) => !before.includes(name));
  expect(left.filter((name) => !/-(wal|shm)$/.test(name))).toEqual([]);
  expect(statSync(on.home.database).mode & 0o777).toBe(0o644);
  const fresh = prepareHome();
  await doctor(fresh);
  expect(existsSync(fresh.home.root)).toBe(false);
});

test("what was put aside is kept whole, with its reason", async () => {
  const on = await withRuns();
  writeFileSync(on.home.database, "all that is left");
  const { did } = await doctor(on, "--repair");
  const [, folder = ""] = /kept the database as it was in (\S+),/.exec(did.join("\n")) ?? [];
  expect(readFileSync(join(folder, "signalbox.db"), "utf8")).toBe("all that is left");
  expect(readFileSync(join(folder, "reason.txt"), "utf8")).toMatch(/not a database/);
});

describe("what is not broken, and still worth telling", () => {
  const shown = async (on: Prepared, env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { stdout } = await run(["doctor"], { cwd: on.repo, env: { ...on.env, ...env }, procs: AT_HOME });
    return stdout;
  };

  test("a program that is missing, or too old, and how to get it", async () => {
    const on = await withRuns();
    const bare = await shown(on, { PATH: join(on.root, "nothing") });
    expect(bare).toMatch(/^missing {2}git +there is no git on your PATH; try: apt install git/m);
    expect(bare).toMatch(/^missing {2}harnesses +none of claude, .* is on your PATH; try: install one/m);
    expect(bare).toMatch(/^note {5}tmux +not there; nothing needs it/m);
    writeFileSync(join(on.root, "bin/git"), "#!/bin/sh\necho git version 2.17.1\n", { mode: 0o755 });
    expect(await shown(on)).toMatch(/^problem {2}git +\S+ is 2\.17\.1: 2\.20 is needed/m);
    writeFileSync(join(on.root, "bin/git"), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
    expect(await shown(on)).toMatch(/^problem {2}git +\S+ is of no known version/m);
  });

  test("workflows whose programs are missing: the settings that help are named, and help", async () => {
    const on = await withRuns();
    const bin = join(on.root, "only-codex");
    mkdirSync(bin);
    writeFileSync(join(bin, "codex"), "#!/bin/sh\n", { mode: 0o755 });
    const env = { PATH: `${bin}:/usr/bin:/bin` };
    const before = await shown(on, env);
    const file = join(on.root, ".config/signalbox/config.yaml");
    const line = "workflows: { task: { harness: codex, review_harness: codex } }";
    expect(before).toContain(`or put this line into ${file}: ${line}`);
    expect(before).toMatch(
      /^missing {2}workflow task +uses claude, which is not installed \(harness: claude, review_harness: claude\); try: install claude/m,
    );
    expect(before).toMatch(/^note {5}workflow staged +uses claude/m);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${line}\n`);
    const after = await shown(on, env);
    expect(after).not.toMatch(/^missing/m);
    expect(after).not.toContain("workflow task");
    expect(after).toContain(`put this line below workflows: in ${file}: change: { roles: { planner: codex`);
  });

  test("a harness is proposed for a settings file that knows it, and built-in ones come first", async () => {
    const on = prepareHome({
      ...NOTE_FILES,
      ".signalbox/config.yaml":
        "harnesses: { checker: { command: [.signalbox/checker.sh] }, writer: { command: [.signalbox/writer.sh] } }\n",
      ".signalbox/checker.sh": "#!/bin/sh\n",
      ".signalbox/writer.sh": "#!/bin/sh\n",
    });
    for (const name of ["checker", "writer"]) chmodSync(join(on.repo, `.signalbox/${name}.sh`), 0o755);
    await on.call("trust");
    const bin = join(on.root, "only-codex");
    mkdirSync(bin);
    const env = { PATH: `${bin}:/usr/bin:/bin` };
    const both = (value: string): string => `{ task: { harness: ${value}, review_harness: ${value} } }`;
    const ofRepo = join(on.repo, ".signalbox/config.yaml");
    const ofUser = join(on.root, ".config/signalbox/config.yaml");
    expect(await shown(on, env)).toContain(
      `put this line into ${ofRepo}: workflows: ${both("NAME")} (NAME is one of checker, writer)`,
    );
    mkdirSync(dirname(ofUser), { recursive: true });
    writeFileSync(ofUser, "harnesses: { mine: { command: [sh] } }\n");
    expect(await shown(on, env)).toContain(`put this line into ${ofUser}: workflows: ${both("mine")}`);
    writeFileSync(join(bin, "codex"), "#!/bin/sh\n", { mode: 0o755 });
    expect(await shown(on, env)).toContain(`put this line into ${ofUser}: workflows: ${both("codex")}`);
  });

  test("what nobody looks after", async () => {
    const on = await withRuns();
    const dir = join(on.home.root, "runs/a1/agents/writer.1/turn-1");
    mkdirSync(join(dir, "claim"), { recursive: true });
    writeFileSync(join(dir, "pid"), "1\nlong ago\nanother-boot\n");
    mkdirSync(on.home.exits, { recursive: true, mode: 0o700 });
    writeFileSync(join(on.home.exits, "zz.writer.1.1"), "0\n");
    mkdirSync(join(on.home.workspaces, "zz"), { recursive: true, mode: 0o700 });
    await on.withStore((store) => store.commit([{ type: "put-job", job: { ...JOB, dir } }]));
    const text = await shown(on);
    expect(text).toMatch(
      /^problem {2}supervisor +not there, and there is work for it.*try: signalbox supervise/m,
    );
    expect(text).toMatch(
      /^problem {2}processes +1 process is gone without a word: a1\.writer\.1\.1; try: signalbox supervise/m,
    );
    expect(text).toMatch(/^note {5}exits +1 of nobody that is known: zz\.writer\.1\.1/m);
    expect(text).toMatch(
      /^note {5}workspaces +.*1 of 1 folders belong to no run.*: zz; try: signalbox workspace gc --all/m,
    );
    const lock = takeSupervisorLock(on.home);
    expect(await shown(on)).toMatch(/^ok +supervisor +at work/m);
    lock?.release();
  });

  test("neither a home nor a repository", async () => {
    const cwd = prepareHome().root;
    const { code, stdout } = await run(["doctor"], { cwd, env: { PATH: process.env["PATH"] ?? "" } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^missing {2}state home +neither HOME nor SIGNALBOX_HOME/m);
    const outside = await run(["doctor"], { cwd, env: { PATH: process.env["PATH"] ?? "", HOME: cwd } });
    expect(outside.stdout).toMatch(/^note {5}repository +this folder is in no git repository/m);
  });
});

test("wherever bytes are lost, every run is listed or told as lost, and nothing is a bug", async () => {
  const on = await withRuns();
  const whole = readFileSync(on.home.database);
  // All of it: what one repair moves away, the next one could not tell of.
  const pristine = `${on.home.root}-pristine`;
  cpSync(on.home.root, pristine, { recursive: true });
  const damage = fc.record({
    at: fc.integer({ min: 0, max: whole.length - 1 }),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 600 }),
    cut: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ at, bytes, cut }) => {
      rmSync(on.home.root, { recursive: true });
      cpSync(pristine, on.home.root, { recursive: true });
      if (cut) truncateSync(on.home.database, at);
      else overwrite(on.home.database, at, bytes.subarray(0, whole.length - at));
      const first = await doctor(on);
      expect([0, 1, 8]).toContain(first.exit);
      expect(first.hasWayOn).toBe(true);
      const mended = await doctor(on, "--repair");
      const told = mended.lost.join("\n");
      const there = await listed(on);
      expect(RUNS.filter((id) => !there.includes(id) && !told.includes(id))).toEqual([]);
      const last = await doctor(on);
      expect(last).not.toMatchObject({ exit: 8, next: REPAIR });
    }),
    { numRuns: process.env["SIGNALBOX_DEEP"] === undefined ? 5 : 300 },
  );
});

test.for<[who: string, env: Record<string, string>]>([
  ["an agent of a run", { SIGNALBOX_JOB: "x.worker.1.1", SIGNALBOX_PROMPT: "x" }],
  ["an agent with a token", { SIGNALBOX_TOKEN: "x" }],
  ["a coding agent", { CLAUDECODE: "1" }],
])("%s may look, and not repair", async ([, env]) => {
  const on = await withRuns();
  const world = { cwd: on.repo, env: { ...on.env, ...env }, procs: AT_HOME };
  await on.withStore(({ database }) => database.exec("DELETE FROM events WHERE seq > 1"));
  const before = readFileSync(on.home.database);
  expect((await run(["doctor"], world)).code).toBe(8);
  expect(await run(["doctor", "--repair"], world)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("this takes a person") as string,
  });
  expect(readFileSync(on.home.database).equals(before)).toBe(true);
});
