/**
 * Changing refs: lock files that a killed git left behind are moved out of the way.
 *
 * Every change of a ref goes through here, because git can be killed during any of them. A killed fetch leaves a lock for each ref.
 */

import { failed, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import { freeRefLock } from "./leftover-lock.ts";
import type { On } from "./own.ts";

type Answer = Awaited<ReturnType<typeof tryGit>>;

export async function tryUpdateRef(on: On, commonDir: string, call: Call): Promise<Answer> {
  for (;;) {
    const answer = await tryGit(on.env, { ...call, durable: true });
    if (answer.code === 0 || !(await freeRefLock(commonDir, answer.err))) return answer;
  }
}

export async function updateRef(on: On, commonDir: string, call: Call): Promise<void> {
  const answer = await tryUpdateRef(on, commonDir, call);
  if (answer.code !== 0) throw failed(call, answer);
}
