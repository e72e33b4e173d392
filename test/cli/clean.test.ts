/** What is proven before its first run, and what is not proven again. */
import { expect, test } from "vitest";
import { UserError } from "../../src/adapters/user-error.ts";
import { requireClean } from "../../src/app/workflows/check.ts";
import type { Loaded } from "../../src/app/workflows/load.ts";
import { fromText } from "../support/workflows.ts";

const stuck = fromText(`
$schema: ../../schema/workflow-1.schema.json
name: stuck
title: Nobody leads out of it
states:
  open: { waits: true }
  closed: { final: done }
  nowhere: { waits: true }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: closed, by: human }
  - { from: open, to: nowhere, by: human }
`);

const loaded: Extract<Loaded, { ok: true }> = {
  ok: true,
  workflow: stuck,
  helpers: new Map(),
  name: "stuck",
  file: "workflow.yaml",
  found: { name: "stuck", folder: "/", file: "workflow.yaml", from: "built-in" },
};

const saidOf = async (isKept: boolean, isShipped: boolean): Promise<string> => {
  const store = { definition: () => Promise.resolve(isKept ? stuck.definition : undefined) };
  try {
    await requireClean(store, { ...loaded, ...(isShipped ? { isShipped: true } : {}) }, "stuck");
    return "begins";
  } catch (error) {
    return error instanceof UserError ? error.code : "a bug";
  }
};

test.for<[what: string, isKept: boolean, isShipped: boolean, said: string]>([
  ["a stranger's, never seen before", false, false, "invalid-workflow"],
  ["what was proven once", true, false, "begins"],
  ["as the package was built with it, proven by its tests", false, true, "begins"],
])("%s", async ([, isKept, isShipped, said]) => {
  expect(await saidOf(isKept, isShipped)).toBe(said);
});
