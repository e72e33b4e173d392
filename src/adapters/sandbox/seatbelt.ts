/**
 * A cell on macOS: a profile for `sandbox-exec`. Experimental: it was never run on a Mac.
 *
 * A profile allows and denies paths, and moves none. So the home folder of the program is the folder that the attempt keeps, and what is shown in
 * another place on Linux is a link there.
 */

import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Grants } from "./grants.ts";

/** What every program needs of the system. */
const SYSTEM = [
  "/System",
  "/Library",
  "/usr",
  "/bin",
  "/sbin",
  "/opt",
  "/private/etc",
  "/private/var/db/timezone",
  "/private/var/select",
  "/dev",
];
const DEVICES = ["/dev/null", "/dev/zero", "/dev/tty", "/dev/ptmx", "/dev/dtracehelper"];

export function seatbeltProfile({ mounts }: Pick<Grants, "mounts">): string {
  const paths = (...types: readonly string[]): readonly string[] =>
    mounts.flatMap((mount) => (types.includes(mount.type) && "from" in mount ? [mount.from] : []));
  return `${[
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork signal (target same-sandbox))",
    "(allow sysctl-read mach-lookup ipc-posix-sem pseudo-tty network* system-socket)",
    // Names of folders above what is shown, without what is in them.
    "(allow file-read-metadata)",
    ...allow("file-read*", [...SYSTEM, ...paths("read", "write", "device")]),
    ...allow("file-write*", [...DEVICES, ...paths("write", "device")]),
    // Later rules win: a folder in one that is writable is read-only, too.
    ...paths("read").map((path) => `(deny file-write* (subpath ${quoted(path)}))`),
  ].join("\n")}\n`;
}

function allow(what: string, all: readonly string[]): readonly string[] {
  return [...new Set(all)].map((path) => `(allow ${what} (subpath ${quoted(path)}))`);
}

function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** The command line, and the variables that take the place of what Linux mounts over the home folder and `/tmp`. */
export function seatbelted(
  of: Grants & { readonly profile: string; readonly argv: readonly string[]; readonly stdin: string },
  home: string,
): readonly string[] {
  const placed = (to: string): string =>
    of.mounts.findLast((mount) => mount.type === "write" && mount.to === to)?.to === undefined
      ? to
      : (of.mounts
          .flatMap((mount) => (mount.type === "write" && mount.to === to ? [mount.from] : []))
          .at(-1) ?? to);
  const ownHome = placed(home);
  for (const mount of of.mounts)
    if (
      mount.type !== "mask" &&
      mount.type !== "link" &&
      mount.from !== mount.to &&
      mount.to.startsWith(`${home}/`)
    )
      link(mount.from, join(ownHome, mount.to.slice(home.length)));
  const env = { ...of.env, HOME: ownHome, TMPDIR: placed("/tmp") };
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? ["-u", name] : [`${name}=${value}`],
  );
  const program =
    of.stdin === "" ? of.argv : ["/bin/sh", "-c", 'sb_in=$0; exec "$@" <"$sb_in"', of.stdin, ...of.argv];
  return ["/usr/bin/env", ...variables, "/usr/bin/sandbox-exec", "-f", of.profile, ...program];
}

function link(from: string, to: string): void {
  if (existsSync(to)) return;
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(from, to);
}
