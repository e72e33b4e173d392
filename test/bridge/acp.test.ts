/** One turn after the other of a program that speaks ACP: what comes of it, as the driver reads it. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { acp } from "../../src/adapters/drivers/acp.ts";
import { runAcpTurn } from "../../src/bridge/acp.ts";
import { printer } from "../../src/bridge/events.ts";
import type { PermissionOutcome, PermissionPolicy } from "../../src/bridge/permission.ts";

const AGENT = join(import.meta.dirname, "agent.ts");

let [root, cwd] = ["", ""];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "acp-")));
  cwd = join(root, "work");
  mkdirSync(cwd);
});

/** Whether a process works in this folder. */
function isAlive(folder: string): boolean {
  return readdirSync("/proc").some((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      // It has ended, or is another user's.
      return false;
    }
  });
}

type Turned = {
  readonly code: number;
  /** As the driver reads them. */
  readonly events: readonly string[];
  readonly asked: readonly string[];
  readonly lines: readonly string[];
};

async function turn(
  prompt: string,
  on: {
    readonly can?: readonly string[];
    readonly argv?: readonly string[];
    readonly conversation?: string;
    readonly model?: string;
    readonly effort?: string;
    readonly anew?: string;
    readonly policy?: Partial<PermissionPolicy>;
    readonly answer?: PermissionOutcome | ((tool: string) => Promise<PermissionOutcome>);
    readonly signal?: AbortSignal;
  } = {},
): Promise<Turned> {
  const lines: string[] = [];
  const asked: string[] = [];
  const { answer = "deny" } = on;
  const code = await runAcpTurn({
    argv: on.argv ?? [process.execPath, AGENT, ...(on.can ?? [])],
    env: process.env,
    prompt,
    anew: on.anew ?? "",
    conversation: on.conversation ?? "",
    model: on.model ?? "",
    effort: on.effort ?? "",
    policy: { access: "write", permissions: "ask", cwd, folders: [], ...on.policy },
    ask: async (tool, input) => {
      asked.push(`${tool}: ${input}`);
      return typeof answer === "string" ? answer : answer(tool);
    },
    print: printer(({ text }) => void lines.push(text.trimEnd())),
    signal: on.signal ?? new AbortController().signal,
  });
  const reader = acp.reader();
  const events = [...lines.flatMap((line) => reader.take(line)), ...reader.end()];
  return {
    code,
    asked,
    lines,
    events: events.map(({ type, ...rest }) => `${type} ${JSON.stringify(rest)}`.replaceAll(`${cwd}/`, "")),
  };
}

const USAGE = 'usage {"usage":{"input":100,"cached":30,"output":8,"cost":0.5}}';

test("a first turn: conversation, text, tools, files, usage", async () => {
  const { code, events } = await turn(`say hello there; write ${cwd}/a.txt; run signalbox next`);
  expect([code, ...events]).toEqual([
    0,
    'conversation {"id":"c-1"}',
    'text {"text":"hello there "}',
    'tool-started {"id":"t-1","name":"edit","input":"Writing a.txt"}',
    'tool-ended {"id":"t-1","isOk":true,"output":"selected once"}',
    'file-changed {"path":"a.txt"}',
    'tool-started {"id":"t-3","name":"execute","input":"signalbox next"}',
    'tool-ended {"id":"t-3","isOk":true,"output":"selected once"}',
    USAGE,
    "turn-ended {}",
  ]);
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("new\n");
});

describe("a later turn", () => {
  test.for<[string, readonly string[], text: string | undefined]>([
    ["is resumed", ["resume", "load"], "I remember. "],
    ["is loaded, without what the program repeats", ["load"], "I remember. "],
    ["of a program that can do neither begins with the task again", [], undefined],
    ["of gemini is not loaded: it would lose the conversation", ["load", "name=gemini-cli"], undefined],
  ])("%s", async ([, can, text]) => {
    await turn("say one", { can });
    const { code, events } = await turn("say two", { can, conversation: "c-1", anew: "the task; say two" });
    const texts = events.filter((event) => event.startsWith("text"));
    expect([code, texts]).toEqual([0, [`text ${JSON.stringify({ text: `${text ?? ""}two ` })}`]]);
    const prompts = readFileSync(join(root, "conversations/c-1"), "utf8");
    expect(prompts.includes("the task")).toBe(text === undefined);
    // It counts from the beginning of the conversation, of which nobody knows the cost.
    expect(events.at(-2)?.includes("cost")).toBe(text === undefined);
  });

  test("of a conversation that is gone begins a new one, and says so", async () => {
    const { code, events } = await turn("say two", {
      can: ["resume"],
      conversation: "c-9",
      anew: "the task; say two",
    });
    expect([code, events[0], events[1]]).toEqual([
      0,
      'notice {"text":"the conversation cannot be continued: Invalid params: no such conversation"}',
      'conversation {"id":"c-1"}',
    ]);
  });
});

