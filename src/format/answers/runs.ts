/** What the commands that look at runs print with `--json`. */

import * as z from "zod/mini";
import { told } from "../workflow/schema/primitives.ts";
import { Count, Flag, Text, Texts } from "./envelope.ts";

const Actor = z.union([
  z.strictObject({ type: z.literal("human"), name: z.optional(Text) }),
  z.strictObject({ type: z.literal("engine") }),
  z.strictObject({ type: z.literal("agent"), role: Text, slot: Text, attempt: Count }),
]);

/** What can be typed, where it leads, and what may be added. */
export const Choice = z.strictObject({ command: Text, means: Text, takes: z.optional(Text) });

export const Read = z.strictObject({ artifact: Text, path: Text, section: Text });

export const Line = z.strictObject({
  seq: Count,
  at: Text,
  by: Actor,
  what: Text,
  followed: Texts,
  signed: Flag,
  terminal: Text,
  text: told(Text, "The same in sentences for people; empty where only the engine cares"),
  apart: Texts,
});

export const Note = z.strictObject({ run: Text, at: Text, kind: Text, text: Text });

/** One thing that happened, as it happens. */
export const Happening = z.strictObject({
  run: Text,
  seq: Count,
  at: Text,
  by: Actor,
  what: Text,
  followed: Texts,
});

export const history = {
  run: Text,
  state: Text,
  seq: Count,
  lines: z.array(Line),
  notes: z.array(Note),
  events: z.optional(z.array(z.record(Text, z.unknown()))),
  more: Flag,
};

const JOB = {
  run: Text,
  kind: z.enum(["turn", "check"]),
  role: Text,
  slot: Text,
  artifact: Text,
  attempt: Count,
  turn: Count,
  dir: Text,
  live: Flag,
};

export const logs = { ...JOB, text: Text };

/** With --follow: one document for each line, each on a line of its own. */
export const LogLine = z.strictObject({ ...JOB, line: Text });

export const verify = {
  runs: z.array(
    z.strictObject({
      run: Text,
      ok: Flag,
      seq: Count,
      reason: Text,
      notices: z.array(z.strictObject({ seq: Count, text: Text })),
    }),
  ),
  key: Text,
};
