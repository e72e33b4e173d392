/** The basic types of the grammar: names, texts, paths, bounds. */

import * as z from "zod/mini";
import { SEVERITIES, VERDICTS } from "../../../core/model/verdict.ts";

/** Adds the description that editors show and the docs are checked against. */
export function told<T extends z.ZodMiniType>(schema: T, description: string): T {
  // A copy, because the same schema is used in many places with different descriptions.
  const copy = schema.clone(schema._zod.def);
  z.globalRegistry.add(copy, { description });
  return copy;
}

export const Name = z
  .string()
  .check(
    z.regex(
      /^[A-Za-z0-9][A-Za-z0-9_.-]*$/,
      "a name has letters, digits, _ . and -, and begins with a letter or digit",
    ),
  );
export const Text = z.string().check(z.minLength(1, "must not be empty"));
export const File = z
  .string()
  .check(
    z.regex(/^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\0\\]+$/, "a path inside the workspace: relative, without .."),
  );
export const Param = z
  .string()
  .check(z.regex(/^\$[A-Za-z][A-Za-z0-9_]*$/, "name a parameter alone, with a dollar sign, like $rounds"));
export const Setting = z
  .string()
  .check(
    z.regex(
      /^[A-Za-z0-9][\w-]*(\.[A-Za-z0-9][\w-]*)*$/,
      "keys with dots between them, like stages.TEST.enabled; each has letters, digits, _ and -",
    ),
  );
const Wanted = z
  .string()
  .check(
    z.regex(
      /^[A-Za-z0-9][A-Za-z0-9_.-]*\??$/,
      "a name has letters, digits, _ . and -, begins with a letter or digit, and may end in ?",
    ),
  );
/** Names of required artifacts, or with `?` of optional ones. */
export const Named = z.union([Wanted, z.array(Wanted)]);
export const Names = z.union([Name, z.array(Name)]);
export const Some = z.union([Name, z.array(Name).check(z.minLength(1, "must name at least one"))]);
export const Whole = z.int().check(z.gte(0, "must not be negative"));
export const Bound = z.union([Whole, Param]);
export const Scalar = z.union([z.string(), z.number(), z.boolean()]);
export const Verdict = z.enum(VERDICTS);
export const Severity = z.enum(SEVERITIES);
