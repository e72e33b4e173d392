/** The author of commits that a person has the engine make, where the settings name one. */

import { UserError } from "../../adapters/user-error.ts";
import type { Acting } from "../context.ts";

type CommitAuthor = {
  /** Undefined for the person's own identity. */
  readonly author: { readonly name: string; readonly email: string } | undefined;
  readonly told: readonly string[];
};

/** Settings that cannot be used keep no person from acting: the commit then has the person's own identity. */
export async function configuredAuthor({ box, door }: Acting, repo: string): Promise<CommitAuthor> {
  const { readSettings } = await import("../../adapters/config/read.ts");
  try {
    const { workspace } = await readSettings({ repo, env: door.env, store: box.store });
    return { author: workspace.author, told: [] };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { author: undefined, told: [`workspace.author is not used: ${error.message}`] };
  }
}
