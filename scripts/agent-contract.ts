/**
 * Inputs and outputs of a team's agents: files that other programs may write and read, with a part for each role.
 *
 * No run loads these schemas. They are published, and tests compare workflows with them.
 */

import * as z from "zod/mini";
import { told } from "../src/format/workflow/schema/primitives.ts";

const Text = z.string();
const Filled = Text.check(z.minLength(1));
const Texts = z.array(Text);
const Flag = z.boolean();
const Count = z.int().check(z.gte(0));
const Grave = z.enum(["low", "medium", "high", "critical"]);

type RoleKeys = Record<string, z.ZodMiniType>;

/** Files of the session by name, as a role reads them before its start: those of every full session, and optional ones. */
export const CONTEXT = {
  SpecAgent: { required: [], optional: [] },
  Researcher: { required: ["spec.md"], optional: ["acceptance.json", "architecture.md"] },
  Architect: { required: ["spec.md", "acceptance.json"], optional: ["research.md"] },
  Designer: { required: ["spec.md", "architecture.md", "acceptance.json"], optional: [] },
  Planner: {
    required: ["spec.md", "acceptance.json", "architecture.md"],
    optional: ["design-spec.md", "research.md"],
  },
  Coder: { required: ["spec.md", "tasks.yaml"], optional: ["architecture.md", "design-spec.md"] },
  Reviewer: { required: ["spec.md", "tasks.yaml"], optional: ["architecture.md", "design-spec.md"] },
  QA: { required: ["spec.md", "acceptance.json", "tasks.yaml"], optional: ["design-spec.md"] },
  Security: { required: ["tasks.yaml"], optional: ["architecture.md"] },
  Integrator: { required: ["tasks.yaml", "acceptance.json"], optional: [] },
  Docs: { required: ["spec.md", "tasks.yaml", "acceptance.json"], optional: ["architecture.md"] },
} as const;

type AgentRole = keyof typeof CONTEXT;

const AGENTS = ["Orchestrator", ...Object.keys(CONTEXT)];

const Unmoved = z.strictObject({
  path: Filled,
  change_type: z.enum(["added", "modified", "deleted"]),
  old_path: z.optional(z.null()),
});
const Renamed = z.strictObject({
  path: Filled,
  change_type: z.literal("renamed"),
  old_path: told(Filled, "What it was called before"),
});
const Changed = told(
  z.array(z.union([Unmoved, Renamed])),
  "What the session has changed so far, relative to the repository",
);

function inputOf(role: AgentRole, more: RoleKeys = {}): z.ZodMiniType {
  return z.strictObject({
    task: z.strictObject({
      id: told(Filled, "Of the task in tasks.yaml, or meta"),
      title: Text,
      goal: told(Text, "What is to be achieved"),
      non_goals: told(Texts, "What is not"),
      context_files: told(z.array(Filled), sayContext(CONTEXT[role])),
      session_changed_files: role === "Reviewer" ? Changed : z.optional(Changed),
      constraints: Texts,
      acceptance_checks: z.array(Text.check(z.regex(/^(cmd|manual):/))),
      risk_flags: z.array(z.enum(["security", "perf", "breaking-change", "none"])),
      files: z.optional(told(Texts, "What the task may write, where its plan says so")),
    }),
    repo_state: z.strictObject({
      branch: Text,
      base: z.optional(told(Text, "The commit that the branch began from")),
      ci_status: z.enum(["unknown", "green", "red"]),
      last_failed_step: z.optional(
        told(z.nullable(Text), "What failed last in this run, as STATE: WHAT; null where nothing did"),
      ),
    }),
    project_type: told(z.enum(["web", "api", "cli", "lib", "mixed"]), "Says which checks apply"),
    tools_available: Texts,
    artifact_list: told(Texts, "Files of the session that exist"),
    ...more,
  });
}

function sayContext({ required, optional }: (typeof CONTEXT)[AgentRole]): string {
  const all = [
    ...(required.length === 0 ? [] : [`in a full session ${required.join(", ")}`]),
    ...(optional.length === 0 ? [] : [`if it exists ${optional.join(", ")}`]),
  ];
  return `What is to be read first, with its path in the workspace${all.length === 0 ? "" : `: ${all.join("; ")}`}`;
}

/** Further input keys of single roles. */
const INPUTS: Partial<Record<AgentRole, RoleKeys>> = {
  SpecAgent: { lean: z.optional(told(Flag, "Whether the session is a lean one")) },
  Researcher: { research_question: told(Text, "What is to be found out") },
};

type RoleOutput = {
  /** A status besides OK and BLOCKED. */
  readonly status?: string;
  readonly artifacts?: RoleKeys;
  readonly more?: RoleKeys;
};

function outputOf({ status, artifacts = {}, more = {} }: RoleOutput): z.ZodMiniType {
  return z.strictObject({
    status: told(
      z.enum(["OK", "BLOCKED", ...(status === undefined ? [] : [status])]),
      "FAIL is not one of them: an agent that failed has left no valid output",
    ),
    summary: told(Filled, "In one to three sentences"),
    artifacts: z.strictObject({
      files_to_create_or_update: z.optional(Texts),
      files_changed: z.optional(Texts),
      tests_added_or_updated: z.optional(Texts),
      commands_to_run: z.optional(Texts),
      manual_steps: z.optional(Texts),
      notes: z.optional(Texts),
      ...artifacts,
    }),
    gates: told(
      z.strictObject({
        meets_definition_of_done: Flag,
        needs_review: Flag,
        needs_tests: Flag,
        security_concerns: Texts,
      }),
      "Shown, and never obeyed",
    ),
    next: told(
      z.strictObject({ recommended_agent: z.enum(AGENTS), recommended_task_id: Text, reason: Text }),
      "Shown, and never obeyed",
    ),
    questions: z.optional(
      told(Texts, "What a person must answer first, one by one, where the status says that it cannot go on"),
    ),
    assumptions: z.optional(Texts),
    known_issues: z.optional(Texts),
    ...more,
  });
}

