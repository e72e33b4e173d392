/** A run that nobody can move on, as commands show it while no supervisor is there. */

import { beforeAll, describe, expect, test } from "vitest";
import { deadlocksIn } from "../../src/app/view/status/trouble.ts";
import { AT, machine, PERSON, type Machine } from "./reading-support.ts";
import { fromText } from "../support/workflows.ts";

const GATED = fromText(`$schema: ../schema/workflow-1.schema.json
name: gated
title: A check and a note decide
artifacts:
  note: { in: NOTE.md, file: true, by: [worker, human] }
  tests: { check: sh test.sh, fresh: entry }
roles:
  worker: {}
states:
  writing: { enter: [start worker] }
  testing: { enter: [run tests] }
  filing: {}
  done: { final: done }
  dropped: { final: cancelled }
moves:
  - { from: start, to: writing, by: human }
  - { from: start, to: testing, by: human }
  - { from: start, to: filing, by: human }
  - { from: writing, to: testing, by: [worker, human], do: [stop worker] }
  - { from: testing, to: filing, by: engine, need: [note, tests] }
  - { from: testing, to: writing, by: human }
  - { from: filing, to: done, by: human }
  - { from: [writing, testing, filing], to: dropped, by: human, do: [stop all] }
ends:
  - { role: worker, in: writing, try: testing, else: { do: [mark worker] } }
`);

const REASON =
  "nothing is running in testing, so it cannot go on by itself; closed: filing (note is missing: NOTE.md does not exist yet; tests is missing: tests does not exist yet)";

/** Nothing is recorded to be done: what the moves ordered has been done, and led nowhere. */
async function begun(to: string): Promise<Machine> {
  const on = await machine(GATED);
  await on.begin("abcd1234", { goal: "File it" });
  if (to !== "writing")
    await on.happen("abcd1234", { type: "move-asked", by: PERSON, at: AT, to: "testing" });
  if (to === "filing") {
    await on.happen("abcd1234", { type: "waived", by: PERSON, at: AT, artifact: "note", reason: "none" });
    await on.happen("abcd1234", { type: "waived", by: PERSON, at: AT, artifact: "tests", reason: "none" });
  }
  return on;
}

/** Without what depends on the moment. */
async function said(on: Machine, line: string): Promise<string> {
  return (await on.say(line)).replaceAll(/\b\d+ (?:s|min|h|days)\b/g, "AGE");
}

