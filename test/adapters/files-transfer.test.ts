/** Artifacts on their way into the checkout of a judge, and their texts, collected there and shown elsewhere. */

import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { fromText } from "../support/workflows.ts";
import { benchAt, folder, listOf, section, tidy, whole, type Bench } from "./files-support.ts";

afterAll(tidy);

const ARTIFACTS = {
  plan: section("Plan"),
  review: { ...section("Review"), by: ["judge"] },
  answer: { ...whole("out/answer.md"), by: ["judge"] },
};
const PATHS = ["TASK.md", "out/answer.md", "looks/{slot}.md", "attempt-{n}/old.md", "none.md"];
const ALL = { paths: PATHS, others: [], keep: ["review", "answer"] };

function bench() {
  const [root, to] = [folder(), folder()];
  return { ...benchAt(root, { artifacts: ARTIFACTS }), to, judge: benchAt(to, { artifacts: ARTIFACTS }) };
}

test("what the paths stand for is copied, and nothing else", async () => {
  const { write, artifacts, place, to } = bench();
  write("TASK.md", "## Plan\n\nx\n");
  for (const name of ["looks/a.md", "looks/b c.md", "looks/a.txt", "looks/deep/c.md", "attempt-2/old.md"])
    write(name, name);
  write("looks/.signalbox-new-1-a.md", "half");
  expect(await artifacts.copy(place, { ...ALL, to })).toEqual([]);
  expect(listOf(to)).toEqual(["TASK.md", "attempt-2/old.md", "looks/a.md", "looks/b c.md"]);
  // Where its own artifact belongs there is a folder.
  writeFileSync(join(to, "out/answer.md"), "mine\n");
});

test.for<[string, (root: string, other: string) => void, string]>([
  ["a link", (root, other) => symlinkSync(join(other, "x"), join(root, "TASK.md")), "is no ordinary file"],
  ["a pipe", (root) => void execFileSync("mkfifo", [join(root, "TASK.md")]), "is no ordinary file"],
  [
    "a folder that leads out",
    (root, other) => symlinkSync(other, join(root, "out")),
    "stands in a folder outside of the workspace",
  ],
])("%s in the place is not followed, and that is said", async ([, make, why]) => {
  const { root, artifacts, place, to } = bench();
  const other = folder();
  writeFileSync(join(other, "x"), "secret\n");
  writeFileSync(join(other, "answer.md"), "secret\n");
  make(root, other);
  const told = await artifacts.copy(place, { ...ALL, to });
  expect(told).toEqual([expect.stringContaining(`${why}, so that it is not copied`)]);
  expect(listOf(to)).toEqual([]);
});

test("a link in the checkout is never written through", async () => {
  const { write, artifacts, place, to } = bench();
  const other = folder();
  writeFileSync(join(other, "theirs"), "theirs\n");
  symlinkSync(join(other, "theirs"), join(to, "TASK.md"));
  symlinkSync(other, join(to, "looks"));
  write("TASK.md", "## Plan\n\nx\n");
  write("looks/a.md", "look\n");
  expect(await artifacts.copy(place, { ...ALL, to })).toHaveLength(2);
  expect(listOf(other)).toEqual(["theirs"]);
  expect(readFileSync(join(other, "theirs"), "utf8")).toBe("theirs\n");
});

test("before a later turn all is new but what its agent writes itself", async () => {
  const { write, artifacts, place, to } = bench();
  write("TASK.md", "## Plan\n\nold\n");
  await artifacts.copy(place, { ...ALL, to });
  writeFileSync(join(to, "TASK.md"), "## Review\nmine\n\n## Plan\n\nchanged by the judge\n");
  writeFileSync(join(to, "out/answer.md"), "mine\n");
  write("TASK.md", "## Plan\n\nnew\n\n## Review\n\nforged\n");
  write("out/answer.md", "forged\n");
  expect(await artifacts.copy(place, { ...ALL, to })).toEqual([]);
  expect(readFileSync(join(to, "TASK.md"), "utf8")).toBe("## Plan\n\nnew\n\n## Review\nmine\n");
  expect(readFileSync(join(to, "out/answer.md"), "utf8")).toBe("mine\n");
});

test("other files are copied only where there is none", async () => {
  const { write, artifacts, place, to } = bench();
  write("AGENTS.md", "ignored by git\n");
  write("README.md", "as it is now\n");
  writeFileSync(join(to, "README.md"), "as it was given\n");
  await artifacts.copy(place, { ...ALL, to, others: ["AGENTS.md", "README.md"] });
  expect(readFileSync(join(to, "AGENTS.md"), "utf8")).toBe("ignored by git\n");
  expect(readFileSync(join(to, "README.md"), "utf8")).toBe("as it was given\n");
});

