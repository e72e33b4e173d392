/** What holds up the next turn of an agent, as views show it. */

import * as z from "zod/mini";
import { told } from "../../format/workflow/schema/primitives.ts";
import { Text, type Frozen } from "../shapes.ts";

export const Parked = z.strictObject({
  class: told(
    z.enum(["quota", "login", "trust", "provider", "budget", "settings"]),
    "Why the next turn of its agent does not begin",
  ),
  harness: told(
    Text,
    "The harness whose turns are all parked; empty where it is about this run, or about a day",
  ),
  message: told(Text, "The reason, in the words of the program or its provider"),
  until: told(Text, "When it goes on by itself; empty where a person has to act"),
  next: told(Text, "What a person does before `signalbox retry RUN`; empty where waiting is enough"),
});

export type ParkedView = Frozen<z.infer<typeof Parked>>;