describe("permission", () => {
  const wishes = "run npm install; fetch http://x; write /etc/none";
  test.for<[PermissionOutcome | "allowed" | "read", asked: number, refused: number, ok: number]>([
    ["allow", 3, 0, 3],
    ["always", 3, 0, 3],
    ["deny", 3, 3, 0],
    ["dropped", 3, 0, 0],
    ["allowed", 0, 0, 3],
    ["read", 0, 3, 0],
  ])("%s", async ([how, asked, refused, ok]) => {
    const policy: Partial<PermissionPolicy> =
      how === "read" ? { access: "read" } : how === "allowed" ? { permissions: "allow" } : {};
    const answer = how === "read" || how === "allowed" ? "deny" : how;
    const done = await turn(wishes.replace("/etc/none", `${root}/outside.txt`), { policy, answer });
    const count = (start: string): number => done.events.filter((event) => event.startsWith(start)).length;
    const oks = done.events.filter((event) => event.includes('"isOk":true')).length;
    expect([done.code, done.asked.length, count("refused"), oks]).toEqual([0, asked, refused, ok]);
    expect(existsSync(`${root}/outside.txt`)).toBe(ok === 3);
    const all = [
      "execute: npm install",
      "fetch: Fetching http://x\nhttp://x",
      `edit: Writing ${root}/outside.txt\n--- ${root}/outside.txt\nnew\n`,
    ];
    expect(done.asked).toEqual(all.slice(0, asked));
  });

  test("a role that may only read reads, calls signalbox and writes in its own checkout", async () => {
    const words = `run git diff HEAD; run signalbox submit review -; write ${cwd}/review.md; run sh x.sh; run git -C / log`;
    const { events } = await turn(words, { policy: { access: "read" } });
    const ended = events
      .filter((event) => event.startsWith("tool-ended"))
      .map((event) => event.includes("true"));
    expect(ended).toEqual([true, true, true, false, false]);
  });
});

describe("a failure", () => {
  test.for<[prompt: string, can: readonly string[], failure: string]>([
    ["fail 429 You have hit your usage limit", [], "quota You have hit your usage limit"],
    ["fail 401 Bad key", [], "login Bad key"],
    ["fail 503 Overloaded", [], "provider Overloaded"],
    ["fail -32603 unknown model x", [], "configuration unknown model x"],
    ["fail -32603 It is broken", [], "other It is broken"],
    ["say x", ["login"], "login Authentication required"],
    ["stop max_tokens", [], "other the turn ended: the model has written as many tokens as it may"],
    ["stop refusal", [], "other the turn ended: the model refuses to go on"],
    ["stop cancelled", [], "other the turn ended: the program has cancelled it"],
    ["say x", ["newer"], "configuration the program speaks ACP 2, and not 1"],
  ])("%s %o", async ([prompt, can, failure]) => {
    const { code, events } = await turn(prompt, { can });
    const [kind = "", text = ""] = /^(\S+) (.*)$/.exec(failure)?.slice(1) ?? [];
    expect([code, ...events.slice(-2)]).toEqual([
      1,
      `failure ${JSON.stringify({ class: kind, message: text })}`,
      "turn-ended {}",
    ]);
  });

  test("of a program that dies says how, with its last words", async () => {
    const { code, events } = await turn("die 7");
    expect([code, events.at(-2)]).toEqual([
      1,
      `failure {"class":"other","message":"${process.execPath} ended: exit code 7: it broke"}`,
    ]);
  });

  test("of a program that is not there", async () => {
    const { code, events } = await turn("say x", { argv: ["/none/such"] });
    expect([code, events[0]]).toEqual([
      1,
      'failure {"class":"other","message":"/none/such cannot be started: spawn /none/such ENOENT"}',
    ]);
  });
});

test("model and effort are set where the program offers them; another model ends the turn", async () => {
  const can = ["models"];
  expect((await turn("say x", { can, model: "large", effort: "high" })).code).toBe(0);
  expect(readFileSync(join(root, "conversations/chosen"), "utf8")).toBe("model=large\nthought_level=high\n");
  expect((await turn("say x", { can, model: "huge" })).events.at(-2)).toBe(
    'failure {"class":"configuration","message":"the program has no model \\"huge\\"; it has small, large"}',
  );
  expect((await turn("say x", { effort: "high" })).events).toContain(
    'notice {"text":"the program cannot be told the effort high"}',
  );
});

describe("stopped", () => {
  test.for<[string, can: readonly string[], answer: PermissionOutcome | "never", code: number]>([
    ["while it works", [], "deny", 143],
    ["while it hears nothing", ["deaf"], "deny", 143],
    ["while a person is asked", [], "never", 143],
  ])("%s: nothing of it is left", async ([, can, answer, code]) => {
    const stop = new AbortController();
    const words = answer === "never" ? "spawn 1000; fetch http://x" : "spawn 1000; say begun; hang";
    const pending = turn(`${words}; say more`, {
      can,
      signal: stop.signal,
      ...(answer === "never"
        ? {
            answer: () =>
              new Promise<PermissionOutcome>((done) =>
                stop.signal.addEventListener("abort", () => done("dropped")),
              ),
          }
        : {}),
    });
    await expect.poll(() => existsSync(join(root, "conversations/c-1"))).toBe(true);
    await new Promise((done) => setTimeout(done, 300));
    stop.abort();
    expect((await pending).code).toBe(code);
    expect(isAlive(cwd)).toBe(false);
  });
});

test("what a program leaves running is ended with the turn", async () => {
  expect((await turn("spawn 1000; say done")).code).toBe(0);
  expect(isAlive(cwd)).toBe(false);
});

test("garbage is reported, and does not end the turn", async () => {
  const { code, events, lines } = await turn("say hello", { can: ["garbage"] });
  expect(code).toBe(0);
  expect(events).toContain('notice {"text":"no message"}');
  expect(events).toContain('notice {"text":"(a line of 9000000 bytes is left out)"}');
  expect(events).toContain('notice {"text":"a warning"}');
  expect(events).toContain('text {"text":"hello "}');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(100_000);
});

const FLOOD = process.env["SIGNALBOX_DEEP"] === undefined ? 100 : 1000;

test(`${FLOOD / 10} MB of text pass through in bounded lines`, async () => {
  const { code, lines, events } = await turn(`flood ${FLOOD}; say end`);
  expect([code, events.at(-2)]).toEqual([0, USAGE]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(20_000);
}, 60_000);
