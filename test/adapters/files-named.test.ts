/** The files that a list of tasks names, as one content. */

import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Reading } from "../../src/core/model/event.ts";
import { artifact, benchAt, folder, tidy } from "./files-support.ts";

afterAll(tidy);

const LIST = artifact("tasks.md", { type: "tasks", style: "checkbox" });
const WORK = artifact("", { type: "files", select: "tasks", tasks: "list" }, { by: ["engine"] });

function bench() {
  const { artifacts, place, write, root, registry } = benchAt(folder(), {
    artifacts: { work: WORK, list: LIST },
  });
  const read = async (of: Partial<typeof place> = {}): Promise<Reading | undefined> => {
    const readings = await artifacts.read({ ...place, isWorkspace: true, ...of });
    return readings.find((reading) => reading.artifact === "work");
  };
  const name = (...files: readonly string[]): void =>
    write("tasks.md", files.map((file, at) => `- [ ] 1.${at + 1} Do\n  - File: \`${file}\`\n`).join(""));
  return { read, name, write, root, registry };
}

const show = (reading: Reading | undefined): string =>
  reading === undefined
    ? "nothing"
    : `${reading.found ? "found" : "not found"} ${reading.faults.map(({ at, reason }) => `${at.file}:${at.line}:${at.col} ${reason}`).join("; ")}`.trim();

test("another content, another file, or one that comes or goes, is another digest; anything else is not", async () => {
  const { read, name, write, root } = bench();
  name("a.ts", "src/b.ts");
  write("a.ts", "1");
  const digests: string[] = [];
  const steps: readonly (readonly [what: string, step: () => void])[] = [
    ["as it is", () => undefined],
    ["something else", () => write("c.ts", "3")],
    ["another content", () => write("a.ts", "2")],
    ["it is there now", () => write("src/b.ts", "")],
    ["it is gone again", () => rmSync(join(root, "src/b.ts"))],
    ["another one is named", () => name("a.ts", "src/b.ts", "d.ts")],
    ["in another order", () => name("d.ts", "src/b.ts", "a.ts", "a.ts")],
    ["the content of the other", () => [write("a.ts", ""), write("d.ts", "2")]],
  ];
  for (const [, step] of steps) {
    step();
    const reading = await read();
    expect(show(reading)).toBe("found");
    digests.push(reading?.digest ?? "");
  }
  const known = [...new Set(digests)];
  expect(steps.map(([what], at) => `${what}: ${known.indexOf(digests[at] ?? "")}`)).toEqual([
    "as it is: 0",
    "something else: 0",
    "another content: 1",
    "it is there now: 2",
    "it is gone again: 1",
    "another one is named: 3",
    "in another order: 3",
    "the content of the other: 4",
  ]);
});

test.for<[what: string, file: string, make: (root: string) => void, shown: string]>([
  [
    "a folder",
    "src",
    (root) => mkdirSync(join(root, "src")),
    "src:1:1 the file is a folder: name the files in it",
  ],
  [
    "a link",
    "link.ts",
    (root) => symlinkSync("/etc/hostname", join(root, "link.ts")),
    "link.ts:1:1 the file is a symbolic link, which is not followed: name the file that it leads to",
  ],
  [
    "a link to a folder outside",
    "etc/hostname",
    (root) => symlinkSync("/etc", join(root, "etc")),
    "etc/hostname:1:1 the file stands in a folder outside of the workspace",
  ],
  [
    "a pipe",
    "pipe",
    (root) => void execFileSync("mkfifo", [join(root, "pipe")]),
    "pipe:1:1 the file is no ordinary file",
  ],
  [
    "a huge file",
    "huge",
    (root) => {
      writeFileSync(join(root, "huge"), "");
      truncateSync(join(root, "huge"), 64 * 1024 * 1024 + 1);
    },
    "huge:1:1 the file is larger than 67108864 bytes",
  ],
])("%s is a fault", async ([, file, make, shown]) => {
  const { read, name, root } = bench();
  name(file);
  make(root);
  expect(show(await read())).toBe(`found ${shown}`);
});

