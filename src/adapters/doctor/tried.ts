/** What repairing tells, and reasons that are in the world and not in us. */

import { GitError } from "../git/call/call.ts";
import { codeOf } from "../library/find.ts";
import { UserError } from "../user-error.ts";

export type Telling = { readonly did: string[]; readonly lost: string[] };

/** Why it could not be done; undefined where it was. */
export async function tried(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

export function reasonOf(error: unknown): string {
  if (error instanceof UserError || error instanceof GitError) return error.message;
  if (error instanceof Error && codeOf(error) !== undefined) return error.message;
  throw error;
}