describe("in testing", () => {
  let on: Machine;
  beforeAll(async () => {
    on = await begun("testing");
  });

  test("list", async () => {
    expect(await said(on, "list")).toMatchInlineSnapshot(`
      "0
      SUMMARY  STATE    WAITS FOR     AGE       WORKFLOW  RUN
      File it  testing  you: trouble  AGE  gated     abcd
        next: signalbox inbox
      "
    `);
  });

  test("inbox", async () => {
    expect(await said(on, "inbox --verbose")).toMatchInlineSnapshot(`
      "0
      1 run waits for you.

      Stuck (1)
        File it  testing, AGE  abcd1234
          Needs attention: nothing is running in testing, so it cannot go on by itself; closed: filing (note is missing: NOTE.md does not exist yet; tests is missing: tests does not exist yet).
          signalbox move abcd1234 writing                back to writing
          signalbox submit abcd1234 note                 submit NOTE.md yourself
          signalbox waive abcd1234 note --reason "..."   pass the gate without note
          signalbox waive abcd1234 tests --reason "..."  pass the gate without tests
          signalbox cancel abcd1234                      cancel
      "
    `);
  });

  test("show", async () => {
    const text = await said(on, "show abcd");
    expect(text.slice(0, text.indexOf("Artifacts"))).toMatchInlineSnapshot(`
      "0
      File it  (gated abcd1234)
      state  testing, for AGE
      now    Needs attention: nothing is running in testing, so it cannot go on by itself; closed: filing (note is missing: NOTE.md does not exist yet; tests is missing: tests does not exist yet).

      You can type
        signalbox move abcd1234 writing                back to writing
        signalbox submit abcd1234 note                 submit NOTE.md yourself
        signalbox waive abcd1234 note --reason "..."   pass the gate without note
        signalbox waive abcd1234 tests --reason "..."  pass the gate without tests
        signalbox cancel abcd1234                      cancel

      "
    `);
  });

  test("why", async () => {
    expect(await said(on, "why abcd")).toMatchInlineSnapshot(`
      "0
      abcd1234 is in testing: Needs attention: nothing is running in testing, so it cannot go on by itself; closed: filing (note is missing: NOTE.md does not exist yet; tests is missing: tests does not exist yet).
        closed  filing automatically
                note is missing: NOTE.md does not exist yet
                tests is missing: tests does not exist yet
                to open it: worker or a person must write note, or a person waives it; then engine must write tests, or a person waives it
        open    writing by you
                to do: a person asks for writing
        open    dropped by you
                to do: a person asks for dropped
        nothing is running in testing, so it cannot go on by itself; closed: filing (note is missing: NOTE.md does not exist yet; tests is missing: tests does not exist yet)
      You can type:
        signalbox move abcd1234 writing                back to writing
        signalbox submit abcd1234 note                 submit NOTE.md yourself
        signalbox waive abcd1234 note --reason "..."   pass the gate without note
        signalbox waive abcd1234 tests --reason "..."  pass the gate without tests
        signalbox cancel abcd1234                      cancel
        next: signalbox move abcd1234 writing
      "
    `);
  });

  test("next", async () => {
    expect(await said(on, "next abcd")).toMatchInlineSnapshot(`
      "0
      signalbox move abcd1234 writing
      Needs attention: nothing is running in testing, so it cannot go on by itself; closed: filing (note is missing: NOTE.md does not exist yet; tests is missing: tests does not exist yet).
      You can type:
        signalbox move abcd1234 writing                back to writing
        signalbox submit abcd1234 note                 submit NOTE.md yourself
        signalbox waive abcd1234 note --reason "..."   pass the gate without note
        signalbox waive abcd1234 tests --reason "..."  pass the gate without tests
        signalbox cancel abcd1234                      cancel
      "
    `);
  });

  test("resume says what to type", async () => {
    expect(await said(on, "resume abcd")).toMatchInlineSnapshot(`
      "3
      abcd1234 needs a person: nothing is running in testing, so it cannot go on by itself; closed: filing (note is missing: NOTE.md does not exist yet; tests is missing: tests does not exist yet)
        signalbox move abcd1234 writing                back to writing
        signalbox submit abcd1234 note                 submit NOTE.md yourself
        signalbox waive abcd1234 note --reason "..."   pass the gate without note
        signalbox waive abcd1234 tests --reason "..."  pass the gate without tests
        signalbox cancel abcd1234                      cancel
      "
    `);
  });

  test("programs find the same words everywhere", async () => {
    expect([...(await deadlocksIn(on.store))]).toEqual([["abcd1234", REASON]]);
    expect((await on.data("list"))["runs"]).toMatchObject([{ status: "running", attention: REASON }]);
    expect((await on.data("inbox"))["items"]).toMatchObject([
      { kind: "attention", reason: `Needs attention: ${REASON}.` },
    ]);
    expect(await on.data("show abcd")).toMatchObject({ status: "running", attention: REASON });
    expect((await on.data("why abcd"))["notes"]).toEqual([REASON]);
    expect(await on.data("resume abcd")).toMatchObject({ ok: false, code: "needs-attention" });
  });
});

test("what went wrong is told first", async () => {
  const on = await begun("testing");
  await on.store.commit([
    { type: "attend", run: "abcd1234", attention: "no space; try again: signalbox resume abcd1234" },
  ]);
  expect((await on.data("inbox"))["items"]).toMatchObject([
    {
      reason: "Needs attention: no space; try again: signalbox resume abcd1234",
      actions: [
        { command: "signalbox retry abcd1234", sentence: "try it again" },
        { command: "signalbox cancel abcd1234" },
      ],
    },
  ]);
});

test("what a person does clears it", async () => {
  const on = await begun("testing");
  await on.call("waive abcd note --reason none");
  expect((await on.data("inbox"))["items"]).toMatchObject([
    { kind: "attention", reason: expect.not.stringContaining("NOTE.md") as string },
  ]);
  await on.happen("abcd1234", { type: "waived", by: PERSON, at: AT, artifact: "tests", reason: "none" });
  expect((await on.data("inbox"))["items"]).toMatchObject([{ kind: "waiting", state: "filing" }]);
});

test.for<[state: string, status: string, kinds: readonly string[]]>([
  ["writing", "running", []],
  ["filing", "waiting", ["waiting"]],
])("in %s it is %s", async ([state, status, kinds]) => {
  const on = await begun(state);
  expect((await on.data("list"))["runs"]).toMatchObject([{ state, status, attention: "" }]);
  expect(((await on.data("inbox"))["items"] as { kind: string }[]).map(({ kind }) => kind)).toEqual(kinds);
});
