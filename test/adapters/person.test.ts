/** Who acts: by token, by mark, by ancestry. An agent that hides its token is a stranger, not a person. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { writePid } from "../../src/adapters/supervisor/end.ts";
import { takeSupervisorLock } from "../../src/adapters/supervisor/lock.ts";
import { supervisorSaid } from "../../src/adapters/supervisor/said.ts";
import { requirePerson, whoActs, type Who } from "../../src/adapters/person/who.ts";
import { lineageOf, PROCS, type Procs } from "../../src/adapters/person/processes.ts";
import { hashToken, newToken } from "../../src/adapters/person/token.ts";
import type { UserError } from "../../src/adapters/user-error.ts";
import type { AgentRow, JobRow } from "../../src/engine/ports/registry.ts";
import { procsOf, type Fake } from "../support/procs.ts";

const TOKEN = newToken();
const AGENT: AgentRow = {
  run: "abcd",
  role: "worker",
  slot: "",
  attempt: 2,
  token: hashToken(TOKEN),
  dir: "",
  turn: 1,
  status: "running",
  entry: 0,
  startedAt: 0,
};
const JOB = "abcd.worker.2.1";
/** Jobs of this state home; the mark of any other says nothing here. */
const JOBS = new Set([JOB, "abcd.reviewer.1.1", "abcd.worker.1.4"]);
const store = {
  byToken: (hash: string) => Promise.resolve(hash === AGENT.token ? AGENT : undefined),
  job: (id: string) => Promise.resolve(JOBS.has(id) ? ({ id } as JobRow) : undefined),
};
const jobAbove = (id: string): readonly Fake[] => [
  SHELL,
  { pid: 45, name: "sh", environment: `PATH=/bin\0SIGNALBOX_JOB=${id}\0` },
  ...MINE.slice(1),
];

const SHELL: Fake = { pid: 50, name: "bash" };
const MINE: readonly Fake[] = [
  SHELL,
  { pid: 40, name: "sshd", environment: undefined },
  { pid: 1, name: "init" },
];

async function say(env: Record<string, string>, above: readonly Fake[] = MINE): Promise<string> {
  let who: Who;
  try {
    who = await whoActs({ env, store, procs: procsOf(above) });
  } catch (error) {
    return `${(error as UserError).code} ${(error as UserError).exit}`;
  }
  const type = who.type === "agent" ? `agent ${who.actor.role} ${who.actor.attempt} of ${who.run}` : who.type;
  try {
    requirePerson(who);
    return `${type}, may act as a person`;
  } catch (error) {
    return `${type}, ${(error as UserError).code} ${(error as UserError).exit}`;
  }
}

