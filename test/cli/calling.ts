/** Calls the command line inside this process, in folders made for a test. */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run, type Printed } from "../../src/cli/run.ts";

export type Files = Readonly<Record<string, string | Uint8Array>>;

export function folderWith(files: Files = {}): string {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), "signalbox-test-")));
  // A root of its own: nothing above it is looked at.
  mkdirSync(join(folder, ".git"));
  writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

export function call(
  line: string | readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Printed> {
  const argv = typeof line === "string" ? line.split(" ").filter((word) => word !== "") : line;
  return run(argv, { cwd, env });
}

/** Everything that was printed, as one text, with the exit code first. */
export async function say(line: string | readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await call(line, cwd);
  return `${code}\n${stdout}${stderr}`;
}

/** The one document on stdout. */
export async function document(line: string, cwd: string): Promise<Record<string, unknown>> {
  const { stdout } = await call(`${line} --json`, cwd);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** A workflow as small as one can be. */
export function tiny(name: string, more = ""): string {
  return `$schema: ../../schema/workflow-1.schema.json
name: ${name}
title: As small as can be
states:
  open: { waits: true }
  closed: { final: done }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: closed, by: human }
${more}`;
}
