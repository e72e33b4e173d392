/**
 * What every `--json` document has in common.
 *
 * These schemas describe what commands print; no command loads them. They are published, and a test holds each command to its own.
 */

import * as z from "zod/mini";
import { told } from "../workflow/schema/primitives.ts";

export const Text = z.string();
export const Flag = z.boolean();
export const Count = z.int().check(z.gte(0));
export const Texts = z.array(Text);

export const At = z.strictObject({ file: Text, line: Count, col: Count });

const COMMON = {
  code: told(z.string().check(z.regex(/^[a-z][a-z0-9-]*$/)), "Stable, for programs; ok where all is well"),
  message: told(Text, "One sentence for people"),
  next: told(Text, "The one next command, or thing to do; empty where there is none"),
};

export const Failure = told(
  z.strictObject({
    ok: z.literal(false),
    ...COMMON,
    at: z.optional(told(At, "Where in a file the mistake is")),
  }),
  "The command could not be done",
);

export const Help = told(z.strictObject({ ok: z.literal(true), ...COMMON, help: Text }), "What --help gives");

export type Shape = Readonly<Record<string, z.ZodMiniType>>;

/** A command's own data, beside what all have. */
export function answerOf(data: Shape): z.ZodMiniType {
  return z.strictObject({ ok: told(Flag, "Whether the exit code is 0"), ...COMMON, ...data });
}
