/**
 * What the world must do for a run: the effects that the core orders, and those that the engine adds around them.
 *
 * Every deed is *probed*: before it is repeated, the world is asked whether it was done; or it happens *once*: where that
 * cannot be found out, it is not repeated and a person gets a note.
 */

import type { Effect } from "../../core/model/event.ts";
import type { Works } from "../box.ts";
import type { Kept } from "../ports/journal.ts";

export type Deed =
  | Effect
  /** A workspace for a run that needs one. Comes before everything that happens in it. */
  | { readonly type: "prepare-resource"; readonly resource: string }
  /** The run has another name for its branch. */
  | { readonly type: "rename-branch"; readonly branch: string }
  /** The work is handed over: everything in the workspace becomes a commit. */
  | { readonly type: "snapshot"; readonly tree: string; readonly state: string };

export type DeedKind = "probed" | "once";

export const DEED_KINDS: Readonly<Record<Deed["type"], DeedKind>> = {
  "prepare-resource": "probed",
  "rename-branch": "probed",
  snapshot: "probed",
  "start-agent": "probed",
  "stop-agent": "probed",
  "run-check": "probed",
  "start-tasks": "probed",
  "start-next": "probed",
  "release-resource": "probed",
  "archive-artifacts": "probed",
  perform: "probed",
  "tell-agent": "once",
  "ask-person": "once",
};

/** One deed in hand: what it is about, and what carries it out. */
export type Of<T extends Deed["type"]> = {
  /** How often it was claimed. More than once: an earlier claimant may have done it. */
  readonly tries: number;
  readonly works: Works;
  readonly kept: Kept;
  readonly deed: Extract<Deed, { type: T }>;
  readonly key: string;
};
