import { expect, test } from "vitest";
import type { Reader } from "../../src/core/model/artifact.ts";
import { faults, read } from "./reading.ts";

const spec: Reader = { type: "document", headings: ["Goals", "Criteria"], lists: {} };
const areas: Reader = { type: "document", headings: [], lists: { areas: "Areas" } };

test.for<[string, Reader, string, string]>([
  ["content under each", spec, "# Goals\n\na\n\n### Criteria\n\n- b", "ok"],
  ["content under nested headings", spec, "## Goals\n\n### One\n\na\n\n## Criteria\n\n```\nb\n```", "ok"],
  ["a heading is missing", spec, "## Goals\n\na", '1:1 the heading "Criteria" is missing'],
  ["nothing under it", spec, "## Goals\n\n## Criteria\n\nb", '1:1 nothing follows the heading "Goals"'],
  [
    "a placeholder under it",
    spec,
    "## Goals\n\nTBD\n\n## Criteria\n\nb",
    '1:1 nothing follows the heading "Goals"',
  ],
  ["too deep", spec, "## Goals\n\na\n\n#### Criteria\n\nb", '1:1 the heading "Criteria" is missing'],
  ["in a fence", spec, "## Goals\n\na\n\n```\n## Criteria\nb\n```", '1:1 the heading "Criteria" is missing'],
  ["twice", spec, "## Goals\na\n## Goals\nb\n## Criteria\nc", '3:1 the heading "Goals" appears twice'],
  ["again at a lower rank", spec, "## Goals\na\n### Goals\nb\n## Criteria\nc", "ok"],
  [
    "no headings asked for, no content",
    { ...spec, headings: [] },
    "<!-- x -->",
    "1:1 the document has no content",
  ],
  ["an empty list", areas, "## Areas\n\nnone\n\n## Next\n\n- a", '1:1 the list under "Areas" is empty'],
  ["a list of placeholders", areas, "## Areas\n\nText.\n\n- TODO\n-", '1:1 the list under "Areas" is empty'],
  ["a list that repeats", areas, "## Areas\n\n- db\n- **db**", '1:1 "db" appears twice in the list'],
  ["a list without its heading", areas, "- db", '1:1 the heading "Areas" is missing'],
])("%s", ([, reader, text, shown]) => {
  expect(faults(read(reader, text))).toBe(shown);
});

test.for<[string, string, readonly string[]]>([
  ["bullets", "## Areas\n\n- db\n- api", ["db", "api"]],
  ["numbers", "## Areas\n\n1. db\n2. api", ["db", "api"]],
  ["marks", "## Areas\n\n- **db**: the `tables`\n- _api_", ["db: the tables", "api"]],
  ["further lines and nested items", "## Areas\n\n- db\n  more\n  - nested\n- api", ["db", "api"]],
  ["what stands below nested headings", "## Areas\n\n- db\n\n### Not\n\n- api", ["db"]],
  ["names with underscores", "## Areas\n\n- my_db_name", ["my_db_name"]],
  ["a long item", `## Areas\n\n- ${"x".repeat(300)}`, ["x".repeat(200)]],
])("a list of %s", ([, text, items]) => {
  expect(read(areas, text).lists["areas"]).toEqual(items);
});
