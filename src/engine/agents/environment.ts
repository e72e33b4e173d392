/**
 * Which variables of a person reach agents, checks and the supervisor: those in this list, and those that the settings name.
 *
 * Everything else stays with the person: keys of other programs, and whatever would change what a program loads.
 */

import { isWithheld } from "../../format/settings/withheld.ts";

const HANDED_ON: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TERM",
  "TMPDIR",
  "XDG_CONFIG_HOME",
  "XDG_CACHE_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
  "XDG_RUNTIME_DIR",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  // How a program reaches the network at all.
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]),
]);

export function isHandedOn(name: string, more: readonly string[]): boolean {
  if (isWithheld(name)) return false;
  return HANDED_ON.has(name) || name.startsWith("LC_") || more.includes(name);
}
