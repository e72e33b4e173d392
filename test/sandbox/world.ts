/** A machine with everything that an agent could want, and one agent in it. */

import { execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { cellsOf } from "../../src/adapters/sandbox/sandbox.ts";
import type { Launch } from "../../src/engine/ports/process.ts";
import type { Confinement } from "../../src/engine/ports/sandbox.ts";

export type World = {
  readonly root: string;
  readonly targets: Readonly<Record<string, string | number>>;
  /** Runs a program as an agent of the workspace; gives its exit code and what it printed. */
  run(argv: readonly string[], how: How): Promise<{ readonly code: number | null; readonly said: string }>;
  isOutsiderAlive(): boolean;
  close(): Promise<void>;
};

type How = {
  readonly isConfined: boolean;
  readonly cell?: Partial<Confinement>;
  readonly hasTerminal?: boolean;
};

const MARK = "SIGNALBOX_TEST_LEFT";

export async function makeWorld(): Promise<World> {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "sbx-"));
  const put = (path: string, text: string): string => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: 0o600 });
    return join(root, path);
  };
  const git = (cwd: string, ...argv: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@localhost", ...argv], {
      cwd,
      encoding: "utf8",
    }).trim();
  const [state, repo, work, person, inPlace, turn] = [
    "state",
    "repo",
    "state/workspaces/own",
    "person",
    "checkout",
    "state/runs/own/agents/a/turn-1",
  ].map((name) => {
    mkdirSync(join(root, name), { recursive: true });
    return join(root, name);
  }) as [string, string, string, string, string, string];
  put("repo/secret", "a secret of the repository\n");
  for (const each of [repo, inPlace, work]) git(each, "init", "-q");
  git(repo, "add", "-A");
  git(repo, "commit", "-q", "--no-gpg-sign", "-m", "start");
  const home = homeAt(state);
  mkdirSync(join(mirrorOf(home, repo), "objects"), { recursive: true });
  writeFileSync(join(work, ".git/objects/info/alternates"), `${join(repo, ".git/objects")}\n`);
  put("person/.claude/settings.json", "{}\n");
  put("person/.claude/.credentials.json", "{}\n");
  put("person/.gitconfig", "[user]\n\tname = Ada\n");
  put("person/.bashrc", "# mine\n");
  put("person/.claude.json", "{}\n");
  mkdirSync(join(root, "outside"));
  put("person/.npm/.keep", "");
  put("person/.aws/credentials", "secret\n");
  const program = put("package/signalbox.cjs", "// the program\n");
  const outsider = spawn("sleep", ["1000"], {
    env: { SECRET: "of another process" },
    stdio: "ignore",
  });
  const servers: Server[] = [];
  const listens = async (where: string | number): Promise<Server> => {
    const server = createServer((socket) => socket.destroy());
    servers.push(server);
    await new Promise<void>((resolve) =>
      typeof where === "number"
        ? server.listen(where, "127.0.0.1", () => resolve())
        : server.listen(where, () => resolve()),
    );
    return server;
  };
  const socket = async (path: string): Promise<string> => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    await listens(join(root, path));
    return join(root, path);
  };
  const abstract = `signalbox-test-${process.pid}-${Date.now()}`;
  await listens(`\0${abstract}`);
  const loopback = await listens(0);
  const shared = mkdtempSync("/tmp/sbx-of-others-");
  const memory = mkdtempSync("/dev/shm/sbx-of-others-");
  for (const folder of [shared, memory]) writeFileSync(join(folder, "file"), "of others");
  const targets = {
    key: put("config/signalbox/human.key", "the key\n"),
    database: put("state/signalbox.db", "the journal\n"),
    launcher: put("state/bin/signalbox", "#!/bin/sh\n"),
    program,
    otherWork: put("state/workspaces/other/file", "of another run\n"),
    prompt: put("state/runs/own/agents/a/turn-1/prompt.md", "the prompt\n"),
    supervisor: await socket("state/agents.sock"),
    otherCell: await socket("state/cells/0123456789ab/s"),
    sshAgent: await socket("ssh/agent"),
    tmux: await socket("state/tmux/s"),
    docker: await socket("docker.sock"),
    temporary: join(shared, "file"),
    memory: join(memory, "file"),
    mark: `${MARK}-${process.pid}-${root}`,
    port: (loopback.address() as AddressInfo).port,
    pid: outsider.pid ?? 0,
    blob: git(repo, "rev-parse", "HEAD:secret"),
    root,
    log: join(turn, "out.log"),
    state,
    repo,
    work,
    person,
    inPlace,
    turn,
    abstract,
    outside: join(root, "outside"),
  };
  put("person/.ssh/id", "a key\n");
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: person,
    XDG_CONFIG_HOME: join(root, "config"),
    LEFT: "",
  };
  const cells = cellsOf({ home, person: env, cache: () => join(state, "caches/own") });
  return {
    root,
    targets,
    run: async (argv, { isConfined, cell, hasTerminal = false }) => {
      const launch: Launch = {
        id: "own.worker.1",
        dir: turn,
        argv,
        cwd: work,
        env,
        stdin: targets.prompt,
        ...(hasTerminal ? { terminal: { session: "own", title: "", name: "" } } : {}),
        ...(isConfined
          ? {
              cell: {
                repo,
                kind: "turn",
                writable: [work, inPlace],
                named: { read: [], write: [] },
                readable: [turn, `${inPlace}/.git`, join(import.meta.dirname, "hostile.ts")],
                keep: join(state, "runs/own/agents/a/cell"),
                files: {
                  settings: [join(person, ".claude/settings.json"), join(person, ".claude.json")],
                  credentials: [join(person, ".claude/.credentials.json")],
                },
                reach: { read: [], write: [], devices: [] },
                ...cell,
              },
            }
          : {}),
      };
      const [first = "", ...rest] = cells.confine(launch).argv;
      const log = openSync(targets.log, "a");
      const child = spawn(first, rest, { cwd: work, env, stdio: ["ignore", log, log] });
      closeSync(log);
      const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
      return { code, said: readFileSync(targets.log, "utf8") };
    },
    isOutsiderAlive: () => outsider.exitCode === null && outsider.signalCode === null,
    async close() {
      outsider.kill("SIGKILL");
      for (const pid of leftBehind(targets.mark)) process.kill(pid, "SIGKILL");
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      for (const folder of [root, shared, memory]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Processes that carry the mark of this world. */
export function leftBehind(mark: string | number | undefined): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`LEFT=${mark}`);
      } catch {
        // It has ended, or is another user's.
        return false;
      }
    });
}

export function isBwrapThere(): boolean {
  try {
    execFileSync("bwrap", ["--ro-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "true"], {
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}
