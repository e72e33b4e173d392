/** `signalbox review create`: a review in fields becomes the artifact, or is refused before anything is written. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import { removeHomes } from "../support/home.ts";
import { document, taskScene, type Tasks } from "./task-support.ts";

let on: Tasks;
beforeAll(async () => {
  on = await taskScene();
});
afterAll(removeHomes);

function pageOf(id: string): string {
  const file = join(runFolders(on.home, id).files, "TASK.md");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** A file beside the caller. */
function given(text: string): string {
  writeFileSync(join(on.repo, "given.json"), text);
  return "given.json";
}

test("the verdict decides where the run goes, and the page says why", async () => {
  const id = await on.taskIn("agent-review");
  const file = given(
    JSON.stringify({ verdict: "FAIL", summary: "Off.", issues: [{ severity: "HIGH", title: "Off by one" }] }),
  );
  const { code, stdout } = await (await on.as(id, "reviewer"))(["review", "create", file]);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `review counts; ${id} goes from agent-review to working\n`,
  });
  expect(pageOf(id)).toContain("## Review\n\nVerdict: FAIL\n\nOff.\n\n- **HIGH** Off by one\n");
});

test("after a send-back, the review is said to be of earlier work", async () => {
  const id = await on.taskIn("agent-review");
  const reviews = async (): Promise<unknown> => document(await on.say(["show", id, "--json"]))["findings"];
  await (
    await on.as(id, "reviewer")
  )(["review", "create", given('{"verdict": "PASS"}')]);
  expect(await reviews()).toMatchObject([{ verdict: "pass", earlier: false }]);
  await on.say(["send-back", id, "Leap years are missing"]);
  expect(await reviews()).toMatchObject([{ verdict: "pass", earlier: true }]);
  expect((await on.say(["show", id])).stdout).toMatch(/^review {2,}earlier work: passed by reviewer/m);
});

test("it may be in a file, named with its run, and counts once under one key", async () => {
  const id = await on.taskIn("agent-review");
  writeFileSync(join(on.repo, "review.json"), '{"verdict": "PASS"}');
  const say = await on.as(id, "reviewer");
  const line = ["review", "create", id, "review.json", "--artifact", "review", "--key", "k", "--json"];
  const first = document(await say(line));
  expect(first).toMatchObject({ ok: true, from: "agent-review", to: "reviewing" });
  expect(document(await say(line))).toEqual(first);
});

test.for<[what: string, role: string, text: string, more: readonly string[], says: string]>([
  ["no JSON", "reviewer", "PASS", [], "5 given.json is no JSON"],
  ["no verdict", "reviewer", "{}", [], '5 this is no review that counts: "verdict" is missing'],
  ["an unknown key", "reviewer", '{"verdict":"PASS","x":1}', [], 'counts: the key "x" is unknown'],
  [
    "what does not agree",
    "reviewer",
    '{"verdict":"PASS","tests":{"total":1,"passed":0,"failed":1}}',
    [],
    '5 this is no review that counts: "PASS" passes it, but 1 test failed',
  ],
  ["another role", "worker", '{"verdict":"PASS"}', [], "4 submitting review is for reviewer, not for worker"],
  ["no review", "reviewer", "{}", ["--artifact", "plan"], "4 submitting plan is for worker or a person"],
  [
    "no artifact",
    "reviewer",
    "{}",
    ["--artifact", "reviw"],
    'there is no artifact "reviw"; did you mean "review"?',
  ],
])("refused, with nothing written: %s", async ([, role, text, more, says]) => {
  const id = await on.taskIn("agent-review");
  const before = pageOf(id);
  const say = await on.as(id, role);
  const { code, stderr } = await say(["review", "create", id, given(text), ...more]);
  expect(`${code} ${stderr.replace("signalbox: ", "")}`).toContain(says);
  expect([pageOf(id), await on.stateOf(id)]).toEqual([before, "agent-review"]);
});

test("a person does not review in an agent's place", async () => {
  const id = await on.taskIn("agent-review");
  const { code, stderr } = await on.say(["review", "create", id, given('{"verdict":"PASS"}')]);
  expect(`${code} ${stderr}`).toContain("4 signalbox: submitting review is for reviewer, not for a person");
});