const Option = z.strictObject({
  id: told(Filled, "OPT-1, OPT-2, ..."),
  label: Text,
  pros: Texts,
  cons: Texts,
  effort: Text,
  recommended: Flag,
});

const Comment = z.strictObject({
  severity: told(z.enum(["nit", "minor", "major", "blocker"]), "A major one blocks"),
  category: z.enum(["Security", "Architecture", "Logic", "Performance", "Quality", "Devil's Advocate"]),
  file: Text,
  line: z.optional(z.number()),
  message: Filled,
  suggested_fix: z.optional(Text),
});

const Checked = z.enum(["OK", "issues_found", "N/A"]);

const Checklist = z.strictObject({
  security: Checked,
  architecture: Checked,
  logic: Checked,
  performance: Checked,
  quality: Checked,
  devils_advocate: Checked,
});

const Finding = z.strictObject({
  id: told(Filled, "sec-1, sec-2, ...: a person answers each by its name"),
  severity: told(Grave, "A medium one blocks"),
  category: z.enum(["XSS", "CSP", "SSRF", "Auth", "Secrets", "Deps", "Validation", "Other"]),
  file: Text,
  description: Filled,
  recommended_fix: Text,
});

const REPORT = { what_was_done: Text, how_to_run: Text, how_to_test: Text, commitMessage: Text };

const OUTPUTS: Readonly<Record<AgentRole, RoleOutput>> = {
  SpecAgent: {
    more: {
      ui: told(Flag, "Whether people will see something new"),
      needs_research: Flag,
      research_question: z.optional(told(Text, "What is to be found out first")),
    },
  },
  Researcher: {
    status: "NEEDS_INFO",
    artifacts: {
      research_summary: Text,
      confidence: z.enum(["high", "medium", "low"]),
      options: z.optional(z.array(Option)),
    },
  },
  Architect: { artifacts: { adrs: z.optional(told(Texts, "Files of decisions")) } },
  Designer: {
    artifacts: {
      design_spec_file: Text,
      design_spec_inline: z.optional(told(Text, "The same in at most 80 lines")),
    },
  },
  Planner: { more: { large: told(Flag, "Five tasks or more, across modules, or of high risk") } },
  Coder: {
    artifacts: { patch_summary: z.optional(Texts) },
    more: {
      behaviour_changed: Flag,
      security_relevant: Flag,
      complexity_found: told(Flag, "Too much for a lean session"),
      // Only in a lean session does no other agent write them.
      ...Object.fromEntries(Object.entries(REPORT).map(([key, of]) => [key, z.optional(of)])),
    },
  },
  Reviewer: {
    artifacts: {
      review_comments: z.array(Comment),
      checklist_summary: told(Checklist, "Where issues were found, a comment of that category is listed"),
    },
  },
  QA: {
    artifacts: {
      test_results: told(
        z.strictObject({
          total: Count,
          passed: Count,
          failed: Count,
          skipped: Count,
          output: z.optional(Text),
        }),
        "They add up; with OK none has failed, and one at least was run",
      ),
      findings: z.array(z.strictObject({ severity: Grave, description: Filled, file: z.optional(Text) })),
      coverage_gaps: z.optional(Texts),
    },
  },
  Security: { status: "NEEDS_DECISION", artifacts: { findings: z.array(Finding) } },
  Integrator: { artifacts: { ci_notes: z.optional(Texts) } },
  Docs: { more: { readme: z.enum(["updated", "current"]), ...REPORT } },
};

const ROLES = Object.keys(CONTEXT).filter((name): name is AgentRole => name in OUTPUTS);

const eachOf = (make: (role: AgentRole) => z.ZodMiniType): Record<string, z.ZodMiniType> =>
  Object.fromEntries(ROLES.map((role) => [role, make(role)]));

export const AGENT_INPUTS = eachOf((role) => inputOf(role, INPUTS[role]));
export const AGENT_OUTPUTS = eachOf((role) => outputOf(OUTPUTS[role]));

export const AGENT_SCHEMAS = {
  "agent-input-1.schema.json": () => published("Input of an agent of a team", AGENT_INPUTS),
  "agent-output-1.schema.json": () => published("Output of an agent of a team", AGENT_OUTPUTS),
} as const;

/** One document: `#/$defs/Coder` is the schema for that role. */
function published(title: string, parts: Readonly<Record<string, z.ZodMiniType>>): Record<string, unknown> {
  const defs = Object.entries(parts).map(([role, schema]) => {
    const { $schema: _, ...part } = z.toJSONSchema(schema, { target: "draft-2020-12" });
    return [role, { title: role, ...part }] as const;
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    anyOf: defs.map(([role]) => ({ $ref: `#/$defs/${role}` })),
    $defs: Object.fromEntries(defs),
  };
}
