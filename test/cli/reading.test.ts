/** Commands that look at runs: what they say, to whom, and about which run. */
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hashToken } from "../../src/adapters/person/token.ts";
import { run } from "../../src/cli/run.ts";
import { AT_HOME } from "../support/procs.ts";
import { answered, AT, handedIn, machine, PERSON } from "./reading-support.ts";

type Json = Record<string, unknown>;
const READS = ["list", "show", "next", "why", "history", "logs", "inbox", "verify"];

describe("where nothing was ever started", () => {
  const home = mkdtempSync(join(tmpdir(), "signalbox-empty-"));
  const call = (line: string): ReturnType<typeof run> =>
    run(line.split(" "), { cwd: home, env: { HOME: home }, procs: AT_HOME });

  test.for([
    ["list", 0],
    ["inbox", 0],
    ["verify --all", 0],
    ["show", 2],
    ["next abcd", 2],
    ["why", 2],
    ["history", 2],
    ["logs", 2],
    ["verify abcd", 2],
  ] as const)("%s gives %i", async ([line, code]) => {
    expect((await call(line)).code).toBe(code);
  });

  test("looking makes nothing", async () => {
    await call("list");
    const { stdout } = await call("key --json");
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, exists: false, tier: "" });
  });

  test("without a home it is told how to give one", async () => {
    const { code, stderr } = await run(["list"], { cwd: home, env: {} });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/HOME/)]);
  });
});

describe("which run is meant", async () => {
  const on = await machine();
  await on.begin("abcd1111");
  await on.begin("abcd2222");
  await on.begin("wxyz3333");
  await on.store.commit([
    {
      type: "put-workspace",
      workspace: {
        run: "wxyz3333",
        repo: join(on.env["HOME"] ?? "", "main"),
        path: join(on.env["HOME"] ?? "", "repo"),
        branch: "b",
        base: "c",
        status: "released",
        salvage: "refs/signalbox/salvage/wxyz3333",
        kept: "",
      },
    },
  ]);

  test.for<[string, Record<string, string>, string]>([
    ["next abcd1111", {}, "0 abcd1111"],
    ["next abcd1", {}, "0 abcd1111"],
    ["next w", {}, "0 wxyz3333"],
    ["next abcd", {}, '2 ambiguous-run "abcd" may be abcd1111, abcd2222'],
    ["next abdc1111", {}, '2 unknown-run there is no run "abdc1111"; did you mean "abcd1111"?'],
    ["next q", {}, '2 unknown-run there is no run "q"'],
    ["next", { SIGNALBOX_RUN: "wxyz3333" }, "0 wxyz3333"],
    ["next", { SIGNALBOX_RUN: "wx" }, "0 wxyz3333"],
    ["next abcd2", { SIGNALBOX_RUN: "wxyz3333" }, "0 abcd2222"],
    ["next", { SIGNALBOX_RUN: "" }, "2 which-run name one of the runs under way: "],
    ["next", {}, "2 which-run name one of the runs under way: "],
  ])("%s %o: %s", async ([line, env, expected]) => {
    const { code } = await on.call(line, env);
    const document = await on.data(line, env);
    const said =
      code === 0 ? String(document["run"]) : `${String(document["code"])} ${String(document["message"])}`;
    expect(`${code} ${said}`.startsWith(expected)).toBe(true);
  });

  test("the workspace that holds this folder, while it is bound", async () => {
    const row = await on.store.workspace("wxyz3333");
    if (row === undefined) throw new Error("no workspace");
    await on.store.commit([{ type: "put-workspace", workspace: { ...row, status: "bound" } }]);
    expect((await on.data("show"))["run"]).toBe("wxyz3333");
    await on.store.commit([{ type: "put-workspace", workspace: row }]);
    expect((await on.data("show wxyz"))["workspace"]).toMatchObject({
      salvage: "refs/signalbox/salvage/wxyz3333",
    });
  });
});