describe("who acts", () => {
  test.for<[string, Record<string, string>, readonly Fake[], string]>([
    ["nothing special", {}, MINE, "person, may act as a person"],
    ["a run chosen for convenience", { SIGNALBOX_RUN: "abcd" }, MINE, "person, may act as a person"],
    [
      "settings of agents in a profile",
      { CODEX_HOME: "/x", AIDER_MODEL: "y", GEMINI_API_KEY: "z" },
      MINE,
      "person, may act as a person",
    ],
    ["an empty mark is none", { CLAUDECODE: "", SIGNALBOX_JOB: "" }, MINE, "person, may act as a person"],
    ["a variable that anybody may have", { AGENT: "007" }, MINE, "person, may act as a person"],
    ...(
      [
        ["its job in the environment", { SIGNALBOX_JOB: JOB }, MINE, true],
        ["its job above it", {}, jobAbove(JOB), true],
        ["a later turn of it", { SIGNALBOX_JOB: "abcd.worker.2.17" }, MINE, true],
        ["marks of a program", { SIGNALBOX_JOB: JOB, CLAUDECODE: "1" }, jobAbove(JOB), true],
        ["a job of another state home around it", { SIGNALBOX_JOB: JOB }, jobAbove("wxyz.worker.1.1"), true],
        ["nothing", {}, MINE, false],
        ["only a program's marks", { CLAUDECODE: "1" }, MINE, false],
        ["only a job of another state home", { SIGNALBOX_JOB: "wxyz.worker.2.1" }, MINE, false],
        ["the job of another role", { SIGNALBOX_JOB: "abcd.reviewer.1.1" }, MINE, false],
        ["the job of another attempt", { SIGNALBOX_JOB: "abcd.worker.1.4" }, MINE, false],
        ["the job of another role above it", {}, jobAbove("abcd.reviewer.1.1"), false],
        ["a job that it only claims", { SIGNALBOX_JOB: JOB }, jobAbove("abcd.reviewer.1.1"), false],
        ["a job that only begins like its own", { SIGNALBOX_JOB: `${JOB}.x` }, MINE, false],
      ] satisfies readonly [string, Record<string, string>, readonly Fake[], boolean][]
    ).map(([what, env, above, isOwn]): [string, Record<string, string>, readonly Fake[], string] => [
      `a token with ${what}`,
      { SIGNALBOX_TOKEN: TOKEN, ...env },
      above,
      isOwn ? "agent worker 2 of abcd, not-a-person 4" : "stolen-token 4",
    ]),
    ["a token of nobody", { SIGNALBOX_TOKEN: "guess" }, MINE, "unknown-token 4"],
    ["the digest is no token", { SIGNALBOX_TOKEN: AGENT.token }, MINE, "unknown-token 4"],
    ["a job without its token", { SIGNALBOX_JOB: "j" }, MINE, "stranger, not-a-person 4"],
    [
      "a job with an empty token",
      { SIGNALBOX_JOB: "j", SIGNALBOX_TOKEN: "" },
      MINE,
      "stranger, not-a-person 4",
    ],
    ...[
      "CLAUDECODE",
      "CLAUDE_CODE_ENTRYPOINT",
      "CODEX_SANDBOX",
      "CODEX_THREAD_ID",
      "GEMINI_CLI",
      "OPENCODE",
      "CURSOR_AGENT",
      "AI_AGENT",
    ].map((name): [string, Record<string, string>, readonly Fake[], string] => [
      name,
      { [name]: "1" },
      MINE,
      "stranger, not-a-person 4",
    ]),
    ["a mark among values", { AGENT: "amp" }, MINE, "stranger, not-a-person 4"],
    [
      "an empty environment below a job",
      {},
      [SHELL, { pid: 45, name: "node", environment: "PATH=/bin\0SIGNALBOX_JOB=j\0" }, ...MINE.slice(1)],
      "person, not-a-person 4",
    ],
    [
      "an empty environment below an agent that is not ours",
      {},
      [{ ...SHELL, environment: "CLAUDECODE=1\0" }, ...MINE.slice(1)],
      "person, not-a-person 4",
    ],
    [
      "a token that an ancestor has",
      {},
      [SHELL, { pid: 45, name: "sh", environment: `SIGNALBOX_TOKEN=${TOKEN}\0` }],
      "person, not-a-person 4",
    ],
    [
      "a name that only ends like a mark",
      {},
      [{ ...SHELL, environment: "NOT_CLAUDECODE=1\0XSIGNALBOX_JOB=1\0" }],
      "person, may act as a person",
    ],
    [
      "an ancestor with a convenient run",
      {},
      [{ ...SHELL, environment: "SIGNALBOX_RUN=abcd\0" }],
      "person, may act as a person",
    ],
    [
      "more ancestors than anybody has",
      {},
      Array.from({ length: 300 }, (_, index) => ({ pid: 400 - index, name: "sh" })),
      "person, not-a-person 4",
    ],
  ])("%s", async ([, env, above, expected]) => {
    expect(await say(env, above)).toBe(expected);
  });

  test("whose parents have died is still in the session of the job", () => {
    const orphan = procsOf([{ pid: 1, name: "init" }], { session: 70, group: 71 }, [
      { pid: 70, name: "shim", environment: "SIGNALBOX_JOB=j\0" },
      { pid: 71, name: "sh" },
    ]);
    expect(lineageOf(orphan).mark).toMatch(/leader of this session.* SIGNALBOX_JOB/);
    const grouped = procsOf([{ pid: 1, name: "init" }], { session: 9, group: 71 }, [
      { pid: 71, name: "sh", environment: "SIGNALBOX_JOB=j\0" },
    ]);
    expect(lineageOf(grouped).mark).toMatch(/leader of this group.* SIGNALBOX_JOB/);
  });

  test("reading does not look at processes", async () => {
    const procs = procsOf(MINE);
    const refuse = (): never => {
      throw new Error("looked");
    };
    expect(
      (await whoActs({ env: {}, store, procs: { ...procs, see: refuse, environment: refuse } })).type,
    ).toBe("person");
  });

  test("a refusal names the mark and the way out", async () => {
    const who = await whoActs({ env: { CLAUDECODE: "1" }, store, procs: procsOf(MINE) });
    expect(() => requirePerson(who)).toThrow(/CLAUDECODE of Claude Code/);
    const agent = { SIGNALBOX_TOKEN: TOKEN, SIGNALBOX_JOB: JOB };
    await expect(
      (async () => requirePerson(await whoActs({ env: agent, store, procs: procsOf(MINE) })))(),
    ).rejects.toThrow(/"worker" of run abcd/);
    const thief = { SIGNALBOX_TOKEN: TOKEN, SIGNALBOX_JOB: "abcd.reviewer.1.1" };
    await expect(whoActs({ env: thief, store, procs: procsOf(MINE) })).rejects.toThrow(
      /that of "worker" of run abcd, attempt 2, and this is a process of the job abcd\.reviewer\.1\.1/,
    );
  });
});

