/** Runs whose agents sleep, and commands as those agents type them: in processes of their own, with a supervisor at work. */
import { spawn } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { openStore } from "../../src/adapters/store/open.ts";
import { launcherOf } from "../../src/adapters/works/launcher.ts";
import { socketIn } from "../../src/adapters/supervisor/wire.ts";
import { begin, clear, look, makeLife, type, type Life } from "./lives/life.ts";
import { until } from "./process-bench.ts";

const NODE = resolve(import.meta.dirname, "../../node_modules/node/bin/node");
const PROGRAM = resolve(import.meta.dirname, "../../dist/signalbox.cjs");

type Env = Readonly<Record<string, string>>;
export type Printed = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

type Calling = {
  readonly cwd: string;
  readonly env: Env;
  readonly stdin: string | Buffer;
  /** A line of shell in between. */
  readonly via?: string;
  /** What is called, in place of the program itself. */
  readonly program?: string;
};

export type Scene = {
  readonly life: Life;
  readonly run: string;
  readonly socket: string;
  /** What the worker hands on to every command. */
  readonly voice: Env;
  readonly workspace: string;
  /** What agents find on their PATH. */
  readonly launcher: string;
  /** As the worker, in its workspace. */
  say(argv: readonly string[], more?: Partial<Omit<Calling, "cwd">>): Promise<Printed>;
  /** What agents did, without what is of one moment or one run only. */
  journal(): Promise<string[]>;
  /** The keys under which they did it. */
  keys(): Promise<string[]>;
  state(): Promise<string>;
};

const AGENT = `printf '%s %s' "$SIGNALBOX_TOKEN" "$SIGNALBOX_JOB" >"$TOKENS/$SIGNALBOX_RUN.new" && mv "$TOKENS/$SIGNALBOX_RUN.new" "$TOKENS/$SIGNALBOX_RUN"; exec sleep 1000`;

/** The worker of a task plans, and does nothing. `env` is for the supervisor. */
export async function scene(env: Env = {}): Promise<Scene> {
  const life = makeLife({
    config: (root) => {
      mkdirSync(join(root, "tokens"));
      const agent = `{ command: [sh, -c, ${JSON.stringify(AGENT)}], set: { TOKENS: ${root}/tokens } }`;
      return `terminal: none\nharnesses:\n  worker: ${agent}\n  reviewer: { command: [sleep, "1000"] }\n`;
    },
  });
  onTestFinished(() => clear(life));
  const run = await begin(life, env);
  await type(life, ["move", run, "planning"]);
  const token = join(life.root, "tokens", run);
  await until(() => existsSync(token));
  // What the supervisor has to write about the start is written.
  await until(() =>
    withStore(life, async (store) => (await store.deeds(run)).every(({ status }) => status === "done")),
  );
  const [secret = "", job = ""] = readFileSync(token, "utf8").split(" ");
  const voice = { SIGNALBOX_TOKEN: secret, SIGNALBOX_JOB: job, SIGNALBOX_RUN: run };
  const workspace = await withStore(life, async (store) => (await store.workspace(run))?.path ?? "");
  const socket = socketIn(life.home.root) ?? "";
  return {
    life,
    run,
    socket,
    voice,
    workspace,
    launcher: launcherOf(life.home),
    say: (argv, more = {}) =>
      call(argv, {
        cwd: workspace,
        env: { ...life.env, ...voice, ...more.env },
        stdin: more.stdin ?? "",
        ...(more.via === undefined ? {} : { via: more.via }),
        ...(more.program === undefined ? {} : { program: more.program }),
      }),
    journal: () =>
      withStore(life, async (store) =>
        (await store.events(run))
          .filter(({ by }) => by.type === "agent")
          .map(({ event }) =>
            JSON.stringify(event)
              .replaceAll(run, "RUN")
              .replaceAll(/"at":"[^"]*"/g, '"at"'),
          ),
      ),
    keys: async () =>
      (
        await withStore(life, (store) =>
          store.database
            .all("SELECT key FROM keys WHERE run = ? ORDER BY seq", run)
            .map(({ key }) => String(key)),
        )
      ).filter((key) => key.startsWith("worker:")),
    state: async () => (await look(life, run)).state,
  };
}

export async function withStore<T>(
  life: Life,
  work: (store: ReturnType<typeof openStore>) => T | Promise<T>,
): Promise<T> {
  const store = openStore(life.home);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Nobody is there to be asked. */
export function hide({ socket }: Scene): void {
  if (lstatSync(socket, { throwIfNoEntry: false }) !== undefined) renameSync(socket, `${socket}.away`);
}

/** Of the supervisor that is at work. */
export function supervisorOf({ life }: Scene): number {
  return Number(readFileSync(join(life.home.root, "supervisor.pid"), "utf8").split(" ")[0]);
}

export function call(argv: readonly string[], of: Calling): Promise<Printed> {
  const own = [...(of.program === undefined ? [NODE, PROGRAM] : [of.program]), ...argv];
  const [program = "", ...rest] = of.via === undefined ? own : ["sh", "-c", of.via, "sh", ...own];
  const child = spawn(program, rest, { cwd: of.cwd, env: of.env });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  // Whoever does not read its input closes it.
  child.stdin.on("error", () => undefined);
  child.stdin.end(of.stdin);
  return new Promise((done) => child.once("close", (code) => done({ code, stdout, stderr })));
}
