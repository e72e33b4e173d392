/**
 * Programs of the system that some tests need.
 *
 * As root on Debian (a container, CI) what is missing is installed; everybody else is told in one line what to install, and
 * the tests that need it are skipped, by name.
 */

import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** Program to package. */
const NEEDED: Readonly<Record<string, string>> = {
  zsh: "zsh",
  fish: "fish",
  script: "bsdutils",
  tmux: "tmux",
  bwrap: "bubblewrap",
  chromium: "chromium",
  pg_ctlcluster: "postgresql",
};
const PATIENCE_MS = 150_000;

export function setup(): void {
  const missing = Object.keys(NEEDED).filter((program) => !isInstalled(program));
  if (missing.length === 0) return;
  const packages = missing.map((program) => NEEDED[program] ?? program);
  if (process.getuid?.() === 0 && existsSync("/etc/debian_version")) install(packages);
  const left = missing.filter((program) => !isInstalled(program));
  if (left.length > 0)
    console.log(
      `Not installed, so that some tests are skipped: ${left.join(", ")} (apt install ${packages.join(" ")})`,
    );
}

function install(packages: readonly string[]): void {
  console.log(`Installing what tests need: ${packages.join(", ")}`);
  const quick = ["-qq", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20"];
  try {
    if (packages.includes("postgresql")) keepFromStarting();
    apt(["update", ...quick]);
    apt(["install", "-y", "--no-install-recommends", ...quick, ...packages]);
  } catch (error) {
    // Without a network the other tests are as good as ever.
    console.log(
      `It could not be installed: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`,
    );
  }
}

const CREATE_CLUSTER = "/etc/postgresql-common/createcluster.conf";

/** Debian's package would make and start a server of its own; tests start theirs. */
function keepFromStarting(): void {
  if (existsSync(CREATE_CLUSTER)) return;
  mkdirSync(dirname(CREATE_CLUSTER), { recursive: true });
  writeFileSync(CREATE_CLUSTER, "create_main_cluster = false\n");
}

function apt(argv: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  execFileSync("apt-get", argv, { env, stdio: "ignore", timeout: PATIENCE_MS });
}

function isInstalled(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      // Not in this folder.
      return false;
    }
  });
}
