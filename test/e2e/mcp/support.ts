/** A task whose agents sleep, and the official client in their place: with their token, their marks, and `signalbox mcp` as a process. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { begin, clear, look, makeLife, type, type Life } from "../lives/life.ts";
import { until } from "../process-bench.ts";
import { call, withStore, type Printed } from "../served-support.ts";

export const NODE = resolve(import.meta.dirname, "../../../node_modules/node/bin/node");
export const PROGRAM = resolve(import.meta.dirname, "../../../dist/signalbox.cjs");

type Env = Readonly<Record<string, string>>;
type Role = "worker" | "reviewer";

/** What a tool says: its text, whether it is an error, and its data. */
type Told = {
  readonly text: string;
  readonly isError: boolean;
  readonly data: Readonly<Record<string, unknown>>;
};

export type Talk = {
  readonly client: Client;
  tools(): Promise<readonly string[]>;
  call(name: string, given?: Readonly<Record<string, unknown>>): Promise<Told>;
};

export type Scene = {
  readonly life: Life;
  readonly run: string;
  readonly workspace: string;
  /** What an agent of this role hands on to what it starts. */
  voice(role: Role): Promise<Env>;
  talk(env: Env, mode?: "legacy" | "auto"): Promise<Talk>;
  /** The same agent at the command line. */
  say(env: Env, argv: readonly string[], stdin?: string): Promise<Printed>;
  /** Its process ends its turn. Nobody reviews while somebody writes. */
  end(role: Role): void;
  state(): Promise<string>;
  events(): Promise<number>;
};

const AGENT = `printf '%s %s' "$SIGNALBOX_TOKEN" "$SIGNALBOX_JOB" >"$TOKENS/new.$ROLE" && mv "$TOKENS/new.$ROLE" "$TOKENS/$ROLE"; until [ -e "$TOKENS/$ROLE.over" ]; do sleep 0.05; done`;

/** The worker of a task plans, and does nothing. */
export async function scene(): Promise<Scene> {
  const life = makeLife({
    config: (root) => {
      mkdirSync(join(root, "tokens"));
      const harness = (role: Role): string =>
        `  ${role}: { command: [sh, -c, ${JSON.stringify(AGENT)}], set: { TOKENS: ${root}/tokens, ROLE: ${role} } }\n`;
      return `terminal: none\nharnesses:\n${harness("worker")}${harness("reviewer")}`;
    },
  });
  onTestFinished(() => clear(life));
  const run = await begin(life);
  await type(life, ["move", run, "planning"]);
  const voice = async (role: Role): Promise<Env> => {
    const file = join(life.root, "tokens", role);
    await until(() => existsSync(file));
    const [SIGNALBOX_TOKEN = "", SIGNALBOX_JOB = ""] = readFileSync(file, "utf8").split(" ");
    return { ...life.env, SIGNALBOX_TOKEN, SIGNALBOX_JOB, SIGNALBOX_RUN: run };
  };
  await voice("worker");
  await settled(life, run);
  const workspace = await withStore(life, async (store) => (await store.workspace(run))?.path ?? "");
  return {
    life,
    run,
    workspace,
    voice,
    talk: (env, mode) => talkTo({ env, cwd: workspace, ...(mode === undefined ? {} : { mode }) }),
    say: (env, argv, stdin = "") => call(argv, { cwd: workspace, env, stdin }),
    end: (role) => writeFileSync(join(life.root, "tokens", `${role}.over`), ""),
    state: async () => (await look(life, run)).state,
    events: () => withStore(life, async (store) => (await store.load(run))?.run.seq ?? 0),
  };
}

/** What the supervisor has to write about what was asked for is written. */
export async function settled(life: Life, run: string): Promise<void> {
  await until(() =>
    withStore(life, async (store) => (await store.deeds(run)).every(({ status }) => status === "done")),
  );
}

/** The official client, with what an agent hands on. */
export async function talkTo(on: {
  readonly env: Env;
  readonly cwd: string;
  readonly mode?: "legacy" | "auto";
}): Promise<Talk> {
  const { mode = "legacy" } = on;
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command: NODE,
    args: [PROGRAM, "mcp"],
    env: { ...on.env },
    cwd: on.cwd,
    stderr: "pipe",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, given = {}) => {
      const { content, isError, structuredContent } = await client.callTool({ name, arguments: given });
      const [first] = content;
      return {
        text: first?.type === "text" ? first.text : "",
        isError: isError === true,
        data: structuredContent as Told["data"],
      };
    },
  };
}
