/** Queries that only a page asks: a run on the diagram of its workflow, and what it has changed. */

import * as z from "zod/mini";
import { told } from "../../format/workflow/schema/primitives.ts";
import { Count, Flag, Run, Text, Texts } from "../shapes.ts";

const Point = z.strictObject({ x: z.number(), y: z.number() });

export const PAGE = {
  picture: {
    about: "A run on the diagram of its workflow, laid out",
    input: z.strictObject(Run),
    output: z.strictObject({
      run: Text,
      width: z.number(),
      height: z.number(),
      start: Point,
      more: told(
        Count,
        "States of a large workflow that are not drawn: the run was not there, and cannot come there next",
      ),
      states: z.array(
        z.strictObject({
          name: Text,
          title: Text,
          label: told(Text, "What is written in it"),
          kind: z.enum(["plain", "human", "final", "cancelled", "failed"]),
          x: told(z.number(), "The centre"),
          y: z.number(),
          width: z.number(),
          height: z.number(),
          visits: told(Count, "How often the run came here"),
          current: Flag,
        }),
      ),
      moves: z.array(
        z.strictObject({
          from: Text,
          to: Text,
          labels: Texts,
          points: z.array(Point),
          taken: told(Count, "How often the run took it"),
        }),
      ),
    }),
  },
  diff: {
    about:
      "What a run has changed, from the commit that it began from to its last handover; or, with an artifact, how its file differs from the text that was accepted",
    input: z.strictObject({ ...Run, artifact: z.optional(told(Text, "An artifact of the run")) }),
    output: z.strictObject({
      run: Text,
      base: Text,
      commit: Text,
      files: z.array(
        z.strictObject({
          path: Text,
          added: Count,
          removed: Count,
          text: told(Text, "Hunks in the unified format; empty for a binary file"),
          cut: told(Flag, "The text is longer than what is shown"),
        }),
      ),
      more: told(Count, "Files that are not shown"),
    }),
  },
} as const;
