/**
 * Changing refs: whatever lock a killed git has left of them is moved out of the way.
 *
 * Every change of a ref goes through here: a git may be killed at any of them.
 */

import { failed, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import { freeRefLock } from "./leftover-lock.ts";
import type { On } from "./own.ts";

type Answer = Awaited<ReturnType<typeof tryGit>>;

export async function tryUpdateRef(on: On, commonDir: string, call: Call): Promise<Answer> {
  const durable = { ...call, durable: true };
  const answer = await tryGit(on.env, durable);
  const isFreed = answer.code !== 0 && (await freeRefLock(commonDir, answer.err));
  return isFreed ? tryGit(on.env, durable) : answer;
}

export async function updateRef(on: On, commonDir: string, call: Call): Promise<void> {
  const answer = await tryUpdateRef(on, commonDir, call);
  if (answer.code !== 0) throw failed(call, answer);
}
