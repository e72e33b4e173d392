/** What people do with a change, what happens when agents do not do their part, and when documents change underneath. */

import { describe, expect, test } from "vitest";
import type { Literal } from "../../src/core/model/value.ts";
import { live } from "../support/change-lives.ts";

/** Who does what, what people do, the way from there on; where it ends is its last state. */
type Row = readonly [
  agents: Record<string, string>,
  people: string,
  expected: string,
  params?: Record<string, Literal>,
];

/** From the first time in the first state; then what people answered for, and the phase. */
function lived([agents, people, expected, params = {}]: Row): string {
  const { way, waived, phase } = live({ agents, params, people: people === "" ? [] : people.split(", ") });
  const from = way.indexOf(expected.split(" ")[0] ?? "");
  const told = `${way.slice(from).join(" ")}; ${phase}`;
  return waived.length === 0 ? told : `${told}; waived ${waived.join(" ")}`;
}

const NONE = { planning_iterations: 0, implementation_iterations: 0, archive_iterations: 0 };
const [LIMIT, MINOR] = [{ challenger: "NEEDS_REVISION h" }, { challenger: "NEEDS_REVISION m" }];
const REJECTED = { challenger: "REJECTED h" };

describe("planning", () => {
  test.for<Row>([
    [LIMIT, "", "planning-limit; proposed", NONE],
    [LIMIT, "continue", "planning-limit reproposal challenge challenged; challenged", NONE],
    [
      { challenger: "NEEDS_REVISION h*" },
      "continue, continue",
      "planning-limit reproposal challenge planning-limit reproposal challenge planning-limit; proposed",
      NONE,
    ],
    // What a person has revised does not count, and then it has all its iterations again.
    [
      { challenger: "NEEDS_REVISION h*" },
      "continue",
      "planning-limit reproposal challenge reproposal challenge reproposal challenge planning-limit; proposed",
      { planning_iterations: 2 },
    ],
    [LIMIT, "waive", "planning-limit challenged; challenged; waived challenge", NONE],
    [
      LIMIT,
      "waive, to implement",
      "planning-limit challenged implement testing review complete; complete; waived challenge",
      NONE,
    ],
    // It was answered for as it was.
    [
      LIMIT,
      "waive, edit tasks.md, to implement",
      "planning-limit challenged edited refused to implement; proposed; waived challenge",
      NONE,
    ],
    [LIMIT, "reject", "planning-limit rejected; rejected", NONE],
    [MINOR, "", "challenged; challenged", NONE],
    [MINOR, "to implement", "challenged implement testing review complete; complete", NONE],
    [MINOR, "to reproposal", "challenged reproposal challenge challenged; challenged", NONE],
    // What was approved is not revised again.
    [{}, "to reproposal", "challenged refused to reproposal; challenged"],
  ])("%o, then %s: %s", (row) => {
    expect(lived(row)).toBe(row[2]);
  });
});

describe("reopened", () => {
  test.for<Row>([
    [REJECTED, "to challenge", "rejected refused to challenge; rejected"],
    [REJECTED, "edit proposal.md, to challenge", "rejected challenge challenged; challenged"],
    [REJECTED, "edit specs/a.md, to challenge", "rejected challenge challenged; challenged"],
    [REJECTED, "edit specs/b.md, to challenge", "rejected challenge challenged; challenged"],
    [REJECTED, "edit tasks.md, to challenge", "rejected challenge challenged; challenged"],
    [REJECTED, "edit notes.md, to challenge", "rejected refused to challenge; rejected"],
    // Its own judgement is no document of the change.
    [REJECTED, "edit challenge.json, to challenge", "rejected refused to challenge; rejected"],
    [
      { challenger: "REJECTED h, REJECTED h" },
      "edit tasks.md, to challenge, to challenge",
      "rejected challenge rejected refused to challenge; rejected",
    ],
    [REJECTED, "to implement", "rejected refused to implement; rejected"],
    [
      LIMIT,
      "reject, to challenge, edit tasks.md, to challenge",
      "rejected refused to challenge challenge challenged; challenged",
      NONE,
    ],
    [REJECTED, "to dropped", "rejected dropped; dropped"],
  ])("%o, then %s: %s", (row) => {
    expect(lived(row)).toBe(row[2]);
  });
});

describe("edited after it was judged", () => {
  const challenged = ["proposal.md", "specs/a.md", "specs/b.md", "tasks.md"];

  test.for(challenged)("%s, when it was challenged: it is to be challenged again", (file) => {
    const { way, phase } = live({ people: [`edit ${file}`, "to implement"] });
    expect([way.slice(-2), phase]).toEqual([["edited", "refused to implement"], "proposed"]);
    const again = live({ people: [`edit ${file}`, "to challenge", "to implement"] });
    expect(again.way.slice(-5)).toEqual(
      ["challenge", "challenged", "implement", "testing", "review", "complete"].slice(1),
    );
  });

  test.for([...challenged, "work"])(
    "%s, when it was complete: it is to be tested and reviewed again",
    (what) => {
      const { way, phase } = live({ people: ["to implement", `edit ${what}`, "to merging"] });
      expect([way.slice(-2), phase]).toEqual([["changed", "refused to merging"], "implementing"]);
      const again = live({ people: ["to implement", `edit ${what}`, "to testing", "to merging"] });
      expect(again.way.slice(-8)).toEqual(
        [
          "complete",
          "changed",
          "testing",
          "review",
          "complete",
          "merging",
          "merge-review",
          "archiving",
          "archived",
        ].slice(1),
      );
    },
  );

  test.for(["notes.md", "challenge.json", "review.json", "STATE.yaml"])("%s: nothing follows", (file) => {
    const { way, phase } = live({ people: [`edit ${file}`, "to implement", `edit ${file}`] });
    expect([way.at(-1), phase]).toEqual(["complete", "complete"]);
  });
});

