/** What is bound to the work is known for the moment when somebody last looked at it, and is said to be. */
import { expect, test } from "vitest";
import { fromText } from "../support/workflows.ts";
import { machine, type Machine } from "./reading-support.ts";

const WORKFLOW = fromText(`$schema: ../schema/workflow-1.schema.json
name: patch
title: A patch is made and looked at
artifacts:
  review: { in: review.md, file: true, by: worker, bind: tree }
  story: { in: story.md, file: true, by: worker }
roles:
  worker: { prompt: worker, session: fresh }
states:
  making: { enter: [start worker] }
  sent: { final: done }
  dropped: { final: cancelled }
moves:
  - { from: start, to: making, by: human }
  - { from: making, to: sent, by: human, need: review, do: [stop worker] }
  - { from: making, to: dropped, by: human, do: [stop all] }
ends:
  - { role: worker, in: making, try: sent, else: { do: [mark worker] } }
`);

const WORKER = { type: "agent", role: "worker", slot: "", attempt: 1 } as const;
const SAID = "for the work as of 09:00:00; if the work changes, it is judged again";

async function withReview(): Promise<Machine> {
  const on = await machine(WORKFLOW);
  await on.begin("abcd1111");
  const reading = (artifact: string) =>
    ({ artifact, slot: "", found: true, digest: artifact, faults: [], fields: {}, lists: {} }) as const;
  await on.happen("abcd1111", {
    type: "submitted",
    by: WORKER,
    at: "2026-01-01T09:00:00Z",
    tree: "t1",
    readings: [reading("review"), reading("story")],
  });
  // Nobody looks at the work for this.
  const { role, slot, attempt } = WORKER;
  await on.happen("abcd1111", { type: "agent-started", at: "2026-01-01T10:00:00Z", role, slot, attempt });
  await on.store.commit([
    {
      type: "put-workspace",
      workspace: {
        run: "abcd1111",
        repo: "/repo",
        path: "/no/such/workspace",
        branch: "b",
        base: "c",
        status: "bound",
        salvage: "",
        kept: "",
      },
    },
  ]);
  return on;
}

test("show, next and why name the moment, and only where it matters", async () => {
  const on = await withReview();
  const shown = await on.say("show abcd1111");
  expect(shown).toMatch(new RegExp(`review +valid +${SAID}`));
  expect(shown).toMatch(/story +valid *\n/);
  expect(await on.say("next abcd1111 --all")).toMatch(new RegExp(`move abcd1111 sent +.*, ${SAID}\n`));
  const why = await on.say("why abcd1111");
  expect(why.split(SAID)).toHaveLength(2);
  expect(why.indexOf(SAID)).toBeLessThan(why.indexOf("a person asks for sent"));
  expect(await on.data("why abcd1111")).toMatchObject({
    moves: [
      { to: "sent", asOf: "2026-01-01T09:00:00Z" },
      { to: "dropped", asOf: "" },
    ],
  });
});

test("a look moves it on, and a change ends it", async () => {
  const on = await withReview();
  await on.happen("abcd1111", { type: "observed", at: "2026-01-01T11:00:00Z", tree: "t2" });
  expect(await on.say("show abcd1111")).toMatch(/review +stale +the work changed/);
  expect(await on.say("why abcd1111")).not.toContain("as of");
});

test("without a workspace there is no work that could change", async () => {
  const on = await withReview();
  const row = await on.store.workspace("abcd1111");
  if (row !== undefined)
    await on.store.commit([{ type: "put-workspace", workspace: { ...row, status: "released" } }]);
  expect(await on.say("show abcd1111")).not.toContain("as of");
});
