/** Agents that speak the protocol and nothing else, started by the supervisor: who they are goes from hand to hand by itself. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { begin, clear, look, makeLife, type } from "../lives/life.ts";
import { until } from "../process-bench.ts";
import { withStore } from "../served-support.ts";
import { NODE } from "./support.ts";

const AGENT = fileURLToPath(new URL("agent.ts", import.meta.url));

test.runIf(isPerson)("they bring a task to a person's review", async () => {
  const harness = `{ command: [${NODE}, ${AGENT}] }`;
  const life = makeLife({
    config: () => `terminal: none\nharnesses:\n  worker: ${harness}\n  reviewer: ${harness}\n`,
  });
  onTestFinished(() => clear(life));
  const run = await begin(life);
  await type(life, ["move", run, "planning"]);
  await until(async () => (await look(life, run)).state === "reviewing", 40_000);
  const roles = await withStore(life, async (store) =>
    (await store.events(run)).flatMap(({ by }) => (by.type === "agent" ? [by.role] : [])),
  );
  expect([...new Set(roles)]).toEqual(["worker", "reviewer"]);
  const workspace = await withStore(life, async (store) => (await store.workspace(run))?.path ?? "");
  // Shown there a moment after it was accepted.
  await until(() =>
    readFileSync(join(workspace, "TASK.md"), "utf8").includes("Verdict: PASS\n\nOne line, and it is right."),
  );
});
