/** One deed in hand: what it is about, and what it is done with. */

import type { Works } from "../box.ts";
import type { Deed } from "./deed.ts";
import type { Kept } from "../ports/journal.ts";

export type Of<T extends Deed["type"]> = {
  /** How often it was claimed. More than once: whoever claimed it before may have done it. */
  readonly tries: number;
  readonly works: Works;
  readonly kept: Kept;
  readonly deed: Extract<Deed, { type: T }>;
  readonly key: string;
};
