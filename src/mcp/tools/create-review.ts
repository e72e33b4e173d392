/** `create_review`: as `signalbox review create`. Its fields are those of the review that the role writes. */

import { call } from "../../app/client.ts";
import type { AgentCaller } from "../../app/caller.ts";
import { reviewShape } from "../../format/review/review.ts";
import type { Shape } from "../../core/model/artifact.ts";
import { optionsIn, speak, type AgentTool } from "../tool.ts";

type ObjectShape = Extract<Shape, { type: "object" }>;

export const createReview: AgentTool = {
  name: "create_review",
  title: "Hand in your review",
  about:
    "Hands in your review, field by field. It is written to where the workflow has it and counts at once. A verdict that does not agree with its issues, or with tests that failed, is refused.",
  looks: false,
  for: "agent",
  isOpen: true,
  fields: {
    verdict: "the word that counts",
    summary: "what you found, in a few sentences",
    issues: "what must be seen to, each with its severity and its place",
    tests: "how many tests passed, failed and were skipped, where you ran them",
    artifact: "which review, where you write several",
    key: "the same key twice submits once, and gives the same answer",
  },
  isFor: (caller) => reviewsOf(caller).length > 0,
  input: (caller) => {
    const [first, ...others] = reviewsOf(caller);
    const own: ObjectShape = first ?? { type: "object", required: {}, optional: {}, open: true };
    const isOne = others.every((each) => JSON.stringify(each) === JSON.stringify(own));
    const shape: ObjectShape = isOne ? own : { ...own, required: verdictOf(own), optional: {}, open: true };
    return { ...shape, optional: { ...shape.optional, artifact: { type: "text" }, key: { type: "text" } } };
  },
  call: async ({ artifact, key, ...said }, { door, caller }) => {
    const options = optionsIn({ artifact, key }, ["artifact", "key"]);
    const file = { name: "-", text: JSON.stringify(said) };
    return speak(await call(door, "review-create", { run: caller.run, file, ...options }));
  },
};

function reviewsOf({ definition, role }: AgentCaller): readonly ObjectShape[] {
  return Object.values(definition.artifacts)
    .filter(({ by }) => by.includes(role))
    .flatMap((artifact) => reviewShape(artifact) ?? []);
}

function verdictOf({ required }: ObjectShape): ObjectShape["required"] {
  return required["verdict"] === undefined ? {} : { verdict: { type: "text" } };
}
