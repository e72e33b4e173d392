/** The verbs of people, as moves, options and paths of several moves name them. */

import * as z from "zod/mini";
import { VERBS } from "../../../core/model/workflow.ts";
import { Name, Some, Text, told } from "./primitives.ts";

export const WithText = z.enum(["none", "optional", "required"]);

export const verb = z.optional(told(z.enum(VERBS), "The verb of people that means this"));

/** Further keys of a move that a verb means. */
export const markKeys = {
  text: z.optional(told(WithText, "With verb: whether a text goes with it; default: optional")),
  into: z.optional(told(Name, "With verb: the artifact that first receives the text")),
  deliver: z.optional(told(z.literal(true), "With verb accept: the reviewed commit is delivered first")),
};

export const VerbPath = z.strictObject({
  verb: told(z.enum(VERBS), "The verb of people that means this path"),
  in: told(Some, "The states in which it applies"),
  path: told(
    z.array(Text).check(z.minLength(1)),
    "The moves, one after the other: a STATE, origin (where the run came from) or answer:OPTION",
  ),
  ...markKeys,
});