describe("a document is rewritten by somebody who is not to write it", () => {
  const documents: readonly (readonly [file: string, artifact: string])[] = [
    ["proposal.md", "proposal"],
    ["specs/b.md", "specs"],
    ["tasks.md", "todo"],
  ];
  const rows = documents.flatMap(([file, artifact]): Row[] => {
    const [challenger, reviewer] = [{ challenger: `ok %${file}` }, { reviewer: `ok %${file}` }];
    const fixer = { reviewer: "NEEDS_CHANGES h", fixer: `ok %${file}` };
    return [
      // Who has written it does not approve of it at the next attempt.
      [challenger, "", "challenge ?challenger; proposed"],
      [{ challenger: `silent %${file}` }, "", "challenge ?challenger; proposed"],
      [challenger, "start challenger", "challenge ?challenger refused start challenger; proposed"],
      [
        challenger,
        `take ${artifact}, start challenger`,
        "challenge ?challenger !challenger challenged; challenged",
      ],
      // What was said of it as it was given counts for it as it is again.
      [challenger, `put back ${file}`, "challenge ?challenger challenged; challenged"],
      [
        { challenger: `silent %${file}` },
        `put back ${file}, start challenger`,
        "challenge ?challenger !challenger challenged; challenged",
      ],
      [fixer, "to implement", "fix testing review ?reviewer; implementing"],
      [
        fixer,
        `to implement, take ${artifact}, start reviewer`,
        "fix testing review ?reviewer !reviewer complete; complete",
      ],
      [
        fixer,
        `to implement, put back ${file}, start reviewer`,
        "fix testing review ?reviewer !reviewer complete; complete",
      ],
      [reviewer, "to implement", "review ?reviewer; implementing"],
      [
        { "merge-reviewer": `ok %specs/b.md` },
        "to implement, to merging, take specs, start merge-reviewer",
        "merge-review ?merge-reviewer !merge-reviewer changed; implementing",
      ],
    ];
  });

  test.for<Row>(rows)("%o, then %s: %s", (row) => {
    expect(lived(row)).toBe(row[2]);
  });
});

const MAJOR = { reviewer: "MAJOR_ISSUES h" };
const UNDONE = { tasks: "some" };

describe("halted", () => {
  test.for<Row>([
    [MAJOR, "to implement", "halted; implementing"],
    [MAJOR, "to implement, resume", "halted fix testing review complete; complete"],
    [MAJOR, "to implement, edited", "halted testing review complete; complete"],
    [MAJOR, "to implement, waive", "halted complete; complete; waived review tests"],
    [
      MAJOR,
      "to implement, waive, edit work, to merging",
      "halted complete changed refused to merging; implementing; waived review tests",
    ],
    [
      MAJOR,
      "to implement, waive, edit proposal.md, to merging",
      "halted complete changed refused to merging; implementing; waived review tests",
    ],
    [MAJOR, "to implement, skip", "halted refused skip; implementing"],
    [MAJOR, "to implement, drop", "halted dropped; dropped"],
    [
      { reviewer: "NEEDS_CHANGES h*" },
      "to implement",
      "fix testing review fix testing review halted; implementing",
    ],
    [
      { reviewer: "NEEDS_CHANGES h, MAJOR_ISSUES h" },
      "to implement, resume",
      "fix testing review halted fix testing review complete; complete",
    ],
    [{ tests: "red*" }, "to implement, waive", "halted complete; complete; waived review tests", NONE],
    [{ tests: "red" }, "to implement, resume", "halted fix testing review complete; complete", NONE],
    [UNDONE, "to implement", "implement halted; implementing"],
    [UNDONE, "to implement, resume", "implement halted implement testing review complete; complete"],
    [UNDONE, "to implement, edited", "implement halted testing review complete; complete"],
    [UNDONE, "to implement, skip", "implement halted testing review complete; complete; waived done"],
    [UNDONE, "to implement, waive", "implement halted refused waive; implementing"],
    [{ tasks: "none" }, "to implement, drop", "implement halted dropped; dropped"],
    [{ reviewer: "silent*" }, "to implement", "review !reviewer halted; implementing"],
    [
      { reviewer: "silent, silent, ok" },
      "to implement, edited",
      "review !reviewer halted testing review complete; complete",
    ],
    // Nobody mends what no review has found.
    [
      { reviewer: "silent, silent, ok" },
      "to implement, resume",
      "review !reviewer halted review complete; complete",
    ],
    [
      { reviewer: "NEEDS_CHANGES h, die, die, ok" },
      "to implement, resume",
      "fix testing review !reviewer halted review complete; complete",
    ],
    [
      { reviewer: "NEEDS_CHANGES h", fixer: "die, OK" },
      "to implement",
      "fix !fixer testing review complete; complete",
    ],
    [{ reviewer: "NEEDS_CHANGES h", fixer: "die*" }, "to implement", "fix !fixer halted; implementing"],
    [
      { reviewer: "NEEDS_CHANGES h", fixer: "die, die" },
      "to implement, resume",
      "halted fix testing review complete; complete",
    ],
    [
      { reviewer: "NEEDS_CHANGES h", fixer: "die*" },
      "to implement, waive",
      "halted complete; complete; waived review tests",
    ],
  ])("%o, then %s: %s", (row) => {
    expect(lived(row)).toBe(row[2]);
  });
});

