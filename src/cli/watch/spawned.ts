/** Commands of this program, started as a person would start them. */

import { spawn } from "node:child_process";
import { keyPath } from "../../adapters/person/key-file.ts";
import { viewKey } from "../../adapters/person/key.ts";
import { UserError } from "../../adapters/user-error.ts";
import { selfCommand } from "../../adapters/works/launcher.ts";
import type { Door } from "../command.ts";

export type Said = { readonly isGood: boolean; readonly text: string };

type On = Pick<Door, "cwd" | "env">;

const TEXT_MAX = 256 * 1024;

/** Beside the screen: what it says is one line. */
export function runBeside(on: On, argv: readonly string[]): Promise<Said> {
  return run(on, ["--json", ...argv], ["ignore", "pipe", "pipe"]).then(
    ({ code, out, err }) =>
      saidBy(out, code) ?? { isGood: code === 0, text: lastLine(err) || `it ended with ${code}` },
  );
}

/** With the terminal: it draws and asks as it likes. */
export function runInFront(on: On, argv: readonly string[]): Promise<Said> {
  return run(on, argv, ["inherit", "inherit", "pipe"]).then(({ code, err }) => ({
    isGood: code === 0,
    text: firstSaid(err) || (code === 0 ? "" : `it ended with ${code}`),
  }));
}

type Ended = { readonly code: number; readonly out: string; readonly err: string };

function run(
  { cwd, env }: On,
  argv: readonly string[],
  stdio: ["ignore" | "inherit", "pipe" | "inherit", "pipe"],
): Promise<Ended> {
  const [node, program] = selfCommand();
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const child = spawn(node, [program, ...argv], { cwd, env: { ...env }, stdio });
  const texts = { out: "", err: "" };
  const gather = (name: keyof typeof texts) => (chunk: Buffer) => {
    if (texts[name].length < TEXT_MAX) texts[name] += chunk.toString("utf8");
  };
  child.stdout?.on("data", gather("out"));
  child.stderr?.on("data", gather("err"));
  child.on("error", (error) => resolve({ code: 1, out: "", err: error.message }));
  child.on("close", (code) => resolve({ code: code ?? 1, ...texts }));
  return promise;
}

/** The one document that every command prints. */
function saidBy(out: string, code: number): Said | undefined {
  let document: unknown;
  try {
    document = JSON.parse(out);
  } catch {
    return undefined;
  }
  if (typeof document !== "object" || document === null || !("message" in document)) return undefined;
  const next = "next" in document && typeof document.next === "string" ? document.next : "";
  const isGood = code === 0;
  return { isGood, text: `${String(document.message)}${isGood || next === "" ? "" : `; next: ${next}`}` };
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

/** What failed is said first, and what to do after it. */
function firstSaid(text: string): string {
  const [first = ""] = text.trim().split("\n");
  return first.replace(/^signalbox: /, "");
}

/** A key under a passphrase asks for it at the terminal. */
export function isSealed({ env }: Pick<Door, "env">): boolean {
  try {
    return viewKey(keyPath(env))?.tier === "prevented";
  } catch (error) {
    // The command says what is wrong with the key.
    if (error instanceof UserError) return false;
    throw error;
  }
}
