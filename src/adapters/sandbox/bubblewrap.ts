/** A cell on Linux: the arguments of `bwrap`. */

import { existsSync } from "node:fs";
import type { Grants, Grant } from "./grants.ts";

export type Bubblewrap = {
  readonly program: string;
  /** The file with the filter of system calls; empty where there is none for this machine. */
  readonly filter: string;
};

type CellCommand = Grants & {
  readonly cwd: string;
  readonly hasTerminal: boolean;
  /** A file that becomes the standard input, opened inside; empty for the standard input of the launch itself. */
  readonly stdin: string;
  readonly argv: readonly string[];
};

const FILTER_FD = 9;
/** The descriptor of a prompt that was opened outside could be opened again for writing. */
const WITH_INPUT = ["/bin/sh", "-c", 'sb_in=$0; exec "$@" <"$sb_in"'];

/** Every process inside sees new namespaces of pids and IPC, and none of the capabilities that root has outside. */
function namespaces(isRoot: boolean): readonly string[] {
  const ofRoot = isRoot ? ["--unshare-user", "--cap-drop", "ALL"] : [];
  return ["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-cgroup-try", ...ofRoot];
}

export function bubblewrapped(
  bwrap: Bubblewrap,
  inside: CellCommand,
  isRoot = process.getuid?.() === 0,
): readonly string[] {
  const { mounts, env, cwd, hasTerminal, stdin, argv } = inside;
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? ["--unsetenv", name] : ["--setenv", name, value],
  );
  const filtered = bwrap.filter === "" ? [] : ["--seccomp", String(FILTER_FD)];
  const command = [
    bwrap.program,
    ...namespaces(isRoot),
    // In a terminal a session of its own would keep changes of the window away; the filter refuses what it would be good for.
    ...(hasTerminal ? [] : ["--new-session"]),
    ...filtered,
    "--proc",
    "/proc",
    ...kernelSettings(),
    "--dev",
    "/dev",
    ...mounts.flatMap(argumentsFor),
    "--remount-ro",
    "/",
    "--chdir",
    cwd,
    ...variables,
    "--",
    ...(stdin === "" ? [] : [...WITH_INPUT, stdin]),
    ...argv,
  ];
  return bwrap.filter === ""
    ? command
    : ["/bin/sh", "-c", `sb_filter=$0; exec "$@" ${FILTER_FD}<"$sb_filter"`, bwrap.filter, ...command];
}

/** Most of these belong to root of the machine, who may be the one inside: without capabilities, its number alone is enough to write them. */
const READ_ONLY = [
  "/proc/sys",
  "/proc/sysrq-trigger",
  "/proc/irq",
  "/proc/bus",
  "/proc/fs",
  "/proc/acpi",
  "/proc/scsi",
];
const HIDDEN = ["/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/kmsg", "/proc/timer_list"];

function kernelSettings(): readonly string[] {
  const there = (path: string): boolean => existsSync(path);
  return [
    ...READ_ONLY.filter(there).flatMap((path) => ["--ro-bind", path, path]),
    ...HIDDEN.filter(there).flatMap((path) => ["--ro-bind", "/dev/null", path]),
  ];
}

function argumentsFor(mount: Grant): readonly string[] {
  switch (mount.type) {
    case "read":
      return ["--ro-bind-try", mount.from, mount.to];
    case "write":
      return ["--bind-try", mount.from, mount.to];
    case "device":
      return ["--dev-bind-try", mount.from, mount.to];
    case "link":
      return ["--symlink", mount.from, mount.to];
    case "mask":
      return mount.isFolder ? ["--tmpfs", mount.to] : ["--ro-bind", "/dev/null", mount.to];
  }
}
