/** Calls of agents are carried out by the supervisor, or by the command itself: nobody can tell which, whoever dies over it. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isSupervisorAlive } from "../../src/adapters/supervisor/lock.ts";
import { isPerson } from "../support/person.ts";
import { talkTo } from "./mcp/support.ts";
import { isAlive, until } from "./process-bench.ts";
import { call, hide, scene, supervisorOf, withStore, type Printed, type Scene } from "./served-support.ts";

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;
const PLAN = "APPROACH: one line at a time\n";
const DONE = "DONE: all of it\n";

type Line = readonly [
  argv: readonly string[],
  stdin?: string | Buffer,
  env?: Readonly<Record<string, string>>,
];

/** One after the other, as the worker: good, refused, of another role, stale, twice, and mistyped. */
const LINES: readonly Line[] = [
  [["submit", "plan", "-"], "nothing that is a plan\n"],
  [["submit", "plan", "-"], Buffer.from([0xff, 0xfe])],
  [["task", "update", "--status", "working"]],
  [["submit", "plan", "-", "--json"], PLAN],
  [["submit", "review", "-"], "Verdict: PASS\n"],
  [["submit", "plam", "-"], PLAN],
  [["task", "update", "--status", "agent-review", "--json"]],
  [["task", "complete"]],
  [["task", "update", "--status", "working"]],
  [["move", "working", "--from", "planning", "--json"]],
  [["move", "agent-review", "--seq", "3"]],
  [["task", "complete", "--json"]],
  [["submit", "handoff", "missing.md"]],
  [["submit", "handoff", "."]],
  [["submit", "handoff", "done.md", "--quiet"]],
  [["task", "update", "--summary", "Another line", "--json"]],
  [["task", "update", "--summary", "One more", "--key", "s"]],
  [["task", "update", "--summary", "One more", "--key", "s"]],
  [["task", "update", "--depends-on", "none"]],
  [["task", "update"]],
  [["task", "update", "--stats", "done"]],
  [["move", "done"]],
  [["move", "nowhere", "agent-review"]],
  [["move"]],
  [["move", "agent-review"], "", { SIGNALBOX_TOKEN: "somebody's" }],
  [["move", "agent-review"], "", { SIGNALBOX_JOB: "another" }],
  [["move", "agent-review", "--help"]],
  [["move", "clarification", "--note", "is it so?", "--key", "k", "--json"]],
  [["move", "clarification", "--key", "k", "--json"]],
  [["move", "working", "--json"]],
  [["task", "complete", "--key", "c"]],
  [["task", "complete", "--key", "c"]],
  [["task", "complete"]],
  [["task", "stuck", "--note", "no key"]],
  [["submit", "handoff", "done.md"]],
];

async function play(
  on: Scene,
  { launcher: program }: Partial<Scene> = {},
): Promise<{ said: Printed[]; journal: string[] }> {
  writeFileSync(join(on.workspace, "done.md"), DONE);
  const said: Printed[] = [];
  for (const [argv, stdin, env] of LINES)
    said.push(
      plain(
        on,
        await on.say(argv, {
          ...(stdin === undefined ? {} : { stdin }),
          ...(env === undefined ? {} : { env }),
          ...(program === undefined ? {} : { program }),
        }),
      ),
    );
  return { said, journal: await on.journal() };
}

/** Numbers of events depend on what the supervisor has written in between. */
function plain({ run, life }: Scene, printed: Printed): Printed {
  const text = (given: string): string =>
    given
      .replaceAll(run, "RUN")
      .replaceAll(life.root, "ROOT")
      .replaceAll(/"seq": \d+/g, '"seq"')
      .replaceAll(/is at \d+/g, "is at N");
  return { code: printed.code, stdout: text(printed.stdout), stderr: text(printed.stderr) };
}

test.runIf(isPerson)(
  "with a supervisor to ask and without: the same words, the same codes, the same journal",
  { timeout: 120_000 },
  async () => {
    const [asking, launched, alone] = [await scene(), await scene(), await scene()];
    hide(alone);
    const [one, two, other] = [await play(asking), await play(launched, launched), await play(alone)];
    expect(one.said.map(({ code }) => code)).toEqual(other.said.map(({ code }) => code));
    expect([one, two]).toEqual([other, other]);
    // That they did ask, and the other did not, shows in the keys.
    const own = async (on: Scene): Promise<number> =>
      (await on.keys()).filter((key) => key.includes("/call ")).length;
    expect(await own(alone)).toBe(0);
    // A supervisor that does not take a question at once is not waited for.
    for (const each of [asking, launched]) {
      expect(await own(each)).toBeGreaterThan(0);
      expect(await own(each)).toBeLessThanOrEqual(6);
    }
    expect(new Set(one.said.map(({ code }) => code))).toEqual(new Set([0, 2, 4, 5, 6]));
  },
);

