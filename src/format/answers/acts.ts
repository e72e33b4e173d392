/** What the commands that change a run print with `--json`. */

import { Count, Flag, Text, Texts } from "./envelope.ts";

/** The acknowledgement: the same for the same key. */
const ACTED = { run: Text, from: Text, to: Text, seq: Count };

export const move = ACTED;
export const submit = ACTED;
export const waive = ACTED;
export const cancel = ACTED;

export const stop = { run: Text, state: Text, halted: Flag, changed: Flag };

export const resume = { run: Text, state: Text, unhalted: Flag, retried: Texts, respawned: Texts };
