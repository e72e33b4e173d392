/** Something that the user can mend: a stable code, one sentence, one way out. Thrown at the edge, caught once at each door. */

import type { SourcePlace } from "../core/model/workflow.ts";

const BAD_USAGE = 2;

type Way = { readonly next: string; readonly exit?: number; readonly at?: SourcePlace };

export class UserError extends Error {
  override readonly name = "UserError";
  /** The one next command, or thing to do. */
  readonly next: string;
  readonly exit: number;
  readonly at: SourcePlace | undefined;
  readonly code: string;

  constructor(code: string, message: string, way: string | Way) {
    super(message);
    const { next, exit = BAD_USAGE, at } = typeof way === "string" ? { next: way } : way;
    this.code = code;
    this.next = next;
    this.exit = exit;
    this.at = at;
  }
}

/** Undefined where a run, a definition or a setting cannot be used: a list shows the others, and the command about it says why. */
export async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