describe("where processes are hidden nobody is a person", () => {
  const told = async (procs: Partial<Procs>, above: readonly Fake[] = MINE): Promise<string> => {
    try {
      requirePerson(await whoActs({ env: {}, store, procs: { ...procsOf(above), ...procs } }));
      return "person";
    } catch (error) {
      return `${(error as UserError).exit} ${(error as UserError).message}; ${(error as UserError).next}`;
    }
  };

  test.for<[string, Partial<Procs>, RegExp]>([
    ["nothing is", {}, /^person$/],
    ["an empty /proc", { see: () => undefined }, /^4 .*\/proc does not show this process.*mount/],
    ["a /proc that is not the kernel's", { world: () => "" }, /^4 .*\/proc does not show this process/],
    [
      "a parent that cannot be seen",
      { see: (pid) => (pid === 40 ? undefined : procsOf(MINE).see(pid)) },
      /^4 .*the process 40, which this one comes from, cannot be seen/,
    ],
    [
      "a parent that ends while we look",
      (() => {
        let looks = 0;
        return {
          see: (pid: number) => (pid === 40 && ++looks === 1 ? undefined : procsOf(MINE).see(pid)),
        };
      })(),
      /^person$/,
    ],
    ["a system without /proc", { isOpen: false, see: () => undefined, world: () => "" }, /^person$/],
  ])("%s", async ([, procs, expected]) => {
    expect(await told(procs)).toMatch(expected);
  });

  test("another world than that of the supervisor, while it lives", async () => {
    const home = homeAt(mkdtempSync(join(tmpdir(), "signalbox-world-")));
    const env = { SIGNALBOX_HOME: home.root };
    const act = async (world: string): Promise<Who["type"]> =>
      requirePerson(await whoActs({ env, store, procs: { ...procsOf(MINE), world: () => world } })).type;
    writePid(home);
    const here = supervisorSaid(home).world;
    expect(await act("pid:[7] user:[7]")).toBe("person");
    const lock = takeSupervisorLock(home);
    await expect(act("pid:[7] user:[7]")).rejects.toThrow(/another namespace of processes or users/);
    expect(await act(here)).toBe("person");
    lock?.release();
    expect(await act("pid:[7] user:[7]")).toBe("person");
    rmSync(home.root, { recursive: true });
  });
});

test("terminals are called as people call them", () => {
  const at = (terminal: number): string => lineageOf(procsOf(MINE, { terminal })).terminal;
  expect([0, (136 << 8) | 3, (137 << 8) | 4, (4 << 8) | 2, 5 << 8].map(at)).toEqual([
    "",
    "pts/3",
    "pts/260",
    "tty2",
    "5:0",
  ]);
});

test("tokens are long, and never the same", () => {
  const tokens = new Set(Array.from({ length: 100 }, newToken));
  expect(tokens.size).toBe(100);
  for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/);
});

test.runIf(process.platform === "linux")("the real processes are read", () => {
  const { ancestry } = lineageOf(PROCS);
  expect(ancestry[0]).toMatch(new RegExp(`^${process.ppid} .+`));
  expect(PROCS.environment(process.pid)).toContain("PATH=");
});
