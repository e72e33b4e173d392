import { expect, test } from "vitest";
import type { Reader } from "../../src/core/model/artifact.ts";
import { faults, read } from "./reading.ts";

const front = (head: string, body = "## Why\n\nBecause.\n"): string => `---\n${head}\n---\n\n${body}`;

const plain: Reader = { type: "document", headings: ["Why"], lists: {}, front: {} };

const proposal: Reader = {
  ...plain,
  front: {
    shape: {
      type: "object",
      required: { id: { type: "text" } },
      optional: {
        affected_specs: {
          type: "list",
          of: {
            type: "object",
            required: { id: { type: "text" } },
            optional: { depends: { type: "list", of: { type: "text" } } },
            open: true,
          },
        },
        ready: { type: "boolean" },
      },
      open: true,
    },
  },
  lists: { specs: { from: "affected_specs", id: "id", depends: "depends" } },
};

const specs = (...items: readonly string[]): string =>
  front(`id: x\naffected_specs:\n${items.map((item) => `  - ${item}`).join("\n")}`);

test.for<[string, Reader, string, string]>([
  ["any front matter", plain, front("id: x\nn: 1"), "ok"],
  ["none, where none is asked for", plain, "## Why\n\nBecause.", "ok"],
  ["with nothing in it", plain, "---\n---\n\n## Why\n\nBecause.", "ok"],
  ["with a comment in it", plain, front("# later"), "ok"],
  ["of another system", plain, front("id: x").replaceAll("\n", "\r\n"), "ok"],
  ["behind a byte order mark", proposal, `\uFEFF${front("id: x")}`, "ok"],
  [
    "none, where keys are asked for",
    proposal,
    "## Why\n\nBecause.\n\n---\n\nid: x\n\n---\n",
    '1:1 front matter is missing at the very start; it must have "id"',
  ],
  [
    "an empty line before it",
    proposal,
    `\n${front("id: x")}`,
    '1:1 front matter is missing at the very start; it must have "id"',
  ],
  [
    "never closed",
    plain,
    "---\nid: x\n\n## Why\n\nBecause.",
    "1:1 the front matter that begins here has no closing --- line",
  ],
  ["broken YAML", plain, front("id: x\nid: y"), '3:1 The key "id" appears twice.'],
  [
    "no map",
    plain,
    front("just a line"),
    "2:1 The top level must be a map (key: value), not a single value.",
  ],
  ["a rule in the body", plain, front("id: x", "---\n\n## Why\n\nBecause.\n\n---\n"), "ok"],
  ["a key is missing", proposal, front("version: 1"), '2:1 "id" is missing'],
  ["a key of another kind", proposal, front("id: x\nready: later"), '3:8 "ready" must be a boolean'],
  [
    "faults of both",
    proposal,
    front("version: 1", "## Why\n\nTBD"),
    '2:1 "id" is missing; 5:1 nothing follows the heading "Why"',
  ],
])("front matter: %s", ([, reader, text, shown]) => {
  expect(faults(read(reader, text))).toBe(shown);
});

test("texts, numbers, booleans and sizes of lists are fields", () => {
  const text = front("id: x\nready: true\nversion: 2\nimpact: { scope: minor }\naffected_specs: [{ id: a }]");
  expect(read(proposal, text).fields).toEqual({ id: "x", ready: true, version: 2, affected_specs: 1 });
});

test.for<[string, string, readonly string[]]>([
  ["as they stand", specs("{ id: b }", "{ id: a }"), ["b", "a"]],
  [
    "behind what they depend on",
    specs("{ id: c, depends: [a] }", "{ id: b }", "{ id: a, depends: [b] }", "{ id: d, depends: [] }"),
    ["b", "a", "c", "d"],
  ],
  ["none where the shape lets it be absent", front("id: x"), []],
])("a list in front matter: %s", ([, text, members]) => {
  expect([faults(read(proposal, text)), read(proposal, text).lists["specs"]]).toEqual(["ok", members]);
});

test.for<[string, string, string]>([
  ["a double id", specs("{ id: a }", "{ id: a }"), '5:5 "a" appears twice in "affected_specs"'],
  [
    "an unknown dependency",
    specs("{ id: a, depends: [z] }"),
    '4:5 "a" depends on "z", which is not in "affected_specs"',
  ],
  ["itself", specs("{ id: a, depends: [a] }"), "4:5 they depend on each other: a -> a"],
  [
    "a circle",
    specs("{ id: a, depends: [c] }", "{ id: b, depends: [a] }", "{ id: c, depends: [b] }"),
    "4:5 they depend on each other: a -> c -> b -> a",
  ],
  [
    "a path",
    specs("{ id: ../a }"),
    '4:11 "../a" is not a valid name: use at most 64 characters of a-z, 0-9 and -, and begin with a letter or digit',
  ],
  [
    "capitals",
    specs("{ id: Login }"),
    '4:11 "Login" is not a valid name: use at most 64 characters of a-z, 0-9 and -, and begin with a letter or digit',
  ],
  [
    "an option",
    specs("{ id: -rf }"),
    '4:11 "-rf" is not a valid name: use at most 64 characters of a-z, 0-9 and -, and begin with a letter or digit',
  ],
  ["no id", specs("{ path: a.md }"), '4:5 "affected_specs[0].id" is missing'],
  ["no list", front("id: x\naffected_specs: a"), '3:17 "affected_specs" must be a list'],
  ["no list of texts", specs("{ id: a, depends: b }"), '4:23 "affected_specs[0].depends" must be a list'],
])("a list in front matter, refused: %s", ([, text, shown]) => {
  expect(faults(read(proposal, text))).toBe(shown);
});

