/** What `watch` prints with `--json`: the board once, or a row for each change. */

import * as z from "zod/mini";
import { told } from "../../format/workflow/schema/primitives.ts";
import { Count, Flag, Text } from "../shapes.ts";

const ROW = {
  run: Text,
  workflow: Text,
  project: Text,
  repo: Text,
  branch: Text,
  summary: Text,
  state: Text,
  status: Text,
  session: told(
    z.enum(["alive", "idle", "dead", "unknown", "none"]),
    "Whether an agent of it lives; idle between its turns",
  ),
  round: z.nullable(z.strictObject({ value: Count, max: Count })),
  work: told(
    z.nullable(
      z.strictObject({ ahead: z.nullable(Count), added: z.nullable(Count), removed: z.nullable(Count) }),
    ),
    "Commits and lines that the base does not have; null where nobody knows",
  ),
  waits: z.strictObject({
    kind: z.enum([
      "question",
      "decision",
      "crashed",
      "attention",
      "halted",
      "damaged",
      "start",
      "queue",
      "dependency",
      "agent",
      "engine",
      "nothing",
    ]),
    short: Text,
    long: Text,
  }),
  startedAt: Text,
  updatedAt: Text,
  over: Flag,
  person: told(Flag, "Whether it waits for a person"),
};

export const WATCH = {
  rows: z.array(z.strictObject(ROW)),
  more: Count,
  projects: z.array(z.strictObject({ project: Text, repo: Text, atWork: Count, agents: Count })),
  waiting: Count,
};

/** Without `--once`: what was there at the beginning, and then whatever changes. */
export const WatchLine = z.strictObject({ at: Text, change: z.enum(["there", "changed", "gone"]), ...ROW });
