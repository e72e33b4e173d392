/** What the journal says of a run: checksums, how each artifact came out, and every review, round by round. */

import { describe, expect, test } from "vitest";
import type { Incoming, Reading } from "../../src/core/model/event.ts";
import { recordOf, showsRecord } from "../../src/core/projection/journal-record.ts";
import type { Run } from "../../src/core/model/run.ts";
import { readArtifact } from "../../src/format/reading/read.ts";
import { checkFixture, fixturesIn } from "../check/corpus.ts";
import { loadWorkflow } from "../support/workflows.ts";
import { agent, AT, play, start, type Played } from "../support/play.ts";

const fixture = fixturesIn("good").find(({ name }) => name === "reviews-that-are-shown.yaml");
const workflow = fixture === undefined ? undefined : checkFixture(fixture).workflow;
if (workflow === undefined) throw new Error("the corpus lacks it");
const { artifacts } = workflow.definition;

const AFTER = (minute: number): string => AT.replace(":00:00Z", `:0${minute}:00Z`);

function read(name: "proposal" | "challenge", text: string): Reading {
  const artifact = artifacts[name];
  if (artifact === undefined) throw new Error(`there is no ${name}`);
  return readArtifact(name, artifact, { file: name, bytes: Buffer.from(text), slot: "" });
}

const proposes =
  (text: string, at: string): ((run: Run) => Incoming) =>
  (run) => ({
    type: "submitted",
    by: agent(run, "planner"),
    at,
    readings: [read("proposal", `## Summary\n\n${text}\n`)],
  });

function says(review: object, at: string): (run: Run) => Incoming {
  const reading = read("challenge", JSON.stringify(review));
  return (run) => ({ type: "submitted", by: agent(run, "critic"), at, readings: [reading] });
}

const DOUBT = {
  verdict: "NEEDS_REVISION",
  summary: "Not yet",
  issues: [
    { severity: "LOW", title: "small" },
    { severity: "HIGH", title: "great", file_path: "a.md", line_number: 4, description: "why" },
  ],
};
const FINE = { verdict: "APPROVED", issues: [], test_results: { total: 1, passed: 1, failed: 0 } };

function story(): Played {
  if (workflow === undefined) throw new Error("the corpus lacks it");
  return play(workflow, [
    start(workflow, undefined, { params: { change: "add-login" } }),
    proposes("one", AFTER(1)),
    says(DOUBT, AFTER(2)),
    proposes("two", AFTER(3)),
    says(FINE, AFTER(4)),
  ]);
}

describe("of two rounds", () => {
  const { run, events } = story();
  const record = recordOf(workflow, events);

  test("the run does not carry the words along, and the journal has them once for each", () => {
    expect(run.state).toBe("challenged");
    expect(JSON.stringify(run)).not.toContain("Not yet");
    const told = events.filter(
      (event) => event.type === "artifact-read" && event.reading.review !== undefined,
    );
    expect(told).toHaveLength(2);
  });

  test("each is told with its round, its author and its words", () => {
    const rounds = record.reviews["challenge"] ?? [];
    expect(
      rounds.map(({ iteration, status, word, reviewer, at }) => [iteration, status, word, reviewer, at]),
    ).toEqual([
      [1, "needs_revision", "NEEDS_REVISION", "critic", AFTER(2)],
      [2, "approved", "APPROVED", "critic", AFTER(4)],
    ]);
    expect(rounds[0]?.issues.map(({ severity, title, file, line }) => [severity, title, file, line])).toEqual(
      [
        ["high", "great", "a.md", "4"],
        ["low", "small", "", ""],
      ],
    );
    expect(rounds[1]?.tests).toEqual({ total: 1, passed: 1, failed: 0, skipped: 0 });
    expect(record.run.reviews["challenge"]).toEqual(rounds[1]);
  });

  test("checksums are of what counts now", () => {
    expect(record.run.checksums).toEqual({
      "changes/add-login/proposal.md": {
        hash: read("proposal", "## Summary\n\ntwo\n").digest,
        validated_at: AFTER(3),
      },
      "changes/add-login/challenge.json": {
        hash: read("challenge", JSON.stringify(FINE)).digest,
        validated_at: AFTER(4),
      },
    });
  });

  test("every time that something was taken in is told", () => {
    const told = record.run.validations.map(({ step, artifact, timestamp, mode, result }) =>
      [step, artifact, timestamp, mode, ...Object.values(result)].join(" "),
    );
    expect(told).toEqual([
      `planning proposal ${AFTER(1)} normal true 0 0 0 `,
      `challenging challenge ${AFTER(2)} strict true 1 0 1 NEEDS_REVISION`,
      `planning proposal ${AFTER(3)} normal true 0 0 0 `,
      `challenging challenge ${AFTER(4)} strict true 0 0 0 APPROVED`,
    ]);
    expect(record.run.lastAction).toBe("challenging -> challenged, by engine");
    expect(record.run.lastVerdict).toEqual({ artifact: "challenge", verdict: "APPROVED", at: AFTER(4) });
  });
});

test("what somebody leaves that contradicts itself is an error, and no round", () => {
  const left = read("challenge", JSON.stringify({ ...FINE, issues: DOUBT.issues }));
  const { events } = play(workflow, [
    start(workflow),
    proposes("one", AFTER(1)),
    (run) => ({
      type: "agent-ended",
      at: AFTER(2),
      role: "critic",
      slot: "",
      attempt: run.attempts["critic"] ?? 0,
      cause: "exited",
      readings: [left],
    }),
  ]);
  const { run, reviews } = recordOf(workflow, events);
  expect(reviews).toEqual({});
  expect(run.lastVerdict).toBeNull();
  expect(run.checksums).not.toHaveProperty("changes//challenge.json");
  expect(run.validations.at(-1)).toMatchObject({
    step: "challenging",
    result: { valid: false, high: 1, verdict: "APPROVED" },
    errors: [expect.stringContaining("passes it, but issues that block are listed: 1 high")],
  });
});

test("the same words about another proposal are another round", () => {
  const { events } = play(workflow, [
    start(workflow),
    proposes("one", AFTER(1)),
    says(DOUBT, AFTER(2)),
    proposes("two", AFTER(3)),
    (run) => {
      const said = says(DOUBT, AFTER(4))(run);
      // As the engine hands in what the journal has already.
      const { review: _, ...bare } = read("challenge", JSON.stringify(DOUBT));
      return { ...said, readings: [bare], given: ["challenge"] } as Incoming;
    },
  ]);
  const rounds = recordOf(workflow, events).reviews["challenge"] ?? [];
  expect(rounds.map(({ iteration, summary }) => [iteration, summary])).toEqual([
    [1, "Not yet"],
    [2, "Not yet"],
  ]);
});

test("nothing is read again for files that show nothing of it", () => {
  expect(showsRecord(workflow.definition)).toBe(true);
  expect(["task", "staged", "one-task"].map((name) => showsRecord(loadWorkflow(name).definition))).toEqual([
    false,
    false,
    false,
  ]);
});
