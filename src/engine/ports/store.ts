/** One store holds journal, outbox and registry. It answers at once: it is a file on this machine. */

import type { Graphs } from "./graphs.ts";
import type { Journal } from "./journal.ts";
import type { Messages } from "./messages.ts";
import type { Outbox } from "./outbox.ts";
import type { Projects } from "./projects.ts";
import type { Registry } from "./registry.ts";

export type Store = Journal &
  Outbox &
  Registry &
  Projects &
  Graphs &
  Messages & {
    /** Whether anything is live or due: a supervisor is needed. */
    isBusy(now: number): boolean;
    close(): void;
  };
