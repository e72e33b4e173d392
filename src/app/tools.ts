/**
 * Use cases as tools for models: names, words and fields come from the declarations, cut to the role of the agent that asks.
 *
 * What the definition gives the role no right to is not offered, and is refused by the engine all the same.
 */

import * as z from "zod/mini";
import { awaits } from "../core/explain/review-policy.ts";
import type { ObjectShape } from "../core/model/artifact.ts";
import { schemaOf, type JsonSchema } from "../format/json/schema.ts";
import { reviewShape } from "../format/review/review.ts";
import { canAsk } from "./act/question/ask-questions.ts";
import type { AgentCaller } from "./caller.ts";
import { badUsage } from "./failure.ts";
import { SCHEMAS } from "./schemas.ts";
import { USES } from "./uses.ts";

type Caller = AgentCaller | undefined;

/** In the order in which an agent needs them. */
const OFFERED = [
  "get-task",
  "next",
  "read-context",
  "submit",
  "review-create",
  "ask-questions",
  "update",
] as const;
type OfferedUse = (typeof OFFERED)[number];

export type Tool = {
  readonly use: OfferedUse;
  readonly name: (typeof SCHEMAS)[OfferedUse]["tool"]["name"];
  readonly title: string;
  readonly about: string;
  /** It changes nothing. */
  readonly looks: boolean;
  /** Every field that it may have, for any role. */
  readonly fields: readonly string[];
};

export const TOOLS: readonly Tool[] = OFFERED.map((use) => ({
  use,
  looks: USES[use].kind !== "act",
  ...SCHEMAS[use].tool,
}));

/** Those that the caller can use at all, in this run or any. Without a token, only those for everybody. */
export function toolsFor(caller: Caller): readonly Tool[] {
  return TOOLS.filter(({ use }) =>
    caller === undefined ? USES[use].callers.includes("nobody") : isFor(use, caller),
  );
}

function isFor(use: OfferedUse, caller: AgentCaller): boolean {
  const { definition, role } = caller;
  switch (use) {
    case "get-task":
    case "next":
    case "read-context":
      return true;
    case "submit":
      return Object.values(definition.artifacts).some(({ file, by }) => file !== "" && by.includes(role));
    case "review-create":
      return reviewsOf(caller).length > 0;
    case "ask-questions":
      return canAsk(caller);
    case "update":
      return hasMove(caller) || fieldsFor("update", caller).some((name) => DETAILS.has(name));
  }
}

/** One of its own, or one that the engine takes on what it has written: asking for that makes the engine look. */
function hasMove({ definition, role }: AgentCaller): boolean {
  const own = Object.keys(definition.artifacts).filter(
    (name) => definition.artifacts[name]?.by.includes(role) === true,
  );
  return definition.moves.some(
    (move) =>
      (move.by.includes(role) && move.answer === undefined) ||
      (move.by.includes("engine") && own.some((name) => awaits(move, name))),
  );
}

const DETAILS: ReadonlySet<string> = new Set(["summary", "branch"]);

function fieldsFor(use: OfferedUse, caller: Caller): readonly string[] {
  const { fields } = SCHEMAS[use].tool;
  // An agent has something to say in its own run only.
  if (use === "next") return caller === undefined ? fields : [];
  if (use !== "update" || caller === undefined) return fields;
  return fields.filter((name) => {
    if (!DETAILS.has(name)) return true;
    const param = caller.definition.params[name];
    return param?.type === "text" && param.set.includes(caller.role);
  });
}

/** The fields of a tool, as JSON Schema. Those of a review are what the role's review has. */
export function inputOf({ use }: Tool, caller: Caller): JsonSchema {
  const { $schema: _same, ...own } = z.toJSONSchema(inputSchema(use, caller), { target: "draft-2020-12" });
  if (use !== "review-create" || caller === undefined) return own;
  const review = schemaOf(shapeOfReview(caller));
  const described = Object.entries(review["properties"] ?? {}).map(
    ([name, schema]) => [name, { ...schema, ...wordsOf(name) }] as const,
  );
  return { ...review, properties: { ...Object.fromEntries(described), ...own.properties } };
}

function inputSchema(use: OfferedUse, caller: Caller): z.ZodMiniObject {
  const shape: Readonly<Record<string, z.ZodMiniType>> = SCHEMAS[use].input.shape;
  const fields = fieldsFor(use, caller).flatMap((name) => {
    const field = shape[name];
    return field === undefined ? [] : [[name, field] as const];
  });
  return z.strictObject(Object.fromEntries(fields));
}

/** Every field that is wrong is named at once. The fields of a review are checked by the use case, in its own words. */
export function requireFit({ use, name }: Tool, given: unknown, caller: Caller): void {
  if (use === "review-create") return;
  const schema = inputSchema(use, caller);
  const parsed = schema.safeParse(given);
  if (parsed.success) return;
  const known = Object.keys(schema.shape);
  const takes = known.length === 0 ? "it takes nothing" : `it takes ${known.join(", ")}`;
  const wrong = parsed.error.issues.flatMap((issue) => sayIssue(issue, given));
  throw badUsage(`${name}: ${wrong.slice(0, ISSUES_SHOWN).join("; ")}`, takes);
}

const ISSUES_SHOWN = 5;

function sayIssue(issue: z.core.$ZodIssue, given: unknown): readonly string[] {
  const name = `"${issue.path.map(String).join(".")}"`;
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => `the key ${JSON.stringify(key)} is unknown`);
  if (issue.code === "too_small") return [`${name} must have at least ${issue.minimum} members`];
  if (issue.code !== "invalid_type") return [`${name}: ${issue.message}`];
  const [key] = issue.path;
  const isMissing = typeof given !== "object" || given === null || !Object.hasOwn(given, String(key));
  return [isMissing ? `${name} is missing` : `${name} must be ${KINDS[issue.expected] ?? issue.expected}`];
}

const KINDS: Readonly<Record<string, string>> = { string: "a text", number: "a number", array: "a list" };

function shapeOfReview(caller: AgentCaller): ObjectShape {
  const [first, ...others] = reviewsOf(caller);
  const own: ObjectShape = first ?? { type: "object", required: {}, optional: {}, open: true };
  const isOne = others.every((each) => JSON.stringify(each) === JSON.stringify(own));
  return isOne ? own : { ...own, required: verdictOf(own), optional: {}, open: true };
}

function reviewsOf({ definition, role }: AgentCaller): readonly ObjectShape[] {
  return Object.values(definition.artifacts)
    .filter(({ by }) => by.includes(role))
    .flatMap((artifact) => reviewShape(artifact) ?? []);
}

function verdictOf({ required }: ObjectShape): ObjectShape["required"] {
  return required["verdict"] === undefined ? {} : { verdict: { type: "text" } };
}

const WORDS: Readonly<Record<string, string>> = {
  verdict: "the word that counts",
  summary: "what you found, in a few sentences",
  issues: "what must be fixed, each with its severity and its place",
  tests: "how many tests passed, failed and were skipped, where you ran them",
};

function wordsOf(name: string): { readonly description?: string } {
  const description = WORDS[name];
  return description === undefined ? {} : { description };
}
