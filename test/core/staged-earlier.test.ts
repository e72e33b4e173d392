/** Whoever of `staged` begins again is told why: what made it begin again is archived on the way, and is in `earlier`. */

import { expect, test } from "vitest";
import { live, staged } from "../support/staged.ts";

const { roles, artifacts } = staged.definition;

function earlierOf(who: string): readonly string[] {
  const reader = artifacts[who]?.reader;
  return (reader?.type === "children" ? reader.earlier : roles[who]?.earlier) ?? [];
}

test.for<[who: string, agents: Record<string, string>, params: Record<string, number>, told: string[]]>([
  ["brainstormer", { "plan-reviewer": "fix, ok" }, { plan_fixes: 0 }, ["1.3"]],
  ["2.1", { "implementation-reviewer": "fix, ok" }, { implement_fixes: 0 }, ["2.3"]],
  ["2.1", { "3.1": "red-source, ok" }, {}, ["2.3", "3.1"]],
  ["simplifier", { "3.1": "red-source, ok" }, {}, ["2.3", "3.1"]],
  ["analyst", { "test-reviewer": "fix, ok", "3.1": "ok, red-test, ok" }, {}, ["3.3"]],
  ["documenter", { "final-reviewer": "fix, ok" }, { final_fixes: 0 }, ["4.2"]],
  ["documenter", {}, {}, []],
])("%s, after %o with %o, is told of %o", ([who, agents, params, told]) => {
  const { archived } = live({ agents, params });
  expect(earlierOf(who).filter((name) => archived.includes(name))).toEqual(told);
});