/** Collects a text where the judge works, and shows it in the place of the run. */
async function bring(from: Bench, to: Bench, artifact: string): Promise<string | undefined> {
  const collected = await from.artifacts.collect(from.place);
  const reading = collected.readings.find((each) => each.artifact === artifact);
  const text = reading === undefined ? undefined : await collected.textOf(reading);
  if (text !== undefined) await to.show(artifact, text);
  return text;
}

const digestOf = async ({ artifacts, place }: ReturnType<typeof benchAt>, name: string): Promise<string> =>
  (await artifacts.read(place)).find(({ artifact }) => artifact === name)?.digest ?? "";

test.for<[string, string, string]>([
  ["review", "TASK.md", "# Page\n\n##  Review ##\nVerdict: PASS\n\n\n- no empty line above\n"],
  ["review", "TASK.md", "## Review\r\n\r\nVerdict: PASS\r\n"],
  ["review", "TASK.md", "## Review\n\n"],
  ["answer", "out/answer.md", "\uFEFFa text\r\n"],
])("%s in %s comes over with its digest: %o", async ([name, file, text]) => {
  const on = bench();
  on.write("TASK.md", "---\nstatus: review\n---\n## Plan\n\nx\n\n## Review\n\nold\n\n## Handoff\n\ny\n");
  on.judge.write(file, text);
  expect(await bring(on.judge, on, name)).not.toBeUndefined();
  expect(await digestOf(on, name)).toBe(await digestOf(on.judge, name));
  const page = on.text("TASK.md");
  for (const part of ["---\nstatus: review\n---\n", "## Plan\n\nx\n", "## Handoff\n\ny\n"])
    expect(page).toContain(part);
});

test.for<[string, (on: ReturnType<typeof bench>) => void]>([
  ["twice on its page", ({ judge }) => judge.write("TASK.md", "## Review\n\na\n\n## Review\n\nb\n")],
  ["on a page that is not text", ({ judge }) => judge.write("TASK.md", Buffer.from([0xff, 0xfe, 0x00]))],
  [
    "on a page that is too large",
    ({ judge }) => {
      judge.write("TASK.md", "## Review\n\na\n");
      truncateSync(join(judge.root, "TASK.md"), 3 * 1024 ** 3);
    },
  ],
  [
    "behind a link",
    ({ judge }) => {
      judge.write("other.md", "## Review\n\na\n");
      symlinkSync("other.md", join(judge.root, "TASK.md"));
    },
  ],
  ["in a folder", ({ judge }) => mkdirSync(join(judge.root, "TASK.md"))],
])("a section that stands %s is not shown elsewhere", async ([, make]) => {
  const on = bench();
  on.write("TASK.md", "## Plan\n\nx\n");
  make(on);
  await bring(on.judge, on, "review").catch(() => undefined);
  expect(on.text("TASK.md")).toBe("## Plan\n\nx\n");
});

const TEAM = fromText(
  `$schema: workflow-1.schema.json
name: team
title: One list, and a text for each of its members
artifacts:
  list: { in: list.json, by: human, json: { object: { all: { list: text } } }, lists: { all: all } }
  specs: { in: "specs/{slot}.md", file: true, every: list.all, by: [judge, human] }
roles: { judge: { access: read } }
states: { open: { waits: true }, closed: { final: done } }
moves:
  - { from: start, to: open, by: human, reserve: workspace, do: [start judge] }
  - { from: open, to: closed, by: human, need: [list, specs] }
ends: [{ role: judge, in: open, else: { do: [mark judge] } }]
`,
  { judge: "Judge.\n" },
);

test("files that are read as one come over together", async () => {
  const of = { artifacts: TEAM.definition.artifacts };
  const [there, here] = [benchAt(folder(), of), benchAt(folder(), of)];
  for (const { write } of [there, here]) write("list.json", '{"all":["a","b"]}');
  for (const name of ["a", "b", "c"]) there.write(`specs/${name}.md`, `${name}\n`);
  await bring(there, here, "specs");
  expect(here.list()).toEqual(["list.json", "specs/a.md", "specs/b.md"]);
  expect(await digestOf(here, "specs")).toBe(await digestOf(there, "specs"));
});
