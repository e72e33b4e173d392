/** What the commands about workflows print with `--json`. */

import * as z from "zod/mini";
import { At, Count, Flag, Text, Texts } from "./envelope.ts";

const Problem = z.strictObject({ code: Text, message: Text, at: At, suggestion: z.optional(Text) });

const Checked = z.strictObject({
  name: Text,
  file: Text,
  hash: Text,
  ok: Flag,
  problems: z.array(Problem),
  defects: z.array(z.strictObject({ code: Text, message: Text, at: At, trace: Texts })),
  notes: z.array(z.strictObject({ code: Text, message: Text, at: At })),
  worst: z.record(Text, Count),
  nodes: Count,
  edges: Count,
});

export const check = { workflows: z.array(Checked) };

export const graph = {
  name: Text,
  hash: Text,
  states: z.array(
    z.strictObject({
      name: Text,
      title: Text,
      stage: Text,
      kind: z.enum(["plain", "human", "final", "cancelled", "failed"]),
    }),
  ),
  moves: z.array(z.strictObject({ from: Text, to: Text, labels: Texts })),
};

export const simulate = {
  name: Text,
  seed: Count,
  people: z.enum(["helpful", "random"]),
  steps: z.array(z.strictObject({ event: Text, followed: Texts, state: Text })),
  end: z.enum(["final", "limit", "stranded"]),
  state: Text,
};

export const workflows = {
  workflows: z.array(
    z.strictObject({
      name: Text,
      from: z.enum(["built-in", "overriding", "repository"]),
      hash: Text,
      title: Text,
      file: Text,
      ok: Flag,
    }),
  ),
};

export const eject = { name: Text, folder: Text, schema: Text };

export const schema = { schema: z.record(Text, z.unknown()) };
