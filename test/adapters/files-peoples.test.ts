/** What a person wrote stays, in a file that agents rewrite as a whole. */

import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { task } from "../support/task.ts";
import { benchAt, folder, listOf, tidy, type Bench } from "./files-support.ts";

afterAll(tidy);

const CONTEXT = "## Context\n\nDates are off by one.\n\n";
const PLAN = "## Plan\n\nAPPROACH: count\n";

type Desk = Bench & {
  readonly into: string;
  look(seen?: Readonly<Record<string, string>>): Promise<readonly string[]>;
};

function desk(): Desk {
  const bench = benchAt(folder(), task.definition, { definition: "hash" });
  const into = join(folder(), "edited");
  return {
    ...bench,
    into,
    /** As the engine does: what was read is what the run has seen, and then the files are brought up to date. */
    async look(known) {
      const readings = await bench.artifacts.read(bench.place);
      const seen = Object.fromEntries(readings.map(({ artifact, digest }) => [artifact, digest]));
      const place = { ...bench.place, run: { ...bench.place.run, seen: known ?? seen } };
      return bench.artifacts.keep(place, { into });
    },
  };
}

test.for<[string, string, string]>([
  ["taken out", PLAN, `${PLAN}\n## Context\n\nDates are off by one.\n`],
  [
    "taken out with Windows lines",
    "## Plan\r\n\r\nAPPROACH: count\r\n",
    "## Plan\r\n\r\nAPPROACH: count\r\n\r\n## Context\r\n\r\nDates are off by one.\r\n",
  ],
  [
    "taken out behind a byte order mark",
    `\uFEFF${PLAN}`,
    `\uFEFF${PLAN}\n## Context\n\nDates are off by one.\n`,
  ],
  ["emptied file", "", "## Context\n\nDates are off by one.\n"],
])("%s: it is put back", async ([, agents, after]) => {
  const on = desk();
  on.write("TASK.md", CONTEXT + PLAN);
  expect(await on.look()).toEqual([]);
  on.write("TASK.md", agents);
  expect(await on.look()).toEqual([
    'TASK.md: somebody has taken out "## Context", which is a person\'s; it is back',
  ]);
  expect(on.text("TASK.md")).toBe(after);
  // The run has not read it again yet, and then it has.
  expect(await on.look({})).toEqual([]);
  expect(await on.look()).toEqual([]);
  expect(on.text("TASK.md")).toBe(after);
  expect(existsSync(on.into)).toBe(false);
});

test("taken out again and again, it is put back each time", async () => {
  const on = desk();
  on.write("TASK.md", CONTEXT + PLAN);
  await on.look();
  for (const again of [1, 2, 3]) {
    on.write("TASK.md", `${PLAN}Turn ${again}.\n`);
    expect((await on.look()).join()).toContain("it is back");
    expect(on.text("TASK.md")).toContain("Dates are off by one.");
  }
});

test("a file that is gone comes back with what a person wrote", async () => {
  const on = desk();
  on.write("TASK.md", CONTEXT + PLAN);
  await on.look();
  rmSync(join(on.root, "TASK.md"));
  await on.look();
  expect(on.text("TASK.md")).toBe("## Context\n\nDates are off by one.\n");
});

test("moved to another place, it is where somebody put it", async () => {
  const on = desk();
  on.write("TASK.md", CONTEXT + PLAN);
  await on.look();
  on.write("TASK.md", `${PLAN}\n${CONTEXT.trim()}\n`);
  expect((await on.look()).filter((line) => line.includes("taken out"))).toEqual([]);
  expect(on.text("TASK.md")).toBe(`${PLAN}\n${CONTEXT.trim()}\n`);
});

test("changed, it stays as it is now, and what it said before is kept and told", async () => {
  const on = desk();
  on.write("TASK.md", CONTEXT + PLAN);
  await on.look();
  on.write("TASK.md", `## Context\n\nDo nothing.\n\n${PLAN}`);
  const [told = ""] = await on.look();
  expect(told).toContain("was changed; what it said before is in");
  expect(listOf(on.into)).toEqual(["TASK.md.Context.md"]);
  expect(readFileSync(join(on.into, "TASK.md.Context.md"), "utf8")).toBe(CONTEXT);
  expect(on.text("TASK.md")).toContain("Do nothing.");
  expect(await on.look()).toEqual([]);
});

test("what we archive ourselves is not put back", async () => {
  const on = desk();
  on.write("TASK.md", `${PLAN}\n## Fix Instructions\n\nShorter.\n`);
  await on.look();
  await on.artifacts.archive(on.place, { artifacts: ["fix_instructions"], into: join(on.into, "a") });
  expect(await on.look()).toEqual([]);
  expect(on.text("TASK.md")).not.toContain("Shorter");
});

test("what agents may write is theirs to take out", async () => {
  const on = desk();
  on.write("TASK.md", CONTEXT + PLAN);
  await on.look();
  on.write("TASK.md", CONTEXT);
  expect(await on.look()).toEqual([]);
  expect(on.text("TASK.md")).toBe(CONTEXT);
});

test.for<[string, (path: string) => void]>([
  ["a folder", (path) => mkdirSync(path)],
  ["a link", (path) => symlinkSync("/etc/hostname", path)],
])("%s in its place is left alone, and the text comes back with the file", async ([, plant]) => {
  const on = desk();
  const path = join(on.root, "TASK.md");
  on.write("TASK.md", CONTEXT);
  await on.look();
  rmSync(path);
  plant(path);
  expect(await on.look()).toEqual([]);
  rmSync(path, { recursive: true });
  await on.look();
  expect(on.text("TASK.md")).toContain("Dates are off by one.");
});
