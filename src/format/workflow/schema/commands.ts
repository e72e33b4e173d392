/** Commands that a workflow declares, as its file has them. */

import * as z from "zod/mini";
import { CALLS, STEPS } from "../../../core/model/workflow.ts";
import { Name, Scalar, Text, told } from "./primitives.ts";

export const Command = z.strictObject({
  about: z.optional(told(Text, "One line for people; that of the called command unless said")),
  short: z.optional(told(z.literal(true), "It can be typed without the name of the workflow")),
  call: z.optional(told(z.enum(CALLS), "Another name for this command of Signalbox")),
  with: z.optional(
    told(
      z.record(Name, Scalar),
      "With call: options of that command that are always given, with their values",
    ),
  ),
  in: z.optional(
    told(
      z.record(Name, z.enum(STEPS)),
      "By state or phase, what is done before the run is followed: a verb of people where it is open, or only follow",
    ),
  ),
  begin: z.optional(told(z.literal(true), "With in: a run that does not exist is begun")),
});
