/** What acts on a run give: the acknowledgement, which is the same for the same key, and what stopping and resuming say. */

import { Count, Flag, Text, Texts } from "./envelope.ts";

export const ACTED = { run: Text, from: Text, to: Text, seq: Count };

export const stop = { run: Text, state: Text, halted: Flag, changed: Flag, waitsFor: Texts };

export const resume = {
  run: Text,
  state: Text,
  unhalted: Flag,
  retried: Texts,
  respawned: Texts,
  answered: Text,
};
