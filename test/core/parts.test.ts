/** A question in parts: what decides, what stays open, and what is left. */

import { expect, test } from "vitest";
import type { Event, Incoming, Reading } from "../../src/core/model/event.ts";
import { answeredParts, decisive } from "../../src/core/gates/question-parts.ts";
import { project } from "../../src/core/projection/project.ts";
import { questionsIn } from "../../src/core/projection/questions.ts";
import { replay } from "../../src/core/step/apply.ts";
import type { Run } from "../../src/core/model/run.ts";
import { shownBy } from "../../src/core/step/events/answer.ts";
import { viewOf } from "../../src/core/projection/run-data.ts";
import { auditor } from "../../src/engine/submit/audit.ts";
import { checkFixture, fixturesIn } from "../check/corpus.ts";
import { agent, AT, HUMAN, play, start, verdict, type Played } from "../support/play.ts";

const fixture = fixturesIn("good").find(({ name }) => name === "question-in-parts.yaml");
const workflow = fixture === undefined ? undefined : checkFixture(fixture).workflow;
if (workflow === undefined) throw new Error("the corpus lacks it");
const { definition } = workflow;

type Word = (run: Run) => Incoming;

const found = (word: "pass" | "needs_human", ...findings: readonly string[]): Reading =>
  verdict("audit", word, { lists: { findings }, digest: `sha256:${findings.join()}` });
const audits =
  (word: "pass" | "needs_human", ...findings: readonly string[]): Word =>
  (run) => ({ type: "submitted", by: agent(run, "auditor"), at: AT, readings: [found(word, ...findings)] });

/** What `a=fix-now b=accept:because` says. */
function answers(text: string, more: Partial<Extract<Incoming, { type: "answered" }>> = {}): Word {
  return (run) => {
    if (workflow === undefined) throw new Error("the corpus lacks it");
    const ask = run.question?.ask ?? "";
    const parts = text.split(" ").map((each) => {
      const [part = "", said = ""] = each.split("=");
      const [answer = "", why] = said.split(":");
      return { part, answer, ...(why === undefined ? {} : { text: why }) };
    });
    const declared = definition.asks[ask];
    const given = parts.map((each) => ({ ...each, text: "", by: "" }));
    const known = answeredParts(["a", "b"], run.question?.parts ?? [], given);
    const answer = declared === undefined ? "" : decisive(declared, known);
    const shown = shownBy(workflow, run, ask);
    return { type: "answered", by: HUMAN, at: AT, ask, answer, shown, parts, ...more };
  };
}
const all =
  (answer: string, text = ""): Word =>
  (run) => {
    if (workflow === undefined) throw new Error("the corpus lacks it");
    const ask = run.question?.ask ?? "";
    return { type: "answered", by: HUMAN, at: AT, ask, answer, text, shown: shownBy(workflow, run, ask) };
  };

function played(words: readonly Word[]): Played {
  if (workflow === undefined) throw new Error("the corpus lacks it");
  return play(workflow, [start(workflow), ...words]);
}

/** Each record in a line. */
function records({ run, events }: Played): readonly unknown[] {
  if (workflow === undefined) throw new Error("the corpus lacks it");
  const view = viewOf(workflow, run, {});
  const root = { ...view, run: { ...view.run, ...questionsIn(workflow, events, () => "") } };
  const [shown] = definition.projections.flatMap((each) => ("data" in each ? [each.data] : []));
  const data = project(shown ?? null, root);
  const { decisions } =
    typeof data === "object" && data !== null && "decisions" in data ? data : { decisions: [] };
  return (Array.isArray(decisions) ? decisions : []).map((each: object) =>
    Object.values(each).map(String).join(" "),
  );
}

const asked = audits("needs_human", "a", "b");
const noted = audits("pass", "a", "b");