describe("list", async () => {
  const on = await machine();
  for (const [index, id] of ["aaaa1111", "bbbb2222", "cccc3333", "dddd4444"].entries())
    await on.begin(id, { at: `2026-01-0${index + 1}T08:00:00Z`, goal: `goal of ${id}` });
  await on.happen("aaaa1111", { type: "move-asked", by: PERSON, at: AT, to: "dropped", tree: "t1" });
  await on.happen("bbbb2222", handedIn);

  test.for<[string, string]>([
    ["list", "bbbb2222 dddd4444 cccc3333"],
    ["list --all", "bbbb2222 dddd4444 cccc3333 aaaa1111"],
    ["list --limit 2", "dddd4444 cccc3333 +1"],
    ["list --all --limit 3", "bbbb2222 dddd4444 cccc3333 +1"],
    ["list --status waiting", "bbbb2222"],
    ["list --status cancelled", "aaaa1111"],
    ["list --state writing", "dddd4444 cccc3333"],
    ["list --state dropped", "aaaa1111"],
    ["list --workflow other", ""],
    ["list --here", "bbbb2222 dddd4444 cccc3333"],
    ["list --repo .", "bbbb2222 dddd4444 cccc3333"],
  ])("%s: %s", async ([line, expected]) => {
    const { runs, more } = (await on.data(line)) as { runs: { run: string }[]; more: number };
    const names = runs.map((item) => item.run).join(" ");
    expect(more === 0 ? names : `${names} +${more}`).toBe(expected);
  });

  test.for([
    "list --limit x",
    "list --limit 0",
    "list --status odd",
    "list --repo . --here",
    "list --repo /no/such",
  ])("%s is refused", async (line) => {
    expect((await on.call(line)).code).toBe(2);
  });

  test("a damaged run is listed as such, and hides no other", async () => {
    on.store.database.run("UPDATE runs SET goal = 'another' WHERE id = 'dddd4444'");
    expect(await on.say("list")).toMatch(/damaged .* dddd\n[^]*cccc\n/);
    expect((await on.call("show dddd")).code).toBe(8);
    expect((await on.call("inbox")).code).toBe(0);
  });
});

