/** A fan-out whose members are worked off one after the other. */

import { describe, expect, test } from "vitest";
import type { Incoming, Reading } from "../../src/core/model/event.ts";
import type { Run } from "../../src/core/model/run.ts";
import { graphOf } from "../../src/format/picture/graph.ts";
import { checkFixture, fixturesIn } from "../check/corpus.ts";
import { agent, AT, reading, start, trace } from "../support/play.ts";

const found = fixturesIn("good").find(({ name }) => name === "fan-out-in-order.yaml");
const workflow = (found === undefined ? undefined : checkFixture(found).workflow) ?? fail();

type Event = Incoming | ((run: Run) => Incoming);

function submit(role: string, what: Reading): Event {
  return (run) => ({ type: "submitted", by: agent(run, role, what.slot), at: AT, readings: [what] });
}

function ended(
  slot: string,
  readings: readonly Reading[] = [],
  cause: "exited" | "infrastructure" = "exited",
): Event {
  return (run) => {
    const { attempt = 0 } = run.agents[`writer/${slot}`] ?? {};
    return { type: "agent-ended", at: AT, role: "writer", slot, attempt, cause, readings };
  };
}

const outline = (...parts: string[]): Event =>
  submit("lead", reading("outline", { lists: { parts }, digest: parts.join() }));
const part = (slot: string): Reading => reading("part", { slot });

describe("members one after the other", () => {
  test("handed in: the agent is stopped, and the next one is started", () => {
    const events = [
      start(workflow),
      outline("b", "a", "c"),
      ...["b", "a", "c"].map((slot) => submit("writer", part(slot))),
    ];
    expect(trace(workflow, events)).toMatchInlineSnapshot(`
      "outlining, start-agent lead #1 (lead)
      writing, stop-agent lead #1, start-agent writer/b #1 (writer)
      writing, stop-agent writer/b #1, start-agent writer/a #2 (writer)
      writing, stop-agent writer/a #2, start-agent writer/c #3 (writer)
      joining, stop-agent writer/c #3, start-agent lead #2 (join)"
    `);
  });

  test("names that look like numbers keep the order of the list", () => {
    const events = [
      start(workflow),
      outline("10", "9", "2"),
      submit("writer", part("10")),
      ended("9", [part("9")]),
    ];
    expect(trace(workflow, events)).toMatchInlineSnapshot(`
      "outlining, start-agent lead #1 (lead)
      writing, stop-agent lead #1, start-agent writer/10 #1 (writer)
      writing, stop-agent writer/10 #1, start-agent writer/9 #2 (writer)
      writing, start-agent writer/2 #3 (writer)"
    `);
  });

  test("found at the end of an agent", () => {
    const events = [start(workflow), outline("a", "b"), ended("a", [part("a")]), ended("b", [part("b")])];
    expect(trace(workflow, events)).toMatchInlineSnapshot(`
      "outlining, start-agent lead #1 (lead)
      writing, stop-agent lead #1, start-agent writer/a #1 (writer)
      writing, start-agent writer/b #2 (writer)
      joining, start-agent lead #2 (join)"
    `);
  });

  test("one that ends without work is tried again, and nobody else is started", () => {
    const events = [
      start(workflow),
      outline("a", "b"),
      ended("a"),
      ended("a", [], "infrastructure"),
      submit("writer", part("a")),
    ];
    expect(trace(workflow, events)).toMatchInlineSnapshot(`
      "outlining, start-agent lead #1 (lead)
      writing, stop-agent lead #1, start-agent writer/a #1 (writer)
      writing, tries 1, start-agent writer/a #2 (writer)
      writing, tries 1, start-agent writer/a #3 (writer)
      writing, tries 1, stop-agent writer/a #3, start-agent writer/b #4 (writer)"
    `);
  });

  test("a move that leads away starts nobody; coming back goes on with what is open", () => {
    const back: Event = { type: "move-asked", by: { type: "human" }, at: AT, to: "writing" };
    const events = [
      start(workflow),
      outline("a", "b"),
      submit("writer", part("a")),
      ended("b"),
      ended("b"),
      back,
      ended("b", [part("b")]),
    ];
    expect(trace(workflow, events)).toMatchInlineSnapshot(`
      "outlining, start-agent lead #1 (lead)
      writing, stop-agent lead #1, start-agent writer/a #1 (writer)
      writing, stop-agent writer/a #1, start-agent writer/b #2 (writer)
      writing, tries 1, start-agent writer/b #3 (writer)
      stopped
      writing, start-agent writer/b #4 (writer)
      joining, start-agent lead #2 (join)"
    `);
  });

  test("where a new scope begins, so do all of them", () => {
    const anew: Event = { type: "move-asked", by: { type: "human" }, at: AT, to: "outlining" };
    const begun = [start(workflow), outline("a", "b"), submit("writer", part("a")), ended("b"), ended("b")];
    expect(trace(workflow, [...begun, anew, outline("b", "a")])).toMatchInlineSnapshot(`
      "outlining, start-agent lead #1 (lead)
      writing, stop-agent lead #1, start-agent writer/a #1 (writer)
      writing, stop-agent writer/a #1, start-agent writer/b #2 (writer)
      writing, tries 1, start-agent writer/b #3 (writer)
      stopped
      outlining, start-agent lead #2 (lead)
      writing, stop-agent lead #2, start-agent writer/b #4 (writer)"
    `);
  });

  test("somebody who was stopped and ends later changes nothing", () => {
    const late: Event = {
      type: "agent-ended",
      at: AT,
      role: "writer",
      slot: "a",
      attempt: 1,
      cause: "killed",
    };
    const events = [
      start(workflow),
      outline("a", "b"),
      submit("writer", part("a")),
      late,
      submit("writer", part("b")),
    ];
    expect(trace(workflow, events)).toMatchInlineSnapshot(`
      "outlining, start-agent lead #1 (lead)
      writing, stop-agent lead #1, start-agent writer/a #1 (writer)
      writing, stop-agent writer/a #1, start-agent writer/b #2 (writer)
      writing
      joining, stop-agent writer/b #2, start-agent lead #2 (join)"
    `);
  });
});

test("where the rest goes on without one that failed, the next one is started", () => {
  const fixture = fixturesIn("good").find(({ name }) => name === "documents-with-front-matter.yaml");
  const other = (fixture === undefined ? undefined : checkFixture(fixture).workflow) ?? fail();
  const proposal = reading("proposal", { lists: { parts: ["a", "b"] }, fields: { size: "small" } });
  const events = [
    start(other),
    submit("author", proposal),
    ended("a"),
    ended("a"),
    submit("writer", part("b")),
  ];
  expect(trace(other, events)).toMatchInlineSnapshot(`
    "proposing, start-agent author #1 (author)
    writing, stop-agent author #1, start-agent writer/a #1 (writer)
    writing, tries 1, start-agent writer/a #2 (writer)
    writing, tries 2, start-agent writer/b #3 (writer)
    stopped, stop-agent writer/b #3"
  `);
});

test("the picture says so", () => {
  const { moves } = graphOf(workflow, new Map(), { expanded: true });
  expect(moves.find(({ from, to }) => from === "writing" && to === "joining")?.labels).toEqual([
    "engine [part in order all]",
  ]);
});

function fail(): never {
  throw new Error("the corpus lacks a file");
}