test.runIf(isPerson)(
  "a request leaves nothing behind, and what is too large is carried out by the command",
  async () => {
    const on = await scene();
    const large = `${PLAN}${"x".repeat(3 * 1024 * 1024)}\n`;
    const submitLarge = (): Promise<Printed> => on.say(["submit", "plan", "-"], { stdin: large });
    const asked = await submitLarge();
    expect(await on.say(["submit", "plan", "-"], { stdin: PLAN })).toMatchObject({ code: 0 });
    expect(readdirSync(join(on.life.home.root, "calls"))).toEqual([]);
    hide(on);
    expect(await submitLarge()).toEqual(asked);
  },
);

/** What the command is given, by a line of shell. */
const GIVEN = [
  '"$@" <&-',
  '"$@" >&-',
  '"$@" 2>&-',
  '"$@" >/dev/full',
  // Nobody reads it any more.
  'rm -f left; mkfifo left; exec 5<>left 6>left 5<&-; "$@" >&6',
  'mkdir gone; cd gone; rmdir ../gone; "$@"',
];

test.runIf(isPerson)("whatever the command is given, it ends the same, whoever answers", async () => {
  const on = await scene();
  const { launcher: program } = on;
  const all = async (): Promise<Printed[]> => {
    const said: Printed[] = [];
    for (const via of GIVEN) said.push(await on.say(["move", "done", "--json"], { via, program }));
    return said;
  };
  const asked = await all();
  hide(on);
  const alone = await all();
  expect(asked).toEqual(alone);
  expect(alone.map(({ code }) => code)).toEqual([4, 4, 4, 1, 4, 2]);
});

test.runIf(isPerson)("a supervisor that an agent has started speaks for nobody else", async () => {
  const on = await scene();
  const { life, workspace: cwd, launcher: program } = on;
  process.kill(supervisorOf(on), "SIGTERM");
  await until(() => !isSupervisorAlive(life.home));
  const own = { cwd, env: { ...life.env, ...on.voice }, stdin: "" };
  expect((await call(["supervise"], own)).code).toBe(4);
  await call(["task", "update", "--summary", "x"], own);
  await until(() => existsSync(on.socket));
  const env = { ...life.env, SIGNALBOX_TOKEN: on.voice["SIGNALBOX_TOKEN"] ?? "" };
  const nobody = (): Promise<Printed> => call(["move", "done"], { cwd, env, stdin: "", program });
  const asked = await nobody();
  hide(on);
  expect([asked, asked.code]).toEqual([await nobody(), 4]);
  expect(asked.stderr).toContain("nothing here was started for that agent");
});

test.runIf(isPerson)("whoever comes from another agent is refused, whoever answers", async () => {
  const on = await scene();
  const id = `${on.run}.reviewer.1.1`;
  await withStore(on.life, async (store) => {
    const [worker] = await store.jobs({ run: on.run });
    if (worker !== undefined)
      await store.commit([{ type: "put-job", job: { ...worker, id, role: "reviewer", status: "over" } }]);
  });
  const stolen = (): Promise<Printed> =>
    on.say(["submit", "plan", "-"], {
      stdin: PLAN,
      env: { SIGNALBOX_JOB: id, OWN: on.voice["SIGNALBOX_JOB"] ?? "" },
      via: 'SIGNALBOX_JOB=$OWN "$@"; exit $?',
    });
  const first = await stolen();
  hide(on);
  expect([first, first.code]).toEqual([await stolen(), 4]);
  expect(first.stderr).toContain("SIGNALBOX_TOKEN is that of");
  expect(await on.journal()).toEqual([]);
});

/** What is asked for, and how often it must be in the journal afterwards. */
const ACTS: readonly [what: string, before: readonly Line[], act: Line][] = [
  ["a text", [], [["submit", "plan", "-", "--json"], PLAN]],
  ["a move", [[["submit", "plan", "-"], PLAN]], [["task", "update", "--status", "working", "--json"]]],
  ["a handover", [[["submit", "plan", "-"], PLAN]], [["task", "complete", "--json"]]],
];

/** What comes of it where nobody dies. */
type Outcome = { readonly printed: Printed; readonly journal: readonly string[]; readonly state: string };
const calm = new Map<string, Promise<Outcome>>();

async function calmly(before: readonly Line[], act: Line): Promise<Outcome> {
  const on = await scene();
  const printed = await playOut(on, { before, act });
  return { printed, journal: await on.journal(), state: await on.state() };
}

async function playOut(
  on: Scene,
  {
    before,
    act: [argv, stdin = ""],
    program,
  }: { readonly before: readonly Line[]; readonly act: Line; readonly program?: string },
): Promise<Printed> {
  for (const [first, given = ""] of before) expect((await on.say(first, { stdin: given })).code).toBe(0);
  return plain(on, await on.say(argv, { stdin, ...(program === undefined ? {} : { program }) }));
}