test.for<[string, readonly Word[], string, readonly string[]]>([
  [
    "every part is open at first",
    [asked],
    "deciding",
    ["UD-1.1 a pending null null", "UD-1.2 b pending null null"],
  ],
  [
    "one answered, it waits for the other",
    [asked, answers("a=fix-later")],
    "deciding",
    ["UD-1.1 a answered fix-later null", "UD-1.2 b pending null null"],
  ],
  [
    "the first option that any has decides, whichever came first",
    [asked, answers("a=fix-now"), answers("b=accept:because")],
    "fixing",
    ["UD-1.1 a answered fix-now null", "UD-1.2 b answered accept null"],
  ],
  [
    "without that, the next",
    [asked, answers("a=accept:because b=fix-later")],
    "closed",
    ["UD-1.1 a answered accept null", "UD-1.2 b answered fix-later null"],
  ],
  [
    "the last word about a part counts",
    [asked, answers("a=fix-now"), answers("a=fix-later"), answers("b=fix-later")],
    "closed",
    ["UD-1.1 a answered fix-later null", "UD-1.2 b answered fix-later null"],
  ],
  [
    "one answer for all of them",
    [asked, answers("a=fix-now"), all("fix-later")],
    "closed",
    ["UD-1.1 a answered fix-later null", "UD-1.2 b answered fix-later null"],
  ],
  [
    "what is left is cancelled where the workflow says so",
    [noted, answers("b=leave")],
    "closed",
    ["UD-1.1 a cancelled null no response provided", "UD-1.2 b answered leave null"],
  ],
  [
    "with nothing in the list it is one whole",
    [audits("needs_human"), all("fix-now")],
    "fixing",
    ["UD-1 null answered fix-now null"],
  ],
  [
    "an answer that is none is counted, and what is answered stays",
    [asked, answers("a=fix-later"), answers("b=perhaps")],
    "deciding",
    ["UD-1.1 a answered fix-later null", "UD-1.2 b pending null null"],
  ],
  [
    "asked too often, what is open is cancelled",
    [asked, answers("a=fix-later"), answers("b=perhaps"), answers("b=accept")],
    "told",
    [
      "UD-1.1 a answered fix-later null",
      'UD-1.2 b cancelled null asked 2 times: b: "accept" needs a text',
      "UD-2.1 a pending null null",
      "UD-2.2 b pending null null",
    ],
  ],
])("%s", ([, words, state, expected]) => {
  if (workflow === undefined) throw new Error("the corpus lacks it");
  const after = played(words);
  expect(after.lines.filter((line) => line.startsWith("refused"))).toEqual([]);
  expect(after.run.state).toBe(state);
  expect(records(after)).toEqual(expected);
  expect(replay(workflow, after.events)).toEqual(after.run);
  expect(wrongs(after.events)).toEqual([]);
});

test.for<[string, readonly Word[], string]>([
  ["a part that is not there", [asked, answers("c=fix-now")], 'unknown part "c"'],
  ["a part twice", [asked, answers("a=fix-now a=fix-later")], "a part is answered twice"],
  ["parts of one whole", [audits("needs_human"), answers("a=fix-now")], "findings is not asked in parts"],
  [
    "what leads elsewhere by now",
    [asked, answers("a=fix-now"), answers("b=fix-later", { answer: "fix-later" })],
    "together with the answers given meanwhile the result is fix-now, not fix-later",
  ],
])("refused is %s", ([, words, message]) => {
  expect(played(words).lines.at(-1)).toContain(message);
});

function wrongs(events: readonly Event[]): string[] {
  if (workflow === undefined) throw new Error("the corpus lacks it");
  const audit = auditor(workflow);
  return events.flatMap((event) => {
    const by = "by" in event && typeof event.by === "object" ? event.by : HUMAN;
    return audit({ event, by }) ?? [];
  });
}

test("answers to parts that nobody gave are found", () => {
  const { events } = played([asked, answers("a=fix-later"), answers("b=fix-later")]);
  const forged = events.map((event): Event =>
    event.type === "question-closed"
      ? { ...event, parts: [{ part: "a", answer: "accept", text: "", by: "human" }] }
      : event,
  );
  expect(wrongs(forged)).toEqual(["the answer fix-later to UD-1, which nobody gave"]);
  const early = events.filter((event) => event.type !== "answered");
  expect(wrongs(early)[0]).toBe("answers to parts of UD-1, which nobody gave");
});
