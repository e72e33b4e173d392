/**
 * The words that declarations of use cases are made of.
 *
 * No command loads them: they give types to the compiler, schemas to those who read `--json`, and checks to calls of other processes.
 */

import * as z from "zod/mini";

export const Text = z.string();
export const Flag = z.boolean();
export const Count = z.int().check(z.gte(0));
export const Texts = z.array(Text);
export const MaybeText = z.optional(Text);
export const MaybeFlag = z.optional(Flag);

export const At = z.strictObject({ file: Text, line: Count, col: Count });

/** The run that is meant, by name; without it, that of the agent, of the folder, or the only one. */
export const Run = { run: MaybeText };
/** Used twice, it acts once and gives the same answer. */
export const Key = { key: MaybeText };

/** The acknowledgement of an event, which is the same for the same key. */
export const Acknowledgement = z.strictObject({ run: Text, from: Text, to: Text, seq: Count });

export type Shape = Readonly<Record<string, z.ZodMiniType>>;

/** Data of a call is never changed by the code that gets it. */
export type Frozen<T> = T extends readonly unknown[] | object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;
