/** What the checker may forget. */

import { expect, test } from "vitest";
import { check } from "../../src/core/check/check.ts";
import { goodWorkflow } from "../support/stages.ts";

test("a way back leads only to where a question can be asked from: five stages are a few hundred situations", () => {
  const { defects, nodes } = check(goodWorkflow("five-stages.yaml"));
  expect(defects).toEqual([]);
  expect(nodes).toBeLessThan(1000);
});