test("bytes of any kind and a second name are no fault", async () => {
  const { read, name, write, root } = bench();
  name("a.bin", "b.bin");
  write("a.bin", new Uint8Array([0, 255, 0]));
  linkSync(join(root, "a.bin"), join(root, "b.bin"));
  expect(show(await read())).toBe("found");
});

test("a list that is not there, or cannot be worked off", async () => {
  const { read, name, write } = bench();
  expect(show(await read())).toMatch(/^not found tasks\.md:1:1 .*the file is missing$/);
  write("tasks.md", "nothing");
  expect(show(await read())).toMatch(/^found tasks\.md:1:1 .*the list has no task$/);
  name("a.ts");
  expect(show(await read())).toBe("found");
});

test("tasks know the how-manieth layer they are of", async () => {
  const { artifacts, place, write } = benchAt(folder(), { artifacts: { list: LIST } });
  write(
    "tasks.md",
    "## 2. Testing Layer\n\n- [ ] 2.1 Try\n\n## 1. Data Layer\n\n- [ ] 1.1 Keep\n- [ ] 1.2 Find\n",
  );
  const tasks = await artifacts.tasks(place, "list");
  expect(tasks.map(({ id, layer }) => `${id} ${layer}`)).toEqual(["1.1 0", "1.2 0", "2.1 1"]);
  write("tasks.md", "- [ ] 1.1 Keep\n");
  const [alone] = await artifacts.tasks(place, "list");
  expect(alone === undefined ? "nothing" : Object.hasOwn(alone, "layer")).toBe(false);
});

test("without a workspace nothing is said", async () => {
  const { read, name } = bench();
  name("a.ts");
  expect(show(await read({ isWorkspace: false }))).toBe("nothing");
});

test("the list is parsed once", async () => {
  const { read, name, write, registry } = bench();
  name("a.ts");
  await read();
  const parsed = registry.parsed.length;
  write("a.ts", "1");
  await read();
  expect(registry.parsed).toHaveLength(parsed);
});

test("files by their paths: how many there are, and what they hold", async () => {
  const paths = ["AGENTS.md", ".github/notes.md", "AGENTS.md"];
  const GUIDES = artifact("", { type: "files", select: "paths", paths }, { by: ["engine"] });
  const { artifacts, place, write, root } = benchAt(folder(), { artifacts: { guides: GUIDES } });
  const digests = new Set<string>();
  const read = async (isWorkspace = true): Promise<string> => {
    const [reading] = await artifacts.read({ ...place, isWorkspace });
    if (reading === undefined) return "nothing";
    digests.add(reading.digest);
    return `${String(reading.fields["found"])} ${show(reading)}`;
  };
  expect(await read(false)).toBe("nothing");
  expect(await read()).toBe("0 found");
  write("other.md", "x");
  expect(await read()).toBe("0 found");
  expect(digests.size).toBe(1);
  write("AGENTS.md", "1");
  expect(await read()).toBe("1 found");
  write("AGENTS.md", "2");
  expect(await read()).toBe("1 found");
  write(".github/notes.md", "");
  expect(await read()).toBe("2 found");
  expect(digests.size).toBe(4);
  rmSync(join(root, "AGENTS.md"));
  symlinkSync("/etc/hostname", join(root, "AGENTS.md"));
  expect(await read()).toMatch(/^1 found AGENTS\.md:1:1 the file is a link that leads out of the workspace$/);
  rmSync(join(root, "AGENTS.md"));
  symlinkSync("other.md", join(root, "AGENTS.md"));
  digests.clear();
  expect(await read()).toBe("2 found");
  write("other.md", "y");
  expect(await read()).toBe("2 found");
  expect(digests.size).toBe(2);
});
