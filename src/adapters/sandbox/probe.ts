/** Whether a sandbox works on this machine: known only by starting one. What works is remembered until the machine starts again. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxState } from "../../engine/ports/sandbox.ts";
import { jsonOfOwn } from "../home/own-file.ts";
import { writePrivate } from "../home/folders.ts";
import type { Home } from "../home/paths.ts";
import { programAt } from "../process/program.ts";
import { bootId } from "../process/table.ts";
import { bubblewrapped, type Bubblewrap } from "./bubblewrap.ts";
import { seccompFilter } from "./seccomp.ts";

export type ProbePlaces = {
  readonly home: Home;
  readonly path: string;
  /** Nothing is written, as `doctor` has it: then it is also tried without the filter of system calls. */
  readonly onlyLooks?: boolean;
};

export type Probed = SandboxState & { readonly bwrap?: Bubblewrap };

const MINIMUM = [0, 8] as const;
const PATIENCE_MS = 10_000;
/** The longest path of a socket that every system accepts, and what our own names add to the state home. */
const HOME_BYTES_MAX = 103 - "/cells/012345678901/s".length;

export function probeSandbox({ home, path, onlyLooks = false }: ProbePlaces): Probed {
  if (Buffer.byteLength(home.root) > HOME_BYTES_MAX)
    return lacking(
      `the path of the state home is too long for a socket: ${home.root}`,
      "export SIGNALBOX_HOME=... with a shorter path",
    );
  if (process.platform === "darwin")
    return existsSync("/usr/bin/sandbox-exec")
      ? { works: true }
      : lacking("there is no /usr/bin/sandbox-exec", "use a macOS that has it");
  if (process.platform !== "linux")
    return lacking(`there is no sandbox for ${process.platform}`, "use Linux, where bubblewrap works");
  const program = programAt("bwrap", path);
  if (program === undefined)
    return lacking(
      "bubblewrap is not installed",
      "apt install bubblewrap, dnf install bubblewrap, or pacman -S bubblewrap",
    );
  const bwrap = { program, filter: onlyLooks ? "" : filterIn(home) };
  if (!onlyLooks && isKnown(home, bwrap)) return { works: true, bwrap };
  const state = started(bwrap);
  if (state.works && !onlyLooks) writePrivate(memoryIn(home), JSON.stringify(memoryOf(bwrap)));
  return state;
}

function lacking(why: string, next: string): Probed {
  return { works: false, why, next };
}

function started(bwrap: Bubblewrap): Probed {
  const version = said(bwrap.program, ["--version"]).stdout;
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
  if (major < MINIMUM[0] || (major === MINIMUM[0] && minor < MINIMUM[1]))
    return lacking(
      `${bwrap.program} is ${version.trim() || "of no known version"}: ${MINIMUM.join(".")} is needed`,
      "install bubblewrap 0.8 or later",
    );
  const mounts = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/nix"]
    .filter((path) => existsSync(path))
    .map((path) => ({ type: "read" as const, from: path, to: path }));
  const inside = {
    mounts,
    env: {},
    cwd: "/",
    hasTerminal: false,
    stdin: "",
    argv: ["/bin/sh", "-c", "exit 0"],
  };
  const [shell = "", ...argv] = bubblewrapped(bwrap, inside);
  const { status, stderr } = said(shell, argv);
  return status === 0 ? { works: true, bwrap } : refusedBy(stderr, bwrap);
}

function said(
  program: string,
  argv: readonly string[],
): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(program, argv, {
    encoding: "utf8",
    timeout: PATIENCE_MS,
    env: {},
  });
  return { status, stdout: stdout ?? "", stderr: stderr ?? "" };
}

const APPARMOR = String.raw`printf 'abi <abi/4.0>,\ninclude <tunables/global>\nprofile bwrap /usr/bin/bwrap flags=(unconfined) {\n  userns,\n}\n' | sudo tee /etc/apparmor.d/bwrap && sudo systemctl reload apparmor`;
const CONTAINER =
  "start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined";

type KernelRefusal = { readonly why: string; readonly next: string };

/** What the kernel says is the same for each of these; where the rule stands differs. */
function refusedBy(stderr: string, { program }: Bubblewrap): Probed {
  const [line = ""] = stderr.trim().split("\n").slice(-1);
  const { why, next } = reasonOf({
    apparmor: number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
    clone: number("/proc/sys/kernel/unprivileged_userns_clone"),
    userNamespaces: number("/proc/sys/user/max_user_namespaces"),
    isContainer: existsSync("/.dockerenv") || existsSync("/run/.containerenv"),
  });
  return lacking(`${program} cannot start a sandbox: ${why}${line === "" ? "" : ` (${line})`}`, next);
}

export type KernelRules = {
  readonly apparmor: number | undefined;
  readonly clone: number | undefined;
  readonly userNamespaces: number | undefined;
  readonly isContainer: boolean;
};

export function reasonOf({ apparmor, clone, userNamespaces, isContainer }: KernelRules): KernelRefusal {
  if (isContainer) return { why: "this container does not allow user namespaces", next: CONTAINER };
  if (apparmor === 1) return { why: "AppArmor allows no user namespaces to it", next: APPARMOR };
  if (clone === 0)
    return {
      why: "only root may make user namespaces",
      next: "sudo sysctl -w kernel.unprivileged_userns_clone=1",
    };
  if (userNamespaces === 0)
    return {
      why: "this machine allows no user namespaces",
      next: "sudo sysctl -w user.max_user_namespaces=15000",
    };
  return { why: "the system refuses it", next: `try: bwrap --ro-bind / / --proc /proc --unshare-pid true` };
}

function number(file: string): number | undefined {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    // This kernel has no such rule.
    return undefined;
  }
}

function memoryIn({ root }: Home): string {
  return join(root, "sandbox.json");
}

/** Another file in the place of the program is another program. */
function memoryOf({ program }: Bubblewrap): Readonly<Record<string, string>> {
  const { ino, mtimeMs } = statSync(program);
  return { boot: bootId(), program, file: `${ino} ${mtimeMs}`, user: String(process.getuid?.() ?? "") };
}

function isKnown(home: Home, bwrap: Bubblewrap): boolean {
  return JSON.stringify(jsonOfOwn(memoryIn(home))) === JSON.stringify(memoryOf(bwrap));
}

/** Written again where it is not as it should be. */
function filterIn({ root }: Home): string {
  const filter = seccompFilter();
  if (filter === undefined) return "";
  const file = join(root, "seccomp.bpf");
  try {
    if (readFileSync(file).equals(filter)) return file;
  } catch {
    // Not there yet.
  }
  mkdirSync(root, { recursive: true, mode: 0o700 });
  writeFileSync(file, filter, { mode: 0o600 });
  return file;
}
