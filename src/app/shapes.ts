/**
 * The words that declarations of use cases are made of.
 *
 * No command loads them: they give types to the compiler, schemas to those who read `--json`, and checks to calls of other processes.
 */

import * as z from "zod/mini";
import { told } from "../format/workflow/schema/primitives.ts";

export const Text = z.string();
export const Flag = z.boolean();
export const Count = z.int().check(z.gte(0));
export const Texts = z.array(Text);
export const MaybeText = z.optional(Text);
export const MaybeFlag = z.optional(Flag);

export const At = z.strictObject({ file: Text, line: Count, col: Count });

/** Without it, the run of the agent, of the folder, or the only one. */
export const Run = {
  run: told(MaybeText, "the run's name, or its first letters; without it, that of this folder"),
};
/** The run, where a task may also be known by its branch, or by its project. */
export const Task = { ...Run, project: MaybeText };
export const Key = { key: told(MaybeText, "the same key twice acts once, and gives the same answer") };

/** A file as the caller has read it. */
export const GivenText = z.strictObject({
  name: Text,
  text: MaybeText,
  problem: z.optional(z.strictObject({ code: Text, message: Text, next: Text })),
});

/** The acknowledgement of an event, which is the same for the same key. */
export const Acknowledgement = z.strictObject({ run: Text, from: Text, to: Text, seq: Count });

export type Shape = Readonly<Record<string, z.ZodMiniType>>;

/** Data of a call is never changed by the code that gets it. */
export type Frozen<T> = T extends readonly unknown[] | object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;
