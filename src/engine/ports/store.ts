/** One store holds journal, outbox and registry: asynchronous queries, and one way to write. */

import type { Batches } from "./commit.ts";
import type { Graphs } from "./graphs.ts";
import type { Histories } from "./histories.ts";
import type { Journal } from "./journal.ts";
import type { Messages } from "./messages.ts";
import type { Outbox } from "./outbox.ts";
import type { Parks } from "./parks.ts";
import type { Projects } from "./projects.ts";
import type { Registry } from "./registry.ts";

/** A run of which nothing is pending, as it was at one moment. */
export type Unattended = {
  readonly run: string;
  /** How many events it had: nothing may be concluded from it about a later one. */
  readonly seq: number;
  /** Roles of its agents that stay in their terminals. */
  readonly residents: readonly string[];
};

export type Store = Batches &
  Journal &
  Outbox &
  Registry &
  Projects &
  Graphs &
  Messages &
  Parks &
  Histories & {
    /** Whether anything is live or due, or will be when the time of a park has come: a supervisor is needed. */
    isBusy(): Promise<boolean>;
    /**
     * Runs, or this one, that are neither over, halted nor waiting for a person, and of which nothing is pending: no turn of an agent,
     * no check, no effect, no child run, no agent to be woken, no place in the queue. Whatever is pending ends with an event of its
     * run, and what follows from that event is written with it: no run is in here by chance, between two effects.
     */
    unattended(run?: string): Promise<readonly Unattended[]>;
    /** Another text after another process has written; cheap enough to be asked for several times a second. */
    version(): Promise<string>;
    close(): Promise<void>;
  };
