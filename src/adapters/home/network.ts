/**
 * SQLite's log needs memory that all its processes share, and locks that hold: a network file system has neither.
 *
 * There the state home is refused, before anything is written to it.
 */

import { readFileSync, statfsSync } from "node:fs";
import { UserError } from "../user-error.ts";

/** The number of the file system's kind, and its name where the number alone does not tell. */
export type Mount = { readonly kind: number; readonly name: string };

const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9p"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x00c36400, "Ceph"],
  [0x73757245, "Coda"],
  [0x564c, "NCP"],
  [0x0bd00bd0, "Lustre"],
  [0x01161970, "GFS2"],
  [0x7461636f, "OCFS2"],
  [0x786f4256, "vboxsf"],
  [0xaad7aaea, "PanFS"],
  [0x19830326, "BeeGFS"],
]);

const FUSE = 0x65735546;
/** FUSE is a way to write file systems: these are on a disk of this machine. */
const LOCAL_FUSE =
  /^(fuseblk|virtiofs|fuse-overlayfs|fuse\.(fuse-overlayfs|ntfs-3g|ntfs|exfat|ext2|ext4|zfs|bindfs|mergerfs|gocryptfs|encfs|cryfs|ecryptfs))$/;

/** `look` is given by tests; nobody has every file system at hand. */
export function refuseNetwork(path: string, look: (path: string) => Mount = lookAt): void {
  const name = networkName(look(path));
  if (name === undefined) return;
  throw new UserError(
    "network-file-system",
    `${path} is on a network file system (${name}), where the journal is not safe`,
    {
      next: "put SIGNALBOX_HOME on a local disk; for several machines, use PostgreSQL when it comes",
      exit: 2,
    },
  );
}

function networkName({ kind, name }: Mount): string | undefined {
  if (kind === FUSE) return LOCAL_FUSE.test(name) ? undefined : name === "" ? "FUSE" : name;
  return NETWORK.get(kind);
}

function lookAt(path: string): Mount {
  // Some of these numbers have their highest bit set, and some platforms give them a sign.
  const kind = statfsSync(path).type >>> 0;
  return { kind, name: kind === FUSE ? mountName(path, readFileSync("/proc/self/mountinfo", "utf8")) : "" };
}

/** The kind of the mount that holds the path, in the words of `mountinfo`; of several the last and longest counts. */
export function mountName(path: string, mountinfo: string): string {
  let best = { length: -1, name: "" };
  for (const line of mountinfo.split("\n")) {
    const [left = "", right = ""] = line.split(" - ");
    const at = (left.split(" ")[4] ?? "").replace(/\\(\d{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    const holds = at !== "" && (at === "/" || path === at || path.startsWith(`${at}/`));
    if (holds && at.length >= best.length) best = { length: at.length, name: right.split(" ")[0] ?? "" };
  }
  return best.name;
}
