/** A person lets a gate pass, for the content as it is now, and says why. */

import { ask, eventKey, runOf, type Acting } from "../../context.ts";
import type { InputOf } from "../../schemas.ts";
import type { Outcome } from "../../outcome.ts";
import { acknowledge, type Acknowledgement } from "../acknowledged.ts";

export async function waive(on: Acting, input: InputOf<"waive">): Promise<Outcome<Acknowledgement>> {
  const { run: word, artifact, reason } = input;
  const key = eventKey(on, input.key);
  const done = await ask(on, {
    run: await runOf(on, word),
    ...(key === undefined ? {} : { key }),
    event: ({ at, tree }, by) => ({
      type: "waived",
      by,
      at,
      artifact,
      reason,
      ...(tree === undefined ? {} : { tree }),
    }),
  });
  return acknowledge(done, `${artifact} is waived`);
}
