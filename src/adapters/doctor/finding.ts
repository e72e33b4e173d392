/** What a look at one thing gives: how it is, in plain words, and what to do where it is not well. */

import { codeOf } from "../files/errno.ts";
import { BadRecord } from "../store/row.ts";
import { UserError } from "../user-error.ts";

/**
 * *note*: good to know, nothing is wrong. *missing*: something has to be got. *problem*: something has to be mended.
 * *damaged*: what we keep is not what we wrote.
 */
export type Status = "ok" | "note" | "missing" | "problem" | "damaged";

export type Finding = {
  readonly status: Status;
  readonly name: string;
  readonly text: string;
  /** A command, or the thing to do; empty where there is nothing to do. */
  readonly next: string;
};

const EXIT_DAMAGED = 8;

export const REPAIR = "signalbox doctor --repair";

const SHOWN = 5;

export function some(names: readonly string[]): string {
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  return `${names.slice(0, SHOWN).join(", ")}${more}`;
}

export function ok(name: string, text: string): Finding {
  return { status: "ok", name, text, next: "" };
}

const findingOf =
  (status: Status) =>
  (name: string, text: string, next: string): Finding => ({ status, name, text, next });

export const note = findingOf("note");
export const missing = findingOf("missing");
export const problem = findingOf("problem");
export const damaged = findingOf("damaged");

/** What makes looking impossible is a finding too: one thing that is broken hides no other. */
export function looked(name: string, look: () => readonly Finding[]): readonly Finding[] {
  try {
    return look();
  } catch (error) {
    return [failed(name, error)];
  }
}

export async function lookedLong(
  name: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [failed(name, error)];
  }
}

function failed(name: string, error: unknown): Finding {
  if (error instanceof UserError) {
    const status = error.exit === EXIT_DAMAGED ? "damaged" : "problem";
    return { status, name, text: error.message, next: error.next };
  }
  if (error instanceof BadRecord) return damaged(name, error.message, REPAIR);
  // Whatever the system refuses, it says why; anything else is our bug.
  if (codeOf(error) === undefined || !(error instanceof Error)) throw error;
  return problem(name, error.message, "see to it that you may read it, then: signalbox doctor");
}