const PLACES = ["served.before-work", "served.before-answer", "served.after-answer"];
const DEATHS = ["the program", "the launcher"].flatMap((by, n) =>
  PLACES.flatMap((place, i) =>
    // Each place and each act once, by one or the other; the deep tier has all of them.
    ACTS.filter((_, j) => isDeep || ((i + j + n) % ACTS.length === 0 && (i + n) % 2 === 0)).map(
      ([what, before, act]) => [place, by, what, before, act] as const,
    ),
  ),
);

test.runIf(isPerson).for(DEATHS)(
  "killed at %s while %s asks for %s: it is done once, and the answer is the same",
  async ([place, by, what, before, act]) => {
    calm.set(what, calm.get(what) ?? calmly(before, act));
    const wanted = await calm.get(what);
    const on = await scene({ SIGNALBOX_SUPERVISOR_FAILPOINT: `${place}:${before.length + 1}` });
    const victim = supervisorOf(on);
    const own = by === "the launcher" ? { program: on.launcher } : {};
    const printed = await playOut(on, { before, act, ...own });
    await until(() => !isAlive(victim));
    expect({ printed, journal: await on.journal(), state: await on.state() }).toEqual(wanted);
    expect(printed.code).toBe(0);
    // Whoever comes next finds somebody at work.
    expect((await on.say(["show"])).code).toBe(0);
    await until(() => isSupervisorAlive(on.life.home));
  },
);

test.runIf(isPerson).for(["calmly", ...PLACES])(
  "one MCP server makes many calls, and the supervisor dies over the second (%s): each is done once",
  async (place) => {
    const on = await scene(place === "calmly" ? {} : { SIGNALBOX_SUPERVISOR_FAILPOINT: `${place}:2` });
    const mcp = await talkTo({ env: { ...on.life.env, ...on.voice }, cwd: on.workspace });
    for (const summary of ["one", "two", "three"])
      expect(await mcp.call("update_status", { summary })).toMatchObject({ isError: false });
    const set = (await on.journal()).filter((line) => line.includes("param-set"));
    expect(set.map((line) => /"value":"([^"]*)"/.exec(line)?.[1])).toEqual(["one", "two", "three"]);
    const calls = (await on.keys()).filter((key) => key.includes("/call "));
    // Without a supervisor a call has no key, as where the next one has not started yet.
    expect(calls.length).toBeGreaterThanOrEqual(2);
    expect(new Set(calls).size).toBe(calls.length);
  },
);

test.runIf(isPerson && isDeep).for(["SIGKILL", "SIGTERM"] as const)(
  "many ask at once, and the supervisor gets %s again and again: each is done once",
  { timeout: 300_000 },
  async (signal) => {
    const on = await scene();
    const lines = Array.from({ length: 10 }, (_, round) =>
      Array.from({ length: 10 }, (__, n) => `number ${round}-${n}.`),
    );
    for (const summaries of lines) {
      expect((await on.say(["show"])).code).toBe(0);
      await until(() => existsSync(on.socket));
      const victim = supervisorOf(on);
      const all = summaries.map((text) =>
        on.say(["task", "update", "--summary", text], { program: on.launcher }),
      );
      await Promise.race(all);
      if (isAlive(victim)) process.kill(victim, signal);
      expect((await Promise.all(all)).map(({ code }) => code)).toEqual(all.map(() => 0));
      await until(() => !isAlive(victim));
    }
    const journal = await on.journal();
    const often = lines.flat().map((text) => journal.filter((line) => line.includes(text)).length);
    expect(new Set(often)).toEqual(new Set([1]));
  },
);

test.runIf(isPerson)(
  "a supervisor that stands still is not waited for, and does nothing when it goes on",
  async () => {
    const on = await scene();
    const pid = supervisorOf(on);
    process.kill(pid, "SIGSTOP");
    try {
      expect(await on.say(["submit", "plan", "-"], { stdin: PLAN })).toMatchObject({ code: 0 });
      expect(await on.say(["move", "working"], { program: on.launcher })).toMatchObject({ code: 0 });
    } finally {
      process.kill(pid, "SIGCONT");
    }
    const before = await on.journal();
    expect(await on.say(["move", "working"], { program: on.launcher })).toMatchObject({ code: 6 });
    expect(await on.say(["move", "working"])).toMatchObject({ code: 6 });
    expect(await on.journal()).toEqual(before);
  },
);

test.runIf(isPerson)("without a token nobody asks: a person's command is its own", async () => {
  const on = await scene();
  process.kill(supervisorOf(on), "SIGSTOP");
  const { code } = await call(["move", on.run, "clarification"], {
    cwd: on.life.repo,
    env: on.life.env,
    stdin: "",
  });
  expect([code, await on.state()]).toEqual([0, "clarification"]);
  expect(await withStore(on.life, async (store) => (await store.events(on.run)).at(-1)?.by.type)).toBe(
    "human",
  );
});