describe("somebody does not do its part", () => {
  test.for<Row>([
    [{ planner: "die" }, "", "proposal !planner basing drafting tasking challenge challenged; challenged"],
    [{ planner: "silent*" }, "", "proposal !planner planning-stuck; proposed"],
    [
      { planner: "silent, silent" },
      "retry",
      "planning-stuck proposal basing drafting tasking challenge challenged; challenged",
    ],
    [{ planner: "silent*" }, "drop", "planning-stuck dropped; dropped"],
    [
      { planner: "no front matter" },
      "",
      "proposal !planner basing drafting tasking challenge challenged; challenged",
    ],
    [{ "spec-writer.a": "silent*" }, "", "drafting planning-stuck; proposed"],
    [{ "spec-writer.b": "garbage*" }, "", "drafting planning-stuck; proposed"],
    [
      { "spec-writer.a": "silent, silent, ok" },
      "retry",
      "planning-stuck drafting tasking challenge challenged; challenged",
    ],
    [{ "task-writer": "nothing to do, ok" }, "", "tasking !task-writer challenge challenged; challenged"],
    [{ "task-writer": "hang*" }, "", "tasking !task-writer planning-stuck; proposed"],
    [
      { challenger: "silent*" },
      "retry",
      "challenge !challenger planning-stuck challenge !challenger planning-stuck; proposed",
    ],
    [LIMIT, "", "challenge reproposal challenge challenged; challenged"],
    [{ ...LIMIT, reviser: "silent, ok" }, "", "challenge reproposal challenge challenged; challenged"],
    [{ ...LIMIT, reviser: "die, ok" }, "", "reproposal !reviser challenge challenged; challenged"],
    [{ ...LIMIT, reviser: "die*" }, "", "reproposal !reviser planning-stuck; proposed"],
    [{ "archiver.a": "silent*" }, "to implement, to merging", "merging !archiver archive-blocked; complete"],
    [
      { "archiver.a": "silent, silent, ok" },
      "to implement, to merging, merge-again",
      "merging !archiver archive-blocked rebasing merging merge-review archiving archived; archived",
    ],
  ])("%o, then %s: %s", (row) => {
    expect(lived(row)).toBe(row[2]);
  });
});

describe("archived", () => {
  test.for<Row>([
    [{}, "to implement, to merging", "merging merge-review archiving archived; archived"],
    [{ archive: "refused" }, "to implement, to merging", "archiving archive-blocked; complete"],
    [
      { archive: "refused" },
      "to implement, to merging, merge-again",
      "archiving archive-blocked rebasing merging merge-review archiving archived; archived",
    ],
    [
      { archive: "refused" },
      "to implement, to merging, later, to merging",
      "archiving archive-blocked complete merging merge-review archiving archived; archived",
    ],
    [
      { "merge-reviewer": "NEEDS_FIX h, NEEDS_FIX h" },
      "to implement, to merging",
      "merging merge-review merging merge-review archive-blocked; complete",
    ],
    [
      { "merge-reviewer": "REJECTED h" },
      "to implement, to merging, merge-again",
      "archive-blocked rebasing merging merge-review archiving archived; archived",
    ],
    // Merged anew, a spec may come out as it did before.
    [
      { archive: "refused", "archiver.a": "same*" },
      "to implement, to merging, merge-again",
      "archive-blocked rebasing merging merge-review archiving archived; archived",
    ],
    [
      { archive: "refused", "archiver.a": "same*" },
      "to implement, to merging, later, to merging",
      "archive-blocked complete merging merge-review archiving archived; archived",
    ],
    [
      { "merge-reviewer": "NEEDS_FIX h", "archiver.a": "same*" },
      "to implement, to merging",
      "merging merge-review merging merge-review archiving archived; archived",
    ],
    [{}, "to merging", "challenged refused to merging; challenged"],
  ])("%o, then %s: %s", (row) => {
    expect(lived(row)).toBe(row[2]);
  });
});

test("specs are written one after the other, each behind those that it depends on", () => {
  const { called } = live({});
  expect(called).toEqual(["planner", "spec-writer/a", "spec-writer/b", "task-writer", "challenger"]);
});
