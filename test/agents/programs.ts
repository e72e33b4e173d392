/**
 * The agent programs, in pinned versions, outside of the repository.
 *
 * `npm run test:agents -- codex gemini` uses some of them. One that cannot be installed or does not work here is named, and its tests are
 * skipped.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

export type Program = "claude" | "codex" | "gemini" | "opencode";

const PACKAGES: Readonly<Record<Program, readonly [name: string, version: string]>> = {
  claude: ["@anthropic-ai/claude-code", "2.1.325"],
  codex: ["@openai/codex", "0.166.0"],
  gemini: ["@google/gemini-cli", "0.61.0"],
  opencode: ["opencode-ai", "1.18.33"],
};
const PROGRAMS = Object.keys(PACKAGES) as Program[];

/** What shows that a program works on this machine: codex needs a sandbox, which not every container allows. */
const PROBES: Readonly<Record<Program, readonly string[]>> = {
  claude: ["--version"],
  codex: ["sandbox", "--", "true"],
  gemini: ["--version"],
  opencode: ["--version"],
};

/** Names of programs: before the setup those that the caller asks for, after it those that tests can use. */
const VARIABLE = "SIGNALBOX_AGENTS";
const CACHE = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "signalbox-agents");
const PATIENCE_MS = 300_000;

export function folderOf(program: Program): string {
  return join(placeOf(program), "node_modules/.bin");
}

/** Whether tests can use all of these. */
export function have(...programs: readonly Program[]): boolean {
  return programs.every((program) => named().includes(program));
}

/**
 * Before all tests. They work in a folder that is not below `/tmp`: there the sandbox of codex allows everything, and a folder that its
 * harness fails to name would not be noticed.
 */
export function setup(): () => void {
  const names = named();
  const unknown = names.filter((name) => !PROGRAMS.some((program) => program === name));
  if (unknown.length > 0)
    throw new Error(`there is no agent ${unknown.join(", ")}; there are ${PROGRAMS.join(", ")}`);
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "run-"));
  const usable = PROGRAMS.filter(
    (program) => (names.length === 0 || names.includes(program)) && isUsable(program, folder),
  );
  process.env["TMPDIR"] = folder;
  process.env[VARIABLE] = usable.join(" ") || "none";
  const left = PROGRAMS.filter((program) => !usable.includes(program));
  if (left.length > 0) console.log(`Tests of these are skipped: ${left.join(", ")}`);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

function named(): readonly string[] {
  return (process.env[VARIABLE] ?? "").split(" ").filter((name) => name !== "");
}

function placeOf(program: Program): string {
  const [, version] = PACKAGES[program];
  return join(CACHE, `${program}-${version}`);
}

function isUsable(program: Program, home: string): boolean {
  try {
    if (!existsSync(placeOf(program))) install(program);
    // Codex prepares no sandbox for a home below the folder of temporary files.
    const env = { ...process.env, HOME: home, TMPDIR: tmpdir() };
    call(join(folderOf(program), program), PROBES[program], env);
    return true;
  } catch (error) {
    const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n");
    console.log(`${program} cannot be used here: ${reason}`);
    return false;
  }
}

/** Into a folder of its own, which gets its name when it is complete: a broken download is not taken for a program. */
function install(program: Program): void {
  const [name, version] = PACKAGES[program];
  const place = placeOf(program);
  const fresh = `${place}.${process.pid}`;
  console.log(`Installing ${name}@${version} into ${place}`);
  try {
    mkdirSync(fresh, { recursive: true });
    const argv = ["install", "--prefix", fresh, "--no-audit", "--no-fund", "--no-save"];
    call("npm", [...argv, `${name}@${version}`], process.env);
    renameSync(fresh, place);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function call(program: string, argv: readonly string[], env: NodeJS.ProcessEnv): void {
  execFileSync(program, argv, { env, stdio: ["ignore", "ignore", "pipe"], timeout: PATIENCE_MS });
}
