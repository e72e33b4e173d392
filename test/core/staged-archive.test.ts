/** What begins again leaves no summary of what was before it: with the work of a phase, what sums it up is archived. */
import { expect, test } from "vitest";
import { loadWorkflow } from "../support/workflows.ts";

const { artifacts, moves } = loadWorkflow("staged").definition;

const lists = moves.flatMap((move) =>
  move.do.flatMap((action) => (action.type === "archive" ? [{ move, archived: action.artifacts }] : [])),
);

test("every list of what is archived has the summaries of its phases", () => {
  const missing = lists.flatMap(({ move, archived }) =>
    archived
      .map((name) => `${name}-summary`)
      .filter((name) => artifacts[name] !== undefined && !archived.includes(name))
      .map((name) => `${move.from} to ${move.to}: ${name}`),
  );
  expect(lists.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});
