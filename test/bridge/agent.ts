/**
 * An agent that speaks ACP and does what the last line of its prompt says, or `do=WORDS`, one after the other; nothing else of an agent.
 *
 * It is started as `node agent.ts [ABILITY...]`: resume, load, models, login, newer, mute, deaf, garbage, name=NAME. Conversations are
 * files in a folder beside its working folder, so that a new process goes on with them.
 */
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

type Params = {
  readonly sessionId: string;
  readonly configId: string;
  readonly value: string;
  readonly prompt: readonly { readonly text: string }[];
};
type Outcome = { readonly outcome: { readonly outcome: string; readonly optionId?: string } };
type Message = {
  readonly id?: number;
  readonly method?: string;
  readonly params: Params;
  readonly result?: Outcome;
};
type Call = {
  readonly kind: string;
  readonly title: string;
  readonly locations?: readonly { readonly path: string }[];
  readonly rawInput?: object;
  readonly content?: readonly object[];
};
type Reply = { readonly result: object } | { readonly error: object };

const can = new Set(process.argv.slice(2));
const name = [...can].find((word) => word.startsWith("name="))?.slice(5) ?? "fake";
const folder = join(dirname(process.cwd()), "conversations");
const asked = new Map<number, (answer: Outcome) => void>();
let isCancelled = false;
let ids = 0;

mkdirSync(folder, { recursive: true });
if (can.has("garbage")) {
  const lines = [
    "no message",
    '{"half": ',
    "\u0000\u00ff",
    "[1]",
    '{"jsonrpc":"1.0"}',
    "x".repeat(9_000_000),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  process.stderr.write("a warning\n");
}
if (can.has("deaf")) process.on("SIGTERM", () => undefined);

createInterface({ input: process.stdin })
  .on("line", (line) => void take(JSON.parse(line) as Message))
  .on("close", () => {
    if (!can.has("deaf")) process.exit(0);
    setInterval(() => undefined, 1000);
  });

function send(message: object): boolean {
  return process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function update(change: object): boolean {
  return send({ method: "session/update", params: { sessionId: "c-1", update: change } });
}

function say(text: string): boolean {
  return update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
}

function request(method: string, params: object): Promise<Outcome> {
  ids += 1;
  const id = ids;
  send({ id, method, params });
  return new Promise((answer) => asked.set(id, answer));
}

async function take({ id, method, params, result }: Message): Promise<void> {
  if (method === "session/cancel") isCancelled = true;
  if (id === undefined) return;
  if (method === undefined) return asked.get(id)?.(result ?? { outcome: { outcome: "failed" } });
  const answer = await answerTo(method, params);
  if (answer !== undefined) send({ id, ...answer });
}

async function answerTo(method: string, params: Params): Promise<Reply | undefined> {
  switch (method) {
    case "initialize":
      return can.has("mute") ? undefined : { result: about() };
    case "session/new":
      if (can.has("login")) return { error: { code: -32000, message: "Authentication required" } };
      writeFileSync(join(folder, "c-1"), "");
      return { result: { sessionId: "c-1", ...options() } };
    case "session/resume":
    case "session/load":
      if (!existsSync(join(folder, params.sessionId)))
        return {
          error: { code: -32602, message: "Invalid params", data: { details: "no such conversation" } },
        };
      if (method === "session/load") say("an old text");
      return { result: options() };
    case "session/set_config_option":
      appendFileSync(join(folder, "chosen"), `${params.configId}=${params.value}\n`);
      return { result: { configOptions: [] } };
    case "session/prompt":
      return prompted(params);
  }
  return { error: { code: -32601, message: `no ${method}` } };
}

function about(): object {
  return {
    protocolVersion: can.has("newer") ? 2 : 1,
    agentInfo: { name, version: "1" },
    agentCapabilities: {
      loadSession: can.has("load"),
      sessionCapabilities: can.has("resume") ? { resume: {} } : {},
    },
  };
}

function options(): object {
  const select = (category: string, values: readonly string[]): object => ({
    id: category,
    name: category,
    category,
    type: "select",
    currentValue: values[0],
    options: values.map((value) => ({ value, name: value })),
  });
  return can.has("models")
    ? { configOptions: [select("model", ["small", "large"]), select("thought_level", ["low", "high"])] }
    : {};
}

async function prompted({ sessionId, prompt }: Params): Promise<Reply> {
  const text = prompt[0]?.text ?? "";
  const file = join(folder, sessionId);
  if (readFileSync(file, "utf8") !== "") say("I remember. ");
  appendFileSync(file, `${text}\n---\n`);
  const script = [...can].find((word) => word.startsWith("do="))?.slice(3) ?? text.trim().split("\n").at(-1);
  for (const words of (script ?? "").split("; ")) {
    const failure = await act(words);
    if (failure !== undefined) return failure;
    if (isCancelled) return { result: { stopReason: "cancelled" } };
  }
  update({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 0.5, currency: "USD" } });
  const usage = { inputTokens: 70, outputTokens: 8, cachedReadTokens: 30, totalTokens: 108 };
  return { result: { stopReason: "end_turn", usage } };
}

async function act(words: string): Promise<Reply | undefined> {
  const [verb = "", ...rest] = words.split(" ");
  const what = rest.join(" ");
  switch (verb) {
    case "say":
      for (const piece of rest) say(`${piece} `);
      return undefined;
    case "run":
      return tool({ kind: "execute", title: what, rawInput: { command: what } });
    case "write": {
      const content = [{ type: "diff", path: what, oldText: "", newText: "new\n" }];
      return tool({ kind: "edit", title: `Writing ${what}`, locations: [{ path: what }], content });
    }
    case "fetch":
      return tool({ kind: "fetch", title: `Fetching ${what}`, rawInput: { url: what } });
    case "fail":
      return { error: { code: Number(rest[0]), message: rest.slice(1).join(" ") } };
    case "stop":
      return { result: { stopReason: what } };
    case "die":
      process.stderr.write("it broke\n");
      return process.exit(Number(what));
    case "spawn":
      spawn("sleep", [what], { stdio: "ignore" });
      return undefined;
    case "flood":
      for (let n = 0; n < Number(what); n += 1)
        if (!say("y".repeat(100_000))) await new Promise((drained) => process.stdout.once("drain", drained));
      return undefined;
    case "hang":
      for (;;) {
        if (isCancelled && !can.has("deaf")) break;
        await pause(20);
      }
      return undefined;
  }
  return undefined;
}

async function tool(call: Call): Promise<undefined> {
  ids += 1;
  const toolCallId = `t-${ids}`;
  update({ sessionUpdate: "tool_call", toolCallId, status: "pending", ...call });
  const { outcome } = await request("session/request_permission", {
    sessionId: "c-1",
    toolCall: { toolCallId, ...call },
    options: [
      { optionId: "always", name: "Always", kind: "allow_always" },
      { optionId: "once", name: "Once", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ],
  });
  const isAllowed = outcome.optionId === "once";
  if (isAllowed && call.kind === "edit") writeFileSync(call.locations?.[0]?.path ?? "", "new\n");
  if (isAllowed && call.kind === "execute") spawnSync("sh", ["-c", call.title], { stdio: "ignore" });
  const output = `${outcome.outcome} ${outcome.optionId ?? ""}`.trim();
  const status = isAllowed ? "completed" : "failed";
  update({ sessionUpdate: "tool_call_update", toolCallId, status, rawOutput: { output } });
  return undefined;
}
