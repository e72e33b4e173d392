/** The folders of agents: what they are told lies there, durably, before anybody is started. */

import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Desk, Message } from "../../engine/box.ts";
import { failpoint } from "../failpoint.ts";
import { codeOf } from "../files/errno.ts";
import { allSynced } from "../home/all-synced.ts";
import { makeFolder, syncFolder } from "../home/folders.ts";
import { openOwn, readOwn } from "../home/own-file.ts";
import { hashToken, newToken } from "../person/token.ts";

const NAME_BYTES = 9;

export const desk: Desk = {
  make(parent, name) {
    const dir = newFolder(parent, name);
    syncFolder(parent);
    failpoint("desk.after-make");
    return dir;
  },
  furnish(parent, name, texts) {
    const dir = newFolder(parent, name);
    const files = Object.entries(texts).map(([file, text]) => {
      writeFileSync(join(dir, file), text, { mode: 0o600, flag: "wx" });
      return join(dir, file);
    });
    const durable = allSynced([...files, dir, parent]).then(() => failpoint("desk.after-make"));
    // Whoever gives up before it waits for it has said why.
    durable.catch(() => undefined);
    return { dir, durable };
  },
  newToken,
  token(dir) {
    const token = textOf(join(dir, "token"));
    if (token === undefined) throw new Error(`there is no token in ${dir}`);
    return { token, hash: hashToken(token) };
  },
  write(dir, name, text) {
    writeOnce(dir, name, text);
    return join(dir, name);
  },
  read(dir, name) {
    return textOf(join(dir, name));
  },
  leave(dir, name, text) {
    const folder = join(dir, "messages");
    makeFolder(folder);
    writeOnce(folder, `${name}.md`, text);
  },
  waiting(dir, turnDirs) {
    const folder = join(dir, "messages");
    const taken = new Set(turnDirs.flatMap((turn) => (textOf(join(turn, "took")) ?? "").split("\n")));
    return namesIn(folder)
      .filter((name) => name.endsWith(".md") && !taken.has(name))
      .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
      .flatMap((name): Message[] => {
        const read = readOwn(join(folder, name));
        // What is no ordinary file is no message of ours.
        return read.type === "text" ? [{ name, text: read.text }] : [];
      });
  },
  take(turnDir, messages) {
    writeNew(turnDir, "took", messages.map(({ name }) => name).join("\n"));
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

function newFolder(parent: string, name: string): string {
  makeFolder(parent);
  for (;;) {
    const dir = join(parent, `${name}-${randomBytes(NAME_BYTES).toString("hex")}`);
    failpoint("desk.before-make");
    try {
      // Not with those above it: that would take a folder that is there for ours.
      mkdirSync(dir, { mode: 0o700 });
      return dir;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

/** Throws where something stands in the place of a text of ours: whoever started that must be told. */
function textOf(file: string): string | undefined {
  const read = readOwn(file);
  if (read.type === "odd") throw new Error(read.reason);
  return read.type === "text" ? read.text : undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/** So much is kept as an artifact. */
const OUTPUT_MAX = 256 * 1024;
/** So much of its end is digested: a file of any size takes no longer. */
const DIGEST_MAX = 64 * 1024 * 1024;

/** The end of a log as a text, and a digest of it. A log that is not an ordinary file has no text. */
function outputOf(file: string): { text: string; digest: string } {
  const hash = createHash("sha256");
  const opened = openOwn(file, constants.O_RDONLY);
  if (opened.type !== "open") {
    const text = opened.type === "missing" ? "" : `(${opened.reason})\n`;
    return { text, digest: `sha256:${hash.update(text).digest("hex")}` };
  }
  try {
    const { size } = fstatSync(opened.fd);
    if (size > DIGEST_MAX) hash.update(`${size}\n`);
    const buffer = Buffer.alloc(64 * 1024);
    for (let at = Math.max(0, size - DIGEST_MAX); at < size;) {
      const read = readSync(opened.fd, buffer, 0, Math.min(buffer.length, size - at), at);
      if (read === 0) break;
      hash.update(buffer.subarray(0, read));
      at += read;
    }
    const tail = Buffer.alloc(Math.min(size, OUTPUT_MAX));
    const length =
      tail.length === 0 ? 0 : readSync(opened.fd, tail, 0, tail.length, Math.max(0, size - OUTPUT_MAX));
    const cut = size > OUTPUT_MAX ? `(the first ${size - OUTPUT_MAX} bytes are left out)\n` : "";
    return {
      text: `${cut}${tail.subarray(0, length).toString("utf8")}`,
      digest: `sha256:${hash.digest("hex")}`,
    };
  } finally {
    closeSync(opened.fd);
  }
}

/** What is there stays, if it is a text. */
function writeOnce(dir: string, name: string, text: string): void {
  const present = readOwn(join(dir, name));
  if (present.type === "odd") throw new Error(present.reason);
  if (present.type === "text") return;
  try {
    writeNew(dir, name, text);
  } catch (error) {
    // Somebody else was faster: theirs counts.
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** Writes a text whole or not at all. Fails with EEXIST where something has the name already. */
function writeNew(dir: string, name: string, text: string): void {
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
    linkSync(temporary, join(dir, name));
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dir);
  failpoint("desk.after-write");
}
