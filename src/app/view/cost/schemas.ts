/** What turns used, as screens show it, and the use case that adds it up. */

import * as z from "zod/mini";
import { told } from "../../../format/workflow/schema/primitives.ts";
import { Count, Flag, MaybeText, Text, Texts, type Frozen } from "../../shapes.ts";

const Known = z.nullable(Count);

/** A number is null where it is known of no turn: unknown is not zero. */
export const Used = z.strictObject({
  turns: Count,
  input: told(Known, "Tokens that the models read; null where they are known of no turn"),
  cached: told(Known, "Those of them that came from a cache"),
  output: told(Known, "Tokens that the models wrote"),
  unknownTokens: told(Count, "Turns whose tokens are unknown or known in part: it was at least so many"),
  usd: told(z.nullable(z.number()), "Dollars; null where the cost is known of no turn"),
  unknownCost: told(Count, "Turns whose cost is unknown: it was at least so much"),
  estimated: told(Flag, "Some of the cost is tokens at a price, and not what a program said"),
  ms: told(Count, "Wall time of the turns"),
  tokens: told(Text, "Its tokens in words"),
  cost: told(Text, "Its cost in words"),
  said: told(Text, "All of it in words"),
});

const BY = ["turn", "role", "run", "project", "day", "model"] as const;

const Turn = z.strictObject({
  role: Text,
  slot: Text,
  attempt: Count,
  turn: Count,
  harness: told(Text, "Empty where it is unknown"),
  model: told(Text, "Empty where it is unknown"),
  conversation: told(Text, "The program's name of the conversation; empty where it is unknown"),
  end: z.enum(["exited", "killed", "timed-out", "stalled", "halted", "lost"]),
  class: told(Text, "The class of the failure that ended it; empty without one"),
  failure: told(Text, "The failure in the words of the program; empty without one"),
  refused: told(Texts, "Tools that the program did not let the agent use"),
});

const Row = z.strictObject({
  name: told(Text, "What the row is about: a role, the summary of a run, a project, a day, a model"),
  run: told(Text, "Of a run or a turn; otherwise empty"),
  at: told(Text, "When the last of these turns was over"),
  used: Used,
  turn: z.nullable(Turn),
});

export const COST = {
  cost: {
    about: "What turns of agents used: tokens, money and time",
    input: z.strictObject({
      run: told(MaybeText, "the run, with the runs of its tasks; without it, all runs"),
      by: z.optional(z.enum(BY)),
      since: told(MaybeText, "a day, as YYYY-MM-DD"),
    }),
    output: z.strictObject({
      run: told(Text, "Empty for all runs"),
      by: z.enum(BY),
      since: told(Text, "The first day that is counted; empty for all"),
      rows: z.array(Row),
      total: Used,
    }),
  },
} as const;

export type UsedView = Frozen<z.infer<typeof Used>>;
export type CostRow = Frozen<z.infer<typeof Row>>;
export type CostBy = (typeof BY)[number];
