/** What the inbox shows, declared once: the types, the output of `--json` and the published schema. */

import * as z from "zod/mini";
import { told } from "../../format/workflow/schema/primitives.ts";
import { Text, type Frozen } from "../shapes.ts";
import { Parked } from "./parked-view.ts";
import { Action, Decision, Finding, Question, SUMMARY } from "./run-view.ts";

const InboxItem = z.strictObject({
  ...SUMMARY,
  group: told(z.enum(["question", "review", "stuck", "other"]), "What kind of decision it needs"),
  kind: z.enum(["question", "attention", "halted", "crashed", "damaged", "waiting"]),
  since: Text,
  reason: told(Text, "Why it needs you, in one sentence"),
  decision: z.nullable(Decision),
  question: z.nullable(Question),
  findings: z.array(Finding),
  actions: told(z.array(Action), "What you can type, the most likely first"),
});

/** One entry for all runs that the same park holds up. */
const InboxPark = z.strictObject({
  ...Parked.shape,
  sentence: told(Text, "The same for people, in one sentence"),
  runs: z.array(z.strictObject({ run: Text, summary: Text })),
  actions: told(z.array(Action), "What you can type"),
});

export const INBOX = {
  items: z.array(InboxItem),
  parks: told(
    z.array(InboxPark),
    "What is parked: one entry for each harness, run or day, with all its runs",
  ),
};

export type InboxItem = Frozen<z.infer<typeof InboxItem>>;
export type InboxPark = Frozen<z.infer<typeof InboxPark>>;
