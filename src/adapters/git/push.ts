/** A branch is deleted on a project's remote: the only thing that is ever changed there, and only when a person asks for it by name. */

import type { On } from "./own.ts";

export type Deleting = { readonly repo: string; readonly remote: string; readonly branch: string };

/** Gives what went wrong; empty where the branch is gone there. */
export function deleteOn(_on: On, _deleting: Deleting): Promise<string> {
  return Promise.resolve("not yet");
}