test("a list of maps in a data file is ordered as well", () => {
  const reader: Reader = {
    type: "yaml",
    lists: { parts: { from: "all.parts", id: "name", depends: "after" } },
  };
  const text = "all:\n  parts:\n    - { name: b, after: a }\n    - a\n";
  expect([faults(read(reader, text)), read(reader, text).lists]).toEqual(["ok", { parts: ["a", "b"] }]);
});

const tasks: Reader = {
  type: "tasks",
  style: "checkbox",
  front: {
    shape: {
      type: "object",
      required: {},
      optional: { change_id: { type: "text", values: ["add-login"] } },
      open: true,
    },
  },
};

test.for<[string, string, string]>([
  ["none", "- [ ] 1.1 Do\n", "ok"],
  ["without the key", front("version: 1", "- [ ] 1.1 Do"), "ok"],
  ["as it must be", front("change_id: add-login", "- [ ] 1.1 Do"), "ok"],
  [
    "as it must not be",
    front("change_id: add-logout", "- [ ] 1.1 Do"),
    '2:12 "change_id" is "add-logout"; it must be "add-login"',
  ],
])("front matter of tasks: %s", ([, text, shown]) => {
  expect(faults(read(tasks, text))).toBe(shown);
});

const long: Reader = { type: "document", headings: ["Why"], lists: {}, under: { Why: 20 } };
const numbered: Reader = {
  type: "document",
  headings: ["Requirements"],
  lists: {},
  under: { Requirements: "numbered" },
};
const scenarios: Reader = {
  type: "document",
  headings: ["Criteria"],
  lists: {},
  under: { Criteria: "scenarios" },
};

test.for<[string, Reader, string, string]>([
  ["enough", long, "## Why\n\nNobody can log in\nat all.", "ok"],
  ["enough in several blocks", long, "## Why\n\nNobody can\n\n### More\n\n- log in today", "ok"],
  [
    "too little",
    long,
    "## Why\n\nNobody   can",
    '1:1 the section "Why" has 10 characters, and needs at least 20',
  ],
  [
    "too little but for a placeholder",
    long,
    "## Why\n\nNobody can\n\n[a very long text that somebody fills in]",
    '1:1 the section "Why" has 10 characters, and needs at least 20',
  ],
  ["nothing at all", long, "## Why\n\nTBD", '1:1 nothing follows the heading "Why"'],
  [
    "numbers in headings",
    numbered,
    "## Requirements\n\n### R1: Log in\n\nIt.\n\n### WF-R2: Log out\n\n- R1 holds\n- R1",
    "ok",
  ],
  [
    "numbers in items",
    numbered,
    "## Requirements\n\n- **R1**: log in (HIGH)\n- R2. log out\n  - R1 holds",
    "ok",
  ],
  [
    "a number twice",
    numbered,
    "## Requirements\n\n### R1: Log in\n\nIt.\n\n### R1: Log out\n\nIt.",
    '7:1 the requirement "R1" appears twice (first on line 3)',
  ],
  [
    "an item twice",
    numbered,
    "## Requirements\n\n- R1: a\n- `R1`: b",
    '4:3 the requirement "R1" appears twice (first on line 3)',
  ],
  [
    "no numbers",
    numbered,
    "## Requirements\n\nLog in.",
    '1:1 the section "Requirements" has no requirement with a number (a heading or an item that begins with R1)',
  ],
  [
    "scenarios in headings",
    scenarios,
    "## Criteria\n\n### Scenario: Log in\n\n- **WHEN** I log in\n- **THEN** I am in\n\n### Scenario 2: Log out\nGiven me\nWhen I log out\nThen I am out\n",
    "ok",
  ],
  [
    "scenarios in items",
    scenarios,
    "## Criteria\n\n- **Scenario: Log in**\n  - WHEN I log in\n  - THEN I am in",
    "ok",
  ],
  [
    "no scenario",
    scenarios,
    "## Criteria\n\n- WHEN I log in\n- THEN I am in",
    '1:1 the section "Criteria" has no scenario (a heading or an item `Scenario: ...`)',
  ],
  [
    "no THEN",
    scenarios,
    "## Criteria\n\n### Scenario: Log in\n\n- WHEN I log in\n- THEN\n\n### Scenario: b\n\n- WHEN a\n- THEN b",
    '3:1 the scenario "Log in" has no line that begins with THEN',
  ],
  [
    "below another heading",
    scenarios,
    "## Criteria\n\nText.\n\n## Scenario: Log in\n\n- WHEN a\n- THEN b",
    '1:1 the section "Criteria" has no scenario (a heading or an item `Scenario: ...`)',
  ],
])("under a heading: %s", ([, reader, text, shown]) => {
  expect(faults(read(reader, text))).toBe(shown);
});

test.for<[string, string, string]>([
  ["around all of it", front("id: x", "<proposal>\n## Why\n\nBecause.\n</proposal>\n"), "ok"],
  [
    "what follows it is no part",
    front("id: x", "<proposal>\n\n## Why\n\nBecause.\n</proposal>\n\n## Why\n\nTwice.\n"),
    "ok",
  ],
  ["never closed", front("id: x", "<proposal>\n## Why\n\nBecause.\n"), "ok"],
  [
    "a script",
    front("id: x", "<script>\n## Why\n\nBecause.\n</script>\n"),
    '1:1 the heading "Why" is missing',
  ],
  [
    "places stay what they are",
    front("id: x", "<proposal>\n## Why\n\nTBD\n</proposal>\n"),
    '6:1 nothing follows the heading "Why"',
  ],
])("a tag: %s", ([, text, shown]) => {
  expect(faults(read(plain, text))).toBe(shown);
});