describe("show, next, why, inbox", async () => {
  const on = await machine();
  await on.begin("abcd1234");
  const token = "agent-token";

  test("a run whose agent was only called", async () => {
    const data = await on.data("show abcd");
    expect(data).toMatchObject({
      state: "writing",
      status: "running",
      waits: { kind: "agent", sentence: "Waits for the worker." },
      counters: [{ name: "tries", value: 0, max: 2, per: "run" }],
      artifacts: [{ artifact: "letter", standing: "missing", good: false }],
      agents: [{ role: "worker", attempt: 1, status: "called", process: "not-started", pid: null }],
      question: null,
      workspace: null,
    });
    expect((await on.data("inbox"))["items"]).toEqual([]);
  });

  test.for<[string, () => void, string]>([
    ["claimed a moment ago", () => on.agent("abcd1234"), "starting"],
    ["ended, and nobody has noticed", () => on.agent("abcd1234", { exit: 3 }), "ended"],
    ["between its turns", () => on.agent("abcd1234", { status: "idle" }), "idle"],
    ["over", () => on.agent("abcd1234", { status: "ended" }), "ended"],
    ["killed without a word", async () => gone((await on.agent("abcd1234", { turn: 2 })).dir), "gone"],
    [
      "from before the machine was started",
      async () => gone((await on.agent("abcd1234", { turn: 3 })).dir, "other-boot"),
      "gone-with-the-machine",
    ],
    ["alive", async () => alive((await on.agent("abcd1234", { turn: 4 })).dir), "running"],
  ])("an agent that is %s", async ([, make, expected]) => {
    make();
    const { agents } = (await on.data("show abcd")) as { agents: Json[] };
    expect(agents[0]?.["process"]).toBe(expected);
    expect(await on.say("show abcd")).toContain(`worker  attempt 1  ${expected.split("-")[0]}`);
  });

  test("what an agent is told is its own", async () => {
    const row = (await on.store.agents({ run: "abcd1234" }))[0];
    if (row === undefined) throw new Error("no agent");
    await on.store.commit([{ type: "put-agent", agent: { ...row, token: hashToken(token) } }]);
    const mine = await on.data("next", { SIGNALBOX_TOKEN: token, SIGNALBOX_JOB: "abcd1234.worker.1.1" });
    expect(mine).toMatchObject({ run: "abcd1234", for: "worker", next: "signalbox submit abcd1234 letter" });
    expect((mine["moves"] as Json[]).map((move) => move["to"])).toEqual(["sending"]);
    expect(await on.data("next abcd")).toMatchObject({ for: "human", next: "signalbox logs abcd1234 -f" });
    expect((await on.call("next", { SIGNALBOX_TOKEN: "wrong" })).code).toBe(4);
    // A stranger may look.
    expect((await on.call("next abcd", { CLAUDECODE: "1" })).code).toBe(0);
  });

  test("why says what keeps each move shut", async () => {
    const { moves } = (await on.data("why abcd")) as { moves: Json[] };
    expect(moves).toMatchObject([
      {
        to: "sending",
        open: false,
        reasons: [{ code: "gate-not-met" }],
        command: "signalbox move abcd1234 sending",
      },
      { to: "dropped", open: true, reasons: [] },
    ]);
    expect(await on.say("why abcd")).toContain("worker must write letter, or a person waives it");
  });

  test("an open question comes with every answer as it is typed", async () => {
    await on.happen("abcd1234", handedIn);
    expect(await on.data("show abcd")).toMatchObject({
      status: "waiting",
      waits: { kind: "person", sentence: "Do your part.", since: "2026-01-01T09:00:00Z" },
      question: {
        id: "UD-1",
        question: "Do your part.",
        shows: ["letter"],
        shown: "3900a571",
        options: [
          {
            value: "send",
            label: "Send it",
            command: "signalbox answer abcd1234 send --shown 3900a571",
            means: "on to sent (the end)",
          },
          {
            value: "again",
            text: "required",
            command: 'signalbox answer abcd1234 again --shown 3900a571 --text "..."',
            means: "back to writing (The letter is being written)",
          },
        ],
      },
      next: expect.stringMatching(/^signalbox answer abcd1234 send --shown \w{8}$/) as string,
    });
    const { items } = (await on.data("inbox")) as { items: Json[] };
    expect(items).toMatchObject([{ run: "abcd1234", kind: "question", since: "2026-01-01T09:00:00Z" }]);
    // Both tell how long ago something was, and time passes between them.
    const [status, show] = [await on.say("status abcd"), await on.say("show abcd")];
    expect(untimed(status)).toBe(untimed(show));
  });

  test("what needs a person: questions first, then the oldest of what is stuck, each with its command", async () => {
    await on.begin("eeee1111", { at: "2025-12-01T00:00:00Z" });
    on.store.database.run(
      "UPDATE runs SET attention = 'no space; try again: signalbox retry eeee1111' WHERE id = 'eeee1111'",
    );
    await on.begin("ffff2222", { at: "2025-12-02T00:00:00Z" });
    await on.happen("ffff2222", {
      type: "agent-ended",
      at: "2025-12-03T00:00:00Z",
      role: "worker",
      slot: "",
      attempt: 1,
      cause: "exited",
      code: 1,
    });
    const { items } = (await on.data("inbox")) as { items: Json[] };
    expect(
      items.map(({ run: id, kind, actions }) => [id, kind, (actions as { command: string }[])[0]?.command]),
    ).toEqual([
      ["abcd1234", "question", "signalbox answer abcd1234 send --shown 3900a571"],
      ["eeee1111", "attention", "signalbox retry eeee1111"],
      ["ffff2222", "crashed", "signalbox retry ffff2222"],
    ]);
    expect((await on.data("show eeee"))["next"]).toBe("signalbox retry eeee1111");
  });

  test("a run that is over needs nobody", async () => {
    await on.happen("abcd1234", answered("send"));
    expect(await on.data("next abcd")).toMatchObject({ status: "done", next: "signalbox history abcd1234" });
    expect(await on.say("next abcd")).toContain("abcd1234 is over: it is sent.");
    const { items } = (await on.data("inbox")) as { items: Json[] };
    expect(items.map(({ run: id }) => id)).not.toContain("abcd1234");
  });
});

describe("history", async () => {
  const on = await machine();
  await on.begin("abcd1234");
  await on.happen("abcd1234", {
    type: "agent-ended",
    at: AT,
    role: "worker",
    slot: "",
    attempt: 9,
    cause: "killed",
  });
  await on.happen("abcd1234", handedIn);
  await on.happen("abcd1234", answered("again", "warmer, please\nand shorter"));

  test("tells who did what, and what followed", async () => {
    expect((await on.call("history abcd")).stdout).toMatchInlineSnapshot(`
      "2026-01-01 08:00:00  ann created it: writing. Worker started.
      2026-01-01 08:00:00  Worker (attempt 9) ended late: its result is kept and not used.
      2026-01-01 09:00:00  Worker went on to sending. It asks UD-1.
      2026-01-01 10:00:00  ann answered again ("warmer, please"): writing. Worker started (attempt 2).
      "
    `);
  });

  test("the newest first part of it", async () => {
    const { lines, more } = (await on.data("history abcd --limit 2")) as { lines: Json[]; more: boolean };
    expect(lines.map(({ what }) => what)).toEqual(["asked for sending", "answered again: warmer, please"]);
    expect(more).toBe(true);
    expect(lines[1]).toMatchObject({ signed: true, terminal: "pts/3" });
  });

  test("the events themselves", async () => {
    const { events, seq } = (await on.data("history abcd --events --limit 3")) as {
      events: Json[];
      seq: number;
    };
    expect(events.map((event) => event["seq"])).toEqual([seq - 2, seq - 1, seq]);
  });
});

