/** The folders of agents: what they are told lies there, durably, before anybody is started. */

import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Desk, Message } from "../../engine/box.ts";
import { failpoint } from "../failpoint.ts";
import { hashToken, newToken } from "../person/token.ts";

/** Of a log, so much is kept as an artifact. */
const OUTPUT_MAX = 256 * 1024;

export const desk: Desk = {
  token(dir) {
    const file = join(dir, "token");
    const token = readText(file) ?? writeOnce(dir, "token", newToken());
    return { token, hash: hashToken(token) };
  },
  write(dir, name, text) {
    writeOnce(dir, name, text);
    return join(dir, name);
  },
  read(dir, name) {
    return readText(join(dir, name));
  },
  leave(dir, name, text) {
    writeOnce(join(dir, "messages"), `${name}.md`, text);
  },
  waiting(dir, turns) {
    const folder = join(dir, "messages");
    const taken = new Set<string>();
    for (let turn = 1; turn <= turns; turn += 1) {
      const names = readText(join(dir, `turn-${turn}`, "took")) ?? "";
      for (const name of names.split("\n")) taken.add(name);
    }
    const names = namesIn(folder).filter((name) => name.endsWith(".md") && !taken.has(name));
    return names
      .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
      .map((name) => ({ name, text: readText(join(folder, name)) ?? "" }));
  },
  take(turnDir, messages: readonly Message[]) {
    // Of a turn that was never begun; what has come since then belongs to it too.
    rmSync(join(turnDir, "took"), { force: true });
    rmSync(join(turnDir, "prompt.md"), { force: true });
    writeOnce(turnDir, "took", messages.map(({ name }) => name).join("\n"));
  },
  output(file) {
    return outputOf(file);
  },
  session(dir) {
    const hex = createHash("sha256").update(dir).digest("hex");
    const variant = "89ab"[Number.parseInt(hex[16] ?? "0", 16) % 4] ?? "8";
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  },
};

/** Whole or not at all, and never over what is there. Gives what is there afterwards. */
function writeOnce(dir: string, name: string, text: string): string {
  const file = join(dir, name);
  const present = readText(file);
  if (present !== undefined) return present;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const temporary = join(dir, `.${name}.${randomBytes(6).toString("hex")}`);
  failpoint("desk.before-write");
  const handle = openSync(temporary, "wx", 0o600);
  try {
    let bytes = Buffer.from(text);
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(handle, bytes));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  try {
    linkSync(temporary, file);
  } catch (error) {
    // Somebody else was faster: theirs counts.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  rmSync(temporary, { force: true });
  syncFolder(dir);
  failpoint("desk.after-write");
  return readText(file) ?? text;
}

function syncFolder(dir: string): void {
  const handle = openSync(dir, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

function outputOf(file: string): { text: string; digest: string } {
  const hash = createHash("sha256");
  let handle: number;
  try {
    handle = openSync(file, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      return { text: "", digest: `sha256:${hash.digest("hex")}` };
    throw error;
  }
  try {
    const { size } = fstatSync(handle);
    const buffer = Buffer.alloc(64 * 1024);
    for (let read = readSync(handle, buffer); read > 0; read = readSync(handle, buffer))
      hash.update(buffer.subarray(0, read));
    const tail = Buffer.alloc(Math.min(size, OUTPUT_MAX));
    const length =
      tail.length === 0 ? 0 : readSync(handle, tail, 0, tail.length, Math.max(0, size - OUTPUT_MAX));
    const cut = size > OUTPUT_MAX ? `(the first ${size - OUTPUT_MAX} bytes are left out)\n` : "";
    return {
      text: `${cut}${tail.subarray(0, length).toString("utf8")}`,
      digest: `sha256:${hash.digest("hex")}`,
    };
  } finally {
    closeSync(handle);
  }
}
