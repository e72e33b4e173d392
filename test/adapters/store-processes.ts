/** Processes that use a store, for tests that race them or kill them. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { COMPILED } from "../support/compiled.ts";

export const node = fileURLToPath(new URL("../../node_modules/node/bin/node", import.meta.url));
export const script = fileURLToPath(new URL("store-child.ts", import.meta.url));

type Ended = { readonly lines: readonly string[]; readonly signal: string | null };

export type Child = {
  /** When it has said this line. */
  said(line: string): Promise<void>;
  /** Tells it to go on. */
  go(): void;
  ended(): Promise<Ended>;
};

export function child(args: readonly string[], failpoint = ""): Child {
  const env = { PATH: process.env["PATH"] ?? "", ...COMPILED, SIGNALBOX_FAILPOINT: failpoint };
  const own = spawn(node, [script, ...args], { env, stdio: ["pipe", "pipe", "inherit"] });
  const end = once(own, "close");
  let text = "";
  own.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  return {
    async said(line) {
      while (!text.includes(`${line}\n`)) await once(own.stdout, "data");
    },
    go: () => {
      own.stdin.end("go\n");
    },
    async ended() {
      const [, signal] = (await end) as [number | null, string | null];
      return { lines: text.split("\n").filter((line) => line !== ""), signal };
    },
  };
}
