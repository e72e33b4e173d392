/** What an acting use case gives when its event was accepted: the same words and keys for all of them. */

import type { Done } from "../context.ts";
import { EXIT_OK } from "../exit-codes.ts";
import type { Outcome } from "../outcome.ts";
import type { DataOf } from "../schemas.ts";

export type Acknowledgement = DataOf<"move">;

export function acknowledge(done: Done, what?: string): Outcome<Acknowledgement> {
  const { run, from, to, seq } = done;
  const where = from === to ? `${run} stays in ${to}` : `${run} goes from ${from} to ${to}`;
  return {
    exit: EXIT_OK,
    code: "ok",
    message: what === undefined ? where : `${what}; ${where}`,
    data: { run, from, to, seq },
    next: `signalbox show ${run}`,
    notes: done.told,
  };
}