describe("logs", async () => {
  const on = await machine();
  await on.begin("abcd1234");
  test("before anything was started", async () => {
    expect(await on.data("logs abcd")).toMatchObject({ ok: false, code: "no-log" });
    expect(await on.data("logs abcd --role wroker")).toMatchObject({
      code: "bad-usage",
      message: expect.stringMatching(/did you mean "worker"/) as string,
    });
  });

  test("is harmless to a terminal", async () => {
    await on.agent("abcd1234", {
      log: "\u001B]0;title\u0007\u001B[2J\u001B[31mred\u001B[0m\r\nnext\rline\u0000\n",
      status: "ended",
    });
    expect((await on.call("logs abcd")).stdout).toBe("red\nnext\nline\uFFFD\n");
  });

  test("of one turn, or of the last", async () => {
    await on.agent("abcd1234", { log: "second", turn: 2 });
    expect((await on.call("logs abcd")).stdout).toBe("second\n");
    expect((await on.call("logs abcd --turn 1")).stdout).toContain("red");
    expect((await on.call("logs abcd --turn 7")).code).toBe(1);
    expect((await on.data("logs abcd --role worker"))["turn"]).toBe(2);
  });

  test.for([false, true])("followed from turn to turn until the run ends (json: %s)", async (json) => {
    const id = json ? "json1234" : "text1234";
    await on.begin(id);
    const first = await on.agent(id, { log: "one\nhalf" });
    const printed: string[] = [];
    const seen = Promise.withResolvers<undefined>();
    const argv = ["logs", id, "-f", ...(json ? ["--json"] : [])];
    const ending = run(argv, {
      cwd: "/",
      env: on.env,
      live: {
        print: (text) => {
          printed.push(text);
          if (text.includes("one")) seen.resolve(undefined);
        },
        interrupted: () => new AbortController().signal,
      },
    });
    await seen.promise;
    appendFileSync(join(first.dir, "out.log"), " of it\n");
    await on.store.commit([{ type: "put-job", job: { ...first, status: "over" } }]);
    const second = await on.agent(id, { log: "two\n", turn: 2 });
    await on.store.commit([{ type: "put-job", job: { ...second, status: "over" } }]);
    await on.happen(id, { type: "move-asked", by: PERSON, at: AT, to: "dropped", tree: "t1" });
    expect((await ending).code).toBe(0);
    const lines = printed.join("").trim().split("\n");
    const said = json ? lines.map((line) => String((JSON.parse(line) as Json)["line"])) : lines;
    expect(said).toEqual([
      "one",
      "half of it",
      json ? "" : `--- worker of run ${id}, attempt 1, turn 2`,
      "two",
    ]);
  });

  test("followed until somebody interrupts", async () => {
    const stop = new AbortController();
    const live = { print: () => stop.abort("SIGINT"), interrupted: () => stop.signal };
    expect((await run(["logs", "abcd", "-f"], { cwd: "/", env: on.env, live })).code).toBe(130);
  });
});

test.for(READS)("%s explains itself, with an example", async (name) => {
  const { code, stdout } = await run([name, "--help"], { cwd: "/", env: {} });
  expect(code).toBe(0);
  expect(stdout).toContain(`signalbox ${name}`);
});

/** A process that was there and is no more. */
function gone(dir: string, boot = realBoot()): void {
  writeFileSync(join(dir, "pid"), `999999999\n1\n${boot}\n`);
}

function alive(dir: string): void {
  const stat = readFileSync(`/proc/${process.pid}/stat`, "utf8");
  const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  writeFileSync(join(dir, "pid"), `${process.pid}\n${start}\n${realBoot()}\n`);
}

function realBoot(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

function untimed(text: string): string {
  return text
    .replaceAll(/\d+ (?:s|min|h|d) ago/g, "before")
    .replaceAll(/for \d+ (?:s|min|h|d)/g, "for a time");
}
