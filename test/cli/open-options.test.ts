/** Of a question, only what can be chosen now is offered; what is shut is refused with the reason. */
import { beforeEach, expect, test } from "vitest";
import { parsed, scene, type Scene } from "./acting-support.ts";

const FORK = `$schema: workflow-1.schema.json
name: fork
title: A question with answers that depend on the run
params:
  early: { bool: false }
states:
  plan: { waits: true }
  build: { waits: true }
  stuck: { ask: stuck }
  accepted: { final: done }
moves:
  - { from: start, to: plan, by: human }
  - { from: plan, to: build, by: human }
  - { from: [plan, build], to: stuck, by: human, remember: true }
asks:
  stuck:
    question: stuck
    options:
      retry: { to: origin }
      skip: { ways: [{ to: build, when: { origin: plan } }] }
      finish: { to: accepted, when: { early: true } }
      abort: { to: accepted }
`;

let on: Scene;
beforeEach(async () => {
  on = await scene({
    ".signalbox/workflows/fork/workflow.yaml": FORK,
    ".signalbox/workflows/fork/prompts/stuck.md": "What now?\n",
  });
});

async function stuckIn(state: string): Promise<string> {
  const id = (await on.say("run fork --detach --quiet --no-start")).stdout.trim();
  for (const to of state === "build" ? ["build", "stuck"] : ["stuck"]) await on.say(`move ${id} ${to}`);
  return id;
}

test.for<[from: string, open: readonly string[]]>([
  ["plan", ["retry", "skip", "abort"]],
  ["build", ["retry", "abort"]],
])("stuck in %s: show, inbox and answer offer %o", async ([from, open]) => {
  const id = await stuckIn(from);
  const shown = parsed(await on.say(`show ${id} --json`))["question"] as { options: { value: string }[] };
  expect(shown.options.map(({ value }) => value)).toEqual(open);
  const typed = open.map((value) => `signalbox answer ${id} ${value}`);
  const inbox = parsed(await on.say("inbox --json"))["items"] as { actions: { command: string }[] }[];
  expect(inbox[0]?.actions.map(({ command }) => command)).toEqual(typed);
  const { code, stdout } = await on.say(["answer", id, "perhaps", "--json"]);
  expect([code, JSON.parse(stdout)]).toMatchObject([
    5,
    {
      code: "not-an-option",
      message: `UD-1: "perhaps" is not one of ${open.join(", ")}`,
      next: typed.join(", or: "),
    },
  ]);
});

test.for<[answer: string, reason: string]>([
  ["skip", "this leads back only to a run that came from plan, and this one came from build"],
  ["finish", "this run has early false, and this needs true"],
])("answer %s, which is shut", async ([answer, reason]) => {
  const id = await stuckIn("build");
  const printed = await on.say(["answer", id, answer, "--json"]);
  expect([printed.code, parsed(printed)]).toMatchObject([
    5,
    {
      code: "gate-not-met",
      message: `UD-1: "${answer}" cannot be chosen now: ${reason}`,
      next: `signalbox answer ${id} retry, or: signalbox answer ${id} abort`,
    },
  ]);
  expect((await on.say(["answer", id, "retry"])).code).toBe(0);
});
