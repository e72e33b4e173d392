/** A process that asks the supervisor for something, as the kernel sees it: it has the arguments of a command, and waits. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { keyOfProcess, PROTOCOL, type Question } from "../../src/adapters/supervisor/wire.ts";

/** `program` is what it runs. */
export async function asking(
  argv: readonly string[],
): Promise<{ readonly question: Question; readonly program: string }> {
  const root = join(realpathSync(mkdtempSync(join(tmpdir(), "sb-"))), "state");
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(root);
  const program = join(root, "program.cjs");
  writeFileSync(program, `process.stdout.write("here"); setInterval(() => {}, 1000);`);
  const env = { SIGNALBOX_HOME: root, SIGNALBOX_TOKEN: "t" };
  const child = spawn(process.execPath, [program, ...argv], { cwd: root, env: { ...env, OTHER: "1" } });
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise((done) => child.stdout.once("data", done));
  const pid = child.pid ?? 0;
  const key = keyOfProcess(pid) ?? "";
  return {
    program,
    question: { protocol: PROTOCOL, version: SIGNALBOX_VERSION, pid, key, argv, cwd: root, env },
  };
}
