/** A process that calls a use case, as the kernel sees it: it runs a program, holds its request open, and waits. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { callsIn, PROTOCOL, type WireRequest } from "../../src/adapters/supervisor/wire.ts";

export type CallingProcess = {
  readonly root: string;
  readonly program: string;
  readonly request: WireRequest;
  /** Starts a process that holds this open, and gives what it would say on the socket. */
  readonly hold: (
    request: unknown,
    how?: Partial<Holding>,
  ) => Promise<{ readonly pid: number; readonly fd: number }>;
};

type Holding = {
  /** How the file is opened; gives `fd`. */
  readonly open: string;
  readonly mode: number;
};

const NAMELESS = `fs.openSync(file, "wx+", mode); fs.unlinkSync(file)`;

export function callingProcess(): CallingProcess {
  const root = join(realpathSync(mkdtempSync(join(tmpdir(), "sb-"))), "state");
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(callsIn(root), { recursive: true });
  const program = join(root, "program.cjs");
  const env = { SIGNALBOX_HOME: root, SIGNALBOX_TOKEN: "t" };
  const request: WireRequest = {
    protocol: PROTOCOL,
    version: SIGNALBOX_VERSION,
    use: "move",
    input: { to: "working" },
    call: `call ${"0".repeat(24)}`,
    cwd: root,
    env,
  };
  return {
    root,
    program,
    request,
    hold: async (given, { open = NAMELESS, mode = 0o600 } = {}) => {
      const text = typeof given === "string" ? given : JSON.stringify(given);
      writeFileSync(
        program,
        `const fs = require("fs"); const [file, mode] = ["${callsIn(root)}/0123456789ab", ${mode}];
         const fd = ${open}; fs.writeSync(fd, ${JSON.stringify(text)});
         process.stdout.write(String(fd)); setInterval(() => {}, 1000);`,
      );
      const child = spawn(process.execPath, [program, "move", "working"], {
        cwd: root,
        env: { ...env, OTHER: "1" },
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      const fd = await new Promise((done, fail) => {
        child.stdout.once("data", done);
        child.once("exit", () => fail(new Error("the calling process has ended")));
      });
      return { pid: child.pid ?? 0, fd: Number(fd) };
    },
  };
}
