/**
 * What a session of a team says of itself in status.json, and what one of its tasks does: files that other programs may read.
 *
 * The workflow says it, and no code knows these words: they are here to be published, and tests hold what is written to them.
 */

import * as z from "zod/mini";
import { told } from "../src/format/workflow/schema/primitives.ts";

const Text = z.string();
const Filled = Text.check(z.minLength(1));
const Flag = z.boolean();
const Count = z.int().check(z.gte(0));
const Time = told(z.iso.datetime(), "ISO 8601, in UTC");
const orNull = <T extends z.ZodMiniType>(of: T): z.ZodMiniNullable<T> => z.nullable(of);

const STATES = [
  "INTAKE",
  "INTAKE_LEAN",
  "DESIGN",
  "APPROVE_DESIGN",
  "PLAN",
  "REVIEW_STRATEGY",
  "IMPLEMENT_LOOP",
  "FIX_REVIEW",
  "FIX_TESTS",
  "FIX_SECURITY",
  "INTEGRATE",
  "FIX_BUILD",
  "RELEASE",
  "ASK_USER",
  "BLOCKED",
  "DONE",
  "CANCELLED",
] as const;

const BLOCKERS = ["subagent_failure", "mandatory_user_decision_missing"] as const;

type Part = Record<string, z.ZodMiniType>;

/** How a question stands, and what there is of an answer then. */
const STANDS: readonly Part[] = [
  {
    status: z.literal("pending"),
    answer: z.null(),
    resolved_at: z.null(),
    resolution_reason: z.null(),
  },
  { status: z.literal("answered"), answer: Filled, resolved_at: Time, resolution_reason: z.null() },
  {
    status: told(
      z.enum(["cancelled", "skipped"]),
      "cancelled: a person put it off, or gave no answer to it; skipped: the run went on without one",
    ),
    answer: orNull(Filled),
    resolved_at: Time,
    resolution_reason: Filled,
  },
];

const decisions = (more: Part): z.ZodMiniType =>
  z.array(
    z.union(
      STANDS.map((stands) =>
        z.strictObject({
          decision_id: told(
            Filled,
            "UD-1, UD-2, ... or one of its own, as UD-APPROVE-DESIGN; of a part with its number behind, of a task with its name before",
          ),
          ...more,
          question: Filled,
          options: told(z.array(Filled), "The answers that there are"),
          text: told(Text, "What was said with the answer"),
          asked_at: Time,
          state_context: told(z.enum(STATES), "Where it came up, and the run goes back to"),
          ...stands,
        }),
      ),
    ),
  );

const Corrections = z.strictObject({
  correction_status: z.enum(["none", "queued", "dispatched", "completed"]),
  last_correction_dispatch: z.strictObject({
    agent: orNull(z.enum(["SpecAgent", "Researcher", "Architect", "Designer"])),
    task_id: orNull(z.literal("meta")),
    at: orNull(Time),
  }),
});

const RETRIES = { FIX_REVIEW: Count, FIX_TESTS: Count, FIX_SECURITY: Count };

const waivers = (more: Part): z.ZodMiniType =>
  told(
    z.array(z.strictObject({ ...more, gate: Filled, reason: Text, decided_by: Filled, at: Time })),
    "What a person answers for",
  );

const Session = z.strictObject({
  current_state: told(z.enum(STATES), "Of the task that is under way, or else of the session"),
  current_task: orNull(told(Filled, "Its id")),
  session: told(Filled, "The name of its folder"),
  mode: z.enum(["full", "lean"]),
  blocker: orNull(told(z.enum(BLOCKERS), "Why it is blocked")),
  resume_state: orNull(told(Filled, "Where it goes on after that, or after a question")),
  assumptions: z.array(Filled),
  known_issues: z.array(Filled),
  user_decisions: decisions({
    task_id: orNull(told(Filled, "The task in which it came up")),
    finding_id: orNull(told(Filled, "Of a question in parts, which")),
    asked_by: Filled,
  }),
  gate_tracking: z.strictObject({ APPROVE_DESIGN: Corrections }),
  runtime_flags: z.strictObject({
    copilot_instructions_exists: told(Flag, "Whether there is .github/copilot-instructions.md"),
    agents_instructions_exists: told(Flag, "Whether there is AGENTS.md"),
    copilot_checked_at: Time,
  }),
  retry_counts: told(
    z.record(Filled, z.strictObject({ ...RETRIES, FIX_BUILD: Count })),
    "By task; meta and lean are all of it",
  ),
  waivers: waivers({ task_id: orNull(Filled) }),
  last_ci_result: z.enum(["unknown", "green", "red"]),
  last_update: Time,
});

const Said = z.array(z.strictObject({ text: Filled, by: Filled }));

const Task = z.strictObject({
  task_id: Filled,
  current_state: told(
    z.enum([...STATES, "implemented", "completed", "too-complex", "failed", "cancelled"]),
    "Where it is, or how it ended",
  ),
  blocker: orNull(z.enum(BLOCKERS)),
  retry_counts: z.strictObject(RETRIES),
  resume_state: orNull(Filled),
  user_decisions: decisions({}),
  assumptions: Said,
  known_issues: Said,
  waivers: waivers({}),
});

export const STATUS = { Session, Task };

export const STATUS_SCHEMAS = {
  "status-1.schema.json": (): Record<string, unknown> => ({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "What a session of a team says of itself, and one of its tasks",
    anyOf: Object.keys(STATUS).map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: Object.fromEntries(
      Object.entries(STATUS).map(([title, schema]) => {
        const { $schema: _, ...part } = z.toJSONSchema(schema, { target: "draft-2020-12" });
        return [title, { title, ...part }];
      }),
    ),
  }),
} as const;
