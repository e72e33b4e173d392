/** Where agent programs, tool chains and caches are in the home folder of a person. */

import { realpathSync } from "node:fs";
import { basename, dirname } from "node:path";

/** Variables with which a person may have moved folders of the home folder: each is a folder of its own inside, too. */
export const MOVING = [
  "CLAUDE_CONFIG_DIR",
  "CODEX_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
  "XDG_RUNTIME_DIR",
] as const;

/** Settings that a program writes itself, and cannot begin without: each attempt begins with a copy. */
export function isCopied(file: string): boolean {
  return basename(file) === ".claude.json";
}

/** The folders that a program needs to start: that of its package, or the one that it lies in. */
export function installationOf(program: string): readonly string[] {
  const real = realpathSync(program);
  const packages = real.indexOf("/node_modules/");
  if (packages !== -1) return [real.slice(0, packages + "/node_modules".length)];
  const folder = dirname(real);
  const prefix = dirname(folder);
  return [basename(folder) === "bin" && basename(prefix) !== ".local" ? prefix : folder];
}

/** Tool chains that people install into their home folder. None of these holds a login. */
export const TOOL_CHAINS: readonly string[] = [
  ".asdf",
  ".bun/bin",
  ".cargo/bin",
  ".deno/bin",
  ".local/bin",
  ".local/lib",
  ".local/share/fnm",
  ".local/share/mise",
  ".local/share/pipx",
  ".local/share/uv",
  ".nix-profile",
  ".npm-global",
  ".nvm",
  ".pyenv",
  ".rbenv",
  ".rustup",
  ".sdkman",
  ".volta",
  "go/bin",
];

/** Caches in the home folder, and the folder that all cells of a project share for each. */
export const CACHES: readonly (readonly [inHome: string, shared: string])[] = [
  [".cache", "cache"],
  [".npm", "npm"],
  [".cargo/registry", "cargo-registry"],
  [".cargo/git", "cargo-git"],
  ["go/pkg", "go"],
  [".gradle/caches", "gradle"],
  [".m2/repository", "maven"],
  [".bun/install", "bun"],
  [".local/share/pnpm/store", "pnpm"],
];
