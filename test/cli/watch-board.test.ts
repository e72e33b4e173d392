/** What a row says about a run, in which order rows come, and what a look costs. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isOver, type BoardRow, type Session } from "../../src/app/board/row.ts";
import { changesIn } from "../../src/app/board/changes.ts";
import { inBackground, sourceOf } from "../../src/app/board/source.ts";
import { run as call } from "../../src/cli/run.ts";
import { mirrorOf, workRef } from "../../src/adapters/git/mirror/names.ts";
import { forecastOf } from "../../src/app/board/forecast.ts";
import { paintOf } from "../../src/cli/paint.ts";
import { HUMAN } from "../support/play.ts";
import { STREAMS } from "../../src/app/answers.ts";
import { AT_HOME } from "../support/procs.ts";
import { removeSites } from "../support/git.ts";
import { crashed, stage, type Stage } from "./watch-support.ts";
import { busyMs } from "../support/busy.ts";

const COUNT = process.env["SIGNALBOX_DEEP"] === undefined ? 120 : 1000;
const LIVE = 50;

afterAll(removeSites);

function sourceAt(on: Stage, more: { onWork?: () => void } = {}): ReturnType<typeof sourceOf> {
  const { env, repo: cwd } = on;
  const door = {
    cwd,
    home: env["HOME"] ?? "",
    env,
    procs: AT_HOME,
    paint: paintOf(false),
    self: "signalbox",
  };
  return sourceOf({ door, onWork: more.onWork ?? (() => undefined) });
}

async function rowsOf(on: Stage, over = true): Promise<readonly BoardRow[]> {
  const source = sourceAt(on);
  try {
    return (await source.look({ repo: "", over })).rows;
  } finally {
    await source.close();
  }
}

function minute(at: number): string {
  return `2026-01-01T10:${String(at).padStart(2, "0")}:00Z`;
}

describe("a task", async () => {
  const on = await stage();
  afterAll(() => on.store.close());

  beforeAll(async () => {
    const make = (id: string, state: string, at: number): Promise<unknown> =>
      on.runIn(id, state, { at: minute(at), params: { branch: `b-${id}`, summary: `About ${id}` } });
    await make("work", "working", 10);
    await on.agent("work", "worker", "alive");
    await make("revw", "agent-review", 11);
    await on.agent("revw", "worker", "alive");
    await on.agent("revw", "reviewer", "alive");
    await make("revd", "agent-review", 12);
    await on.agent("revd", "worker", "alive");
    await on.agent("revd", "reviewer", "gone");
    await make("look", "reviewing", 13);
    await make("clar", "clarification", 14);
    await make("stck", "stuck", 15);
    await make("crsh", "planning", 16);
    await on.happen("crsh", crashed());
    await make("aftr", "pending", 17);
    await on.store.commit([{ type: "put-depends", run: "aftr", on: ["work"] }]);
    await on.store.commit([{ type: "enqueue", run: "aftr", repo: on.repo }]);
    await make("lost", "pending", 18);
    await on.store.commit([{ type: "put-depends", run: "lost", on: ["canc"] }]);
    await on.store.commit([{ type: "enqueue", run: "lost", repo: on.repo }]);
    await make("wait", "pending", 19);
    await on.store.commit([{ type: "enqueue", run: "wait", repo: on.repo }]);
    await make("park", "pending", 20);
    await make("halt", "working", 21);
    await on.store.commit([{ type: "halt", run: "halt", halted: true }]);
    await make("attn", "working", 22);
    await on.store.commit([
      { type: "attend", run: "attn", attention: "git does not work; try: signalbox resume attn" },
    ]);
    await make("done", "done", 30);
    await make("canc", "cancelled", 31);
  });

  test("where accepting takes several moves, the key names the command", async () => {
    const row = (await rowsOf(on)).find(({ run }) => run === "stck");
    expect(row?.acts.merge).toBe('from stuck, type it: signalbox accept stck "TEXT"');
  });

  const applying = ({ acts }: BoardRow): string =>
    Object.entries(acts)
      .filter(([, why]) => why === "")
      .map(([act]) => act)
      .join(" ");

  test.for<[run: string, session: Session, waits: string, acts: string]>([
    ["work", "alive", "agent: worker", "attach view cancel"],
    ["revw", "alive", "agent: reviewer", "attach view cancel"],
    ["revd", "alive", "agent: reviewer", "attach view cancel"],
    ["look", "none", "person: you", "view changes merge cancel"],
    ["clar", "none", "person: you", "view answer cancel"],
    ["stck", "none", "person: you", "view changes cancel"],
    ["crsh", "dead", "crashed: you: crashed", "respawn view cancel"],
    ["aftr", "none", "queue: after work", "start view cancel"],
    ["lost", "none", "person: you: canc", "start view cancel"],
    ["wait", "none", "queue: queued", "start view cancel"],
    ["park", "none", "person: you: start", "start view cancel"],
    ["halt", "none", "stopped: you: stopped", "resume view cancel"],
    ["attn", "none", "attention: you: trouble", "resume view cancel"],
    ["done", "none", "over: ", "view delete"],
    ["canc", "none", "over: ", "view delete"],
  ])("%s: %s, %s, %s", async ([run, session, waits, acts]) => {
    const row = (await rowsOf(on)).find((each) => each.run === run);
    expect(row).toBeDefined();
    if (row === undefined) return;
    expect({
      session: row.session,
      waits: `${row.waits.kind}: ${row.waits.short}`,
      acts: applying(row),
      branch: row.branch,
      summary: row.summary,
    }).toEqual({ session, waits, acts, branch: `b-${run}`, summary: `About ${run}` });
  });

  test("`show` and `list` say the same about what each run waits for", async () => {
    const asked = async (...words: readonly string[]): Promise<Record<string, unknown>> => {
      const { stdout } = await call([...words, "--json"], { cwd: on.repo, env: on.env, procs: AT_HOME });
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const said = (of: unknown): string => {
      const { waits } = of as Pick<BoardRow, "waits">;
      return `${waits.kind}: ${waits.short}`;
    };
    const rows = await rowsOf(on);
    const listed = (await asked("list", "--all"))["runs"] as readonly BoardRow[];
    const byRow = Object.fromEntries(rows.map((row) => [row.run, said(row)]));
    expect(Object.fromEntries(listed.map((row) => [row.run, said(row)]))).toEqual(byRow);
    const shown = await Promise.all(rows.map(async ({ run }) => [run, said(await asked("show", run))]));
    expect(Object.fromEntries(shown)).toEqual(byRow);
  });

  test("an answer leads to where the next command leads", async () => {
    const leads = (await rowsOf(on)).flatMap(({ run, answerTo }) =>
      answerTo === "" ? [] : [[run, answerTo]],
    );
    expect(leads).toEqual([["clar", "planning"]]);
    const { stdout } = await call(["next", "clar", "--json"], { cwd: on.repo, env: on.env });
    expect(JSON.parse(stdout)).toMatchObject({ next: 'signalbox answer clar "TEXT"' });
  });

  test("what waits for a person comes first, what is over last, the newest first", async () => {
    const order = async (over: boolean): Promise<string> =>
      (await rowsOf(on, over)).map(({ run }) => run).join(" ");
    expect(await order(true)).toBe(
      "crsh attn halt park lost stck clar look revd revw work wait aftr canc done",
    );
    expect(await order(false)).toBe("crsh attn halt park lost stck clar look revd revw work wait aftr");
  });

  test("round, agents and page", async () => {
    const source = sourceAt(on);
    const { rows, projects } = await source.look({ repo: on.repo, over: false });
    expect(rows.find(({ run }) => run === "revw")?.round).toEqual({ value: 1, max: 2 });
    expect(projects).toEqual([{ project: "shop", repo: on.repo, atWork: 5, agents: 4 }]);
    expect(await source.look({ repo: "/elsewhere", over: true })).toEqual({
      rows: [],
      more: 0,
      projects: [],
    });
    await source.look({ repo: "", over: true });
    expect(await source.page("work")).toMatch(/TASK\.md is not there/);
    await source.close();
  });

  test("a run that is damaged hides no other", async () => {
    const other = await stage();
    await other.runIn("good", "working");
    await other.runIn("evil", "working");
    other.store.database.run(
      "UPDATE snapshots SET json = '{' WHERE n = (SELECT n FROM runs WHERE id = 'evil')",
    );
    const rows = await rowsOf(other);
    await other.store.close();
    expect(rows.map(({ run, waits }) => `${run} ${waits.kind}`)).toEqual(["evil attention", "good agent"]);
  });
});

describe("the work in a workspace", () => {
  test("commits, lines that are committed and not, new files; and what others did is not its own", async () => {
    const on = await stage();
    await on.runIn("w1", "working", { params: { branch: "w1" } });
    const { path } = await on.workspaces.prepare({
      run: "w1",
      repo: on.repo,
      branch: "w1",
      base: on.base,
      artifacts: ["TASK.md"],
    });
    await on.store.commit([
      {
        type: "put-workspace",
        workspace: {
          run: "w1",
          repo: on.repo,
          path,
          branch: "w1",
          base: on.base,
          status: "bound",
          salvage: "",
          kept: "",
        },
      },
    ]);
    const git = (cwd: string, ...args: string[]): string =>
      execFileSync("git", args, { cwd, env: on.env, encoding: "utf8" });
    const place = { path, base: on.base, into: "main" };
    const look = () => changesIn({ home: on.home, env: on.env }, place);
    expect(await look()).toEqual({ ahead: 0, added: 0, removed: 0 });
    writeFileSync(join(path, "a.txt"), "one\ntwo\n");
    git(path, "commit", "-qam", "a");
    writeFileSync(join(path, "b.txt"), "");
    writeFileSync(join(path, "new.txt"), "1\n2\n3\n");
    writeFileSync(join(path, "TASK.md"), "not work\n");
    const objects = git(on.repo, "count-objects", "-v");
    expect(await look()).toEqual({ ahead: 1, added: 4, removed: 1 });
    // One object at most, and that is the empty one.
    expect(git(on.repo, "count-objects", "-v").replace(/count: \d+|size: \d+/g, "")).toBe(
      objects.replace(/count: \d+|size: \d+/g, ""),
    );
    expect(git(path, "status", "--porcelain")).toBe(" M b.txt\n?? new.txt\n");
    writeFileSync(join(on.repo, "theirs.txt"), "x\n".repeat(100));
    git(on.repo, "add", "theirs.txt");
    git(on.repo, "commit", "-qm", "theirs");
    git(path, "stash", "-qu");
    git(path, "rebase", "-q", "main");
    expect(await look()).toEqual({ ahead: 1, added: 1, removed: 0 });
    const forecast = () => forecastOf({ home: on.home, env: on.env, store: on.store }, "w1");
    expect(await forecast()).toBe("nothing was handed over yet");
    const tree = (await on.store.load("w1"))?.run.tree ?? "";
    const mirror = mirrorOf(on.home, on.repo);
    git(mirror, "fetch", "-q", path, `HEAD:${workRef("w1", tree)}`);
    expect(await forecast()).toBe("w1 into main: a merge commit, 1 file, without conflicts");
    writeFileSync(join(on.repo, "a.txt"), "other\n");
    const dirty = `main is checked out in ${on.repo} with uncommitted changes in a.txt. Nothing was changed.`;
    expect(await forecast()).toBe(`it would be refused. ${dirty}`);
    expect(git(on.repo, "status", "--porcelain")).toBe(" M a.txt\n");
    git(on.repo, "commit", "-qam", "conflict");
    expect(await forecast()).toBe("it would be refused. Merge conflict in a.txt. Nothing was changed.");
    rmSync(path, { recursive: true });
    await expect(look()).rejects.toThrow(/is gone/);
    await on.store.close();
  });

  test("it is looked at one after the other, again when its run went on, and never twice for nothing", async () => {
    const looked: string[] = [];
    let now = 0;
    let rest = Promise.withResolvers<void>();
    const background = inBackground({
      look: (run) => {
        looked.push(run);
        return run === "bad"
          ? Promise.reject(new Error("git"))
          : Promise.resolve({ ahead: 1, added: 2, removed: 3 });
      },
      onChange: () => undefined,
      onRest: () => rest.resolve(),
      now: () => now,
    });
    const want = async (...rows: Parameters<typeof background.want>[0]): Promise<void> => {
      rest = Promise.withResolvers();
      background.want(rows);
      await rest.promise;
    };
    await want({ run: "a", seq: "1", isLive: true }, { run: "bad", seq: "1", isLive: false });
    expect(background.workOf("a")).toEqual({ ahead: 1, added: 2, removed: 3 });
    expect(background.workOf("bad")).toEqual({ ahead: null, added: null, removed: null });
    await want({ run: "a", seq: "1", isLive: true });
    expect(looked).toEqual(["a", "bad"]);
    await want({ run: "a", seq: "2", isLive: true });
    now += 10_000;
    await want({ run: "a", seq: "2", isLive: true }, { run: "bad", seq: "1", isLive: false });
    expect(looked).toEqual(["a", "bad", "a", "a"]);
    background.close();
  });
});

describe("without a screen", () => {
  test("a table first, then a line for each change; for programs, a document a line", async () => {
    const on = await stage();
    await on.runIn("aaaa", "working", { params: { branch: "aaaa" } });
    const controller = new AbortController();
    const texts: Record<"plain" | "json", string> = { plain: "", json: "" };
    const watched = (kind: keyof typeof texts): Promise<{ code: number }> =>
      call(kind === "json" ? ["watch", "--json"] : ["watch"], {
        cwd: on.repo,
        env: on.env,
        procs: AT_HOME,
        startSupervisor: () => undefined,
        live: {
          print: (text) => {
            texts[kind] += text;
            if (Object.values(texts).every((each) => each.includes("bbbb"))) controller.abort("SIGTERM");
            else if (Object.values(texts).every((each) => each.includes("aaaa")) && !isMade) {
              isMade = true;
              made = on.runIn("bbbb", "reviewing", {
                params: { branch: "two" },
                goal: "hostile \u001B[2J\n text",
              });
            }
          },
          // Whatever goes wrong, it ends.
          interrupted: () => AbortSignal.any([controller.signal, AbortSignal.timeout(20_000)]),
        },
      });
    let isMade = false;
    let made: Promise<unknown> = Promise.resolve();
    const [plain, json] = await Promise.all([watched("plain"), watched("json")]);
    await made;
    await on.store.close();
    expect([plain.code, json.code]).toEqual([143, 143]);
    expect(texts.plain).toMatch(
      /^nothing waits for you, shop 0\/4 agents\nSUMMARY .*\n.* aaaa\n\d\d:\d\d:\d\d {2}bbbb {2}shop\/two {2}reviewing/,
    );
    expect(texts.plain).not.toContain("\u001B");
    const documents = texts.json
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const document of documents)
      expect(STREAMS["watch"]?.safeParse(document).error?.issues).toBeUndefined();
    expect(documents.filter(({ change }) => change === "there")).toMatchObject([
      { change: "there", run: "aaaa", person: false },
      { change: "there", run: "bbbb", person: true, state: "reviewing" },
    ]);
  });

  test("once, by project", async () => {
    const on = await stage();
    await on.runIn("aaaa", "stuck", { params: { branch: "one", summary: "What is stuck" } });
    await on.store.close();
    const once = (...more: string[]) =>
      call(["watch", "--once", ...more], {
        cwd: on.repo,
        env: on.env,
        procs: AT_HOME,
        startSupervisor: () => undefined,
      });
    const { code, stdout } = await once("--project", "shop");
    expect({ code, stdout: stdout.replace(/\d+[smhd] +/, "9d   ") }).toEqual({
      code: 0,
      stdout: [
        "1 waits for you, shop 0/4 agents",
        "SUMMARY        STATE  WAITS FOR  SESSION  ROUND  AGE  RUN",
        "What is stuck  stuck  you        -        -      9d   one",
        "",
      ].join("\n"),
    });
    expect(await once("--project", "shp")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean "shop"?') as string,
    });
    expect(await once("--here", "--project", "shop")).toMatchObject({ code: 2 });
  });
});

describe(`${COUNT} runs, ${LIVE} of them live`, () => {
  /** A program that notes that it was called, and prints. */
  function counted(folder: string, name: string, prints: string): () => string[] {
    const log = join(folder, `${name}.log`);
    const file = join(folder, name);
    writeFileSync(join(folder, `${name}.out`), prints);
    writeFileSync(
      file,
      `#!/bin/sh\n[ "$1" = -V ] && echo tmux 3.3a && exit\necho "$*" >> '${log}'\ncat '${file}.out'\n`,
    );
    chmodSync(file, 0o755);
    return () => (existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : []);
  }

  test("a look asks tmux once and git never, and one change costs as much as one run", async () => {
    const on = await stage();
    for (let at = 0; at < COUNT; at += 1) {
      const isLive = at < LIVE;
      await on.runIn(`r${at}`, isLive ? "working" : at % 2 === 0 ? "pending" : "reviewing", {
        params: { branch: `b${at}` },
      });
      if (isLive) await on.agent(`r${at}`, "worker", "alive");
    }
    const bin = join(on.root, "counted");
    mkdirSync(bin);
    mkdirSync(on.home.terminals, { recursive: true });
    const panes = Array.from(
      { length: LIVE },
      (_none, at) => `1|$${at}|r${at}|@${at}|%${at}|1|0|||0|j|r${at}|k|n\n`,
    );
    const gits = counted(bin, "git", "");
    const asks = counted(bin, "tmux", panes.join(""));
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const env = { ...on.env, PATH: `${bin}:${on.env["PATH"] ?? ""}` };
    const source = sourceAt({ ...on, env }, { onWork: resolve });
    const look = (): Promise<number> =>
      busyMs(async () => {
        expect((await source.look({ repo: "", over: true })).rows.filter((row) => !isOver(row))).toHaveLength(
          COUNT,
        );
      });
    const first = await look();
    await on.happen("r1", { type: "move-asked", by: HUMAN, at: minute(59), to: "stuck", readings: [] });
    const again = await look();
    await asked;
    expect(gits()).toEqual([]);
    expect(asks()).toHaveLength(1);
    const { rows } = await source.look({ repo: "", over: true });
    expect(rows.filter(({ acts }) => acts.attach === "")).toHaveLength(LIVE);
    expect(again).toBeLessThan(Math.max(first, 200));
    await source.close();
    await on.store.close();
  });
});
