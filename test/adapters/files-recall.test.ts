/** What an earlier attempt left: the newest of each in the archive, as a copy in the workspace, until it is written anew. */

import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Role } from "../../src/core/model/workflow.ts";
import { artifactPaths } from "../../src/engine/submit/place.ts";
import { artifact, benchAt, folder, listOf, section, tidy, whole, type Bench } from "./files-support.ts";

afterEach(tidy);

const worker: Role = {
  session: "fresh",
  access: "write",
  prompt: "do",
  again: "do",
  harness: "",
  model: "",
  minutes: 1,
  stallMinutes: 1,
  context: [],
  earlier: ["review", "notes", "log"],
};

const of = {
  artifacts: {
    review: section("Review"),
    notes: whole("a/notes.json"),
    log: artifact("log", { type: "check", command: "x" }),
    other: whole("other.md"),
  },
  roles: { worker },
};

type Act = readonly ["write", string, string] | readonly ["archive", number, ...string[]];

async function after(bench: Bench, from: string, acts: readonly Act[]): Promise<string[]> {
  for (const act of acts) {
    if (act[0] === "write") bench.write(act[1], act[2]);
    else {
      const [, attempt, ...artifacts] = act;
      await bench.artifacts.archive(bench.place, { artifacts, into: join(from, `attempt-${attempt}`) });
    }
  }
  const recall = { artifacts: ["review", "notes", "log"], from };
  const { files, told } = await bench.artifacts.recall(bench.place, recall);
  // A second time there is nothing to do.
  expect(await bench.artifacts.recall(bench.place, recall)).toEqual({ files, told: [] });
  return [...files.map((file) => `${file}: ${bench.text(file).trim()}`), ...told];
}

test.for<[string, readonly Act[], readonly string[]]>([
  ["nothing was archived", [["write", "log", "l"]], []],
  [
    "the newest of each, by number",
    [
      ["write", "log", "one"],
      ["write", "a/notes.json", "n"],
      ["archive", 9, "log", "notes"],
      ["write", "log", "two"],
      ["archive", 10, "log"],
    ],
    ["a/attempt-9/notes.json: n", "attempt-10/log: two"],
  ],
  [
    "archived twice in the same state",
    [
      ["write", "a/notes.json", "one"],
      ["archive", 3, "notes"],
      ["write", "a/notes.json", "two"],
      ["archive", 3, "notes"],
    ],
    ["a/attempt-3/notes.json: two"],
  ],
  [
    "a section is a file of its own",
    [
      ["write", "TASK.md", "## Plan\n\np\n\n## Review\n\nr\n"],
      ["archive", 2, "review"],
    ],
    ["attempt-2/TASK.md.Review.md: ## Review\n\nr"],
  ],
  [
    "what was written anew has no earlier one",
    [
      ["write", "TASK.md", "## Review\n\nr\n"],
      ["write", "log", "one"],
      ["archive", 2, "review", "log"],
      ["write", "TASK.md", "## Review\n\nnew\n"],
      ["write", "log", "new"],
    ],
    [],
  ],
  [
    "nobody asks for others",
    [
      ["write", "other.md", "o"],
      ["archive", 2, "other"],
    ],
    [],
  ],
])("%s", async ([, acts, found]) => {
  expect(await after(benchAt(folder(), of), folder(), acts)).toEqual(found);
});

test("a copy never leaves the workspace, and never takes the place of another file", async () => {
  const bench = benchAt(folder(), of);
  const [from, outside] = [folder(), folder()];
  symlinkSync(outside, join(bench.root, "attempt-2"));
  bench.write("a/attempt-2/notes.json", "somebody's");
  bench.write("log", "l");
  bench.write("a/notes.json", "n");
  await bench.artifacts.archive(bench.place, { artifacts: ["log", "notes"], into: join(from, "attempt-2") });
  const recall = { artifacts: ["log", "notes"], from };
  expect(await bench.artifacts.recall(bench.place, recall)).toEqual({
    files: ["a/attempt-2/notes.json"],
    told: ["attempt-2/log: stands in a folder outside of the workspace, so that nothing is put there"],
  });
  expect([listOf(outside), bench.text("a/attempt-2/notes.json")]).toEqual([[], "somebody's"]);
});

test("copies are no part of the work, and come along when the workspace is given back", async () => {
  const bench = benchAt(folder(), of);
  await after(bench, folder(), [
    ["write", "a/notes.json", "n"],
    ["archive", 4, "notes"],
  ]);
  expect(artifactPaths(bench.place.workflow, bench.place.run)).toContain("a/attempt-{n}/notes.json");
  const to = folder();
  await bench.artifacts.carry(bench.place, to);
  expect([bench.list(), listOf(to)]).toEqual([[], ["a/attempt-4/notes.json"]]);
  expect(readFileSync(join(to, "a/attempt-4/notes.json"), "utf8")).toBe("n");
});
