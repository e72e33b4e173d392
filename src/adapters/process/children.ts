/**
 * The shims that this process has started itself: of those the kernel tells how they ended, and no program can write that.
 *
 * A supervisor that takes over from another one has only the folders to go by.
 */

import type { ChildProcess } from "node:child_process";
import { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Process } from "../../engine/ports/process.ts";
import { aliveIn, exitIn, identityIn } from "./folder.ts";
import { bootId, startOf } from "./table.ts";

type Child = {
  readonly pid: number;
  /** When it began; undefined where it was gone before we could look. */
  readonly start: string | undefined;
  /** Undefined while it lives; no code for one that was killed. */
  end: { readonly code: number | undefined } | undefined;
};

const LOOKS_MAX = 200;

export class Children {
  readonly #byFolder = new Map<string, Child>();
  readonly #onEnd: () => void;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** Only a shim that made the claim says something; what it starts cannot. Gives when it has, or when it cannot any more. */
  watch(dir: string, shim: ChildProcess): Promise<void> {
    // Nobody else can have its number before we have noticed its end.
    const start = shim.pid === undefined ? undefined : startOf(shim.pid);
    const child: Child = { pid: shim.pid ?? 0, start, end: undefined };
    shim.once("exit", (code) => {
      child.end = { code: code ?? undefined };
      this.#onEnd();
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    shim.stdout?.once("data", () => {
      this.#byFolder.set(dir, child);
      resolve();
    });
    shim.stdout?.once("close", resolve);
    shim.once("error", () => resolve());
    if (shim.stdout instanceof Socket) shim.stdout.unref();
    return promise;
  }

  /** Undefined for what is not ours. */
  probe(dir: string): Process | undefined {
    const child = this.#byFolder.get(dir);
    if (child === undefined) return undefined;
    if (child.end === undefined) return aliveIn(dir, child.pid);
    const { code } = child.end;
    // Somebody killed the shim, or has written another status than the one it ended with.
    if (code === undefined || exitIn(dir) !== code)
      return { type: "lost", infrastructure: (identityIn(dir)?.boot ?? bootId()) !== bootId() };
    return { type: "ended", code };
  }

  /** When its shim began; undefined for what is not ours. */
  startOf(dir: string): string | undefined {
    return this.#byFolder.get(dir)?.start;
  }

  /** Its end is told a moment after it: waits for that. */
  async told(dir: string): Promise<void> {
    const isAlive = (): boolean => this.#byFolder.has(dir) && this.#byFolder.get(dir)?.end === undefined;
    for (let looks = 0; isAlive() && looks < LOOKS_MAX; looks += 1) await pause(1);
  }

  /** From now on the folder counts. */
  forget(dir: string): void {
    this.#byFolder.delete(dir);
  }
}
