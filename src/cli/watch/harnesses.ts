/** Which agents a new task can be given to. */

import { surveySettings } from "../../adapters/config/read.ts";
import { UserError } from "../../adapters/user-error.ts";
import { storeOf } from "../../app/runs/find.ts";
import type { Door } from "../command.ts";

export async function harnessesFor(door: Door, repo: string): Promise<readonly string[]> {
  const store = storeOf(door);
  if (store === undefined) return [];
  try {
    return (await surveySettings({ repo, env: door.env, store })).settings.harnesses;
  } catch (error) {
    // Settings that cannot be used are told by the command that creates.
    if (error instanceof UserError) return [];
    throw error;
  } finally {
    await store.close();
  }
}
