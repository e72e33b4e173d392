import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import type { Reading } from "../../src/core/model/event.ts";
import type { Reader, ReviewShape, Shape } from "../../src/core/model/artifact.ts";
import { readArtifact } from "../../src/format/reading/read.ts";
import { artifact, benchAt, folder, section, tidy, whole } from "./files-support.ts";

afterAll(tidy);

const show = ({ artifact: name, slot, found, faults }: Reading) =>
  `${name}${slot === "" ? "" : `/${slot}`} ${found ? "found" : "not found"} ${faults.map(({ reason }) => reason).join("; ")}`.trim();

const OWN: Shape = {
  type: "object",
  required: {},
  optional: { id: { type: "text", is: { param: "change" } } },
  open: true,
};

const SECTIONS = { plan: section("Plan"), handoff: section("Handoff") };

describe("files that somebody names", () => {
  test("are there as ordinary files inside, each once", () => {
    const root = folder();
    const { artifacts, place, write } = benchAt(root, {});
    write("a.ts", "");
    write("src/b.ts", "");
    symlinkSync("a.ts", join(root, "link.ts"));
    symlinkSync("/etc", join(root, "etc"));
    const outside = [
      "../x",
      "/etc/hostname",
      "etc/hostname",
      "src/../a.ts",
      "",
      ".",
      "a\0b",
      "x".repeat(5000),
    ];
    const named = ["./src/b.ts", "a.ts", "src/b.ts", "none.ts", "none/a.ts", "src", "a.ts/x", "link.ts"];
    expect(artifacts.present(place, [...outside, ...named])).toEqual(["src/b.ts", "a.ts"]);
    expect(artifacts.present({ ...place, root: join(root, "gone") }, named)).toEqual([]);
  });
});

describe("artifacts are read", () => {
  test("each from its own place", async () => {
    const { artifacts, place, write } = benchAt(folder(), {
      artifacts: {
        ...SECTIONS,
        notes: whole("a/b/notes.md"),
        list: artifact("list.json", { type: "json", lists: {} }),
        green: artifact("check.log", { type: "check", command: "npm test" }),
        merged: artifact("", { type: "fact", fact: "merged" }),
      },
    });
    write("TASK.md", "# T\n\n## Plan\n\nDo it.\n");
    write("a/b/notes.md", "n\n");
    write("list.json", "{");
    const readings = await artifacts.read(place);
    expect(readings.map(show)).toEqual([
      "plan found",
      'handoff not found the section "## Handoff" is missing',
      "notes found",
      expect.stringMatching(/^list found .+/),
    ]);
  });

  test.for<[files: Readonly<Record<string, string | Uint8Array>>, link: string, counts: boolean]>([
    [{}, "", false],
    [{ "README.md": "It is so.\n" }, "", true],
    [{ "docs/README.md": "It is so.\n" }, "", true],
    [{ "README.md": " \u200B\uFEFF\n" }, "", false],
    [{ "README.md": "", "docs/README.md": "It is so.\n" }, "", true],
    [{ "README.md": Buffer.from([0xff, 0xfe, 0x41]) }, "", true],
    [{ "other.md": "It is so.\n" }, "other.md", true],
    [{ "other.md": "" }, "other.md", false],
    [{}, "/etc/hostname", false],
  ])(
    "what tells of a page counts where that says something: %o, a link to %j: %s",
    async ([files, link, counts]) => {
      const review: ReviewShape = { verdictAt: "status", verdicts: { OK: "pass", BLOCKED: "needs_human" } };
      const told = artifact(
        "told.json",
        { type: "json", lists: {}, review },
        { there: ["README.md", "docs/README.md"] },
      );
      const root = folder();
      const { artifacts, place, write } = benchAt(root, { artifacts: { told } });
      const read = async (isWorkspace = true): Promise<Reading | undefined> =>
        (await artifacts.read({ ...place, isWorkspace }))[0];
      write("told.json", `{ "status": "OK" }`);
      const alone = await read(false);
      for (const [name, text] of Object.entries(files)) write(name, text);
      if (link !== "") symlinkSync(link, join(root, "README.md"));
      const reading = await read();
      const wanted = "it needs one of these files, with something in it: README.md, docs/README.md";
      expect(reading?.faults.map(({ reason }) => reason)).toEqual(counts ? [] : [wanted]);
      // Who brings the page hands in the same words, and is heard.
      expect(reading?.digest === alone?.digest).toBe(counts);
      write("told.json", `{ "status": "BLOCKED" }`);
      expect((await read())?.faults).toEqual([]);
    },
  );

  test("several files as one: there when any is, good when every one is, another when one is", async () => {
    const list = artifact("list.json", { type: "json", lists: { names: "names" } });
    const parts = artifact(
      "parts/{slot}.md",
      { type: "document", headings: ["A"], lists: {} },
      { every: { artifact: "list", list: "names" } },
    );
    const { artifacts, place, write, registry } = benchAt(folder(), { artifacts: { parts, list } });
    const read = async () => (await artifacts.read(place)).find((one) => one.artifact === "parts");
    const seen: (string | undefined)[] = [];
    const steps: readonly (() => void)[] = [
      () => undefined,
      () => write("list.json", '{ "names": ["x", "y", "x"] }'),
      () => write("parts/x.md", "## A\n\nOne.\n"),
      () => write("parts/y.md", "## B\n\nTwo.\n"),
      () => write("parts/y.md", "## A\n\nTwo.\n"),
      () => write("list.json", '{ "names": ["x"] }'),
    ];
    const digests = new Set<string>();
    for (const step of steps) {
      step();
      const reading = await read();
      seen.push(reading && show(reading));
      digests.add(reading?.digest ?? "");
    }
    expect(seen).toEqual([
      "parts not found list names no names yet",
      "parts not found the file is missing; the file is missing",
      "parts found the file is missing",
      'parts found the heading "A" is missing',
      "parts found",
      "parts found",
    ]);
    expect(digests.size).toBe(5);
    const parsed = registry.parsed.length;
    await read();
    expect(registry.parsed.length).toBe(parsed);
  });

  test.for<[string, Reader]>([
    ["spec.md", { type: "document", headings: [], lists: {}, front: { shape: OWN } }],
    ["tasks.md", { type: "tasks", style: "checkbox", front: { shape: OWN } }],
  ])("%s by what its front matter must say of the run", async ([file, reader]) => {
    const { artifacts, place, registry, write } = benchAt(
      folder(),
      { artifacts: { it: artifact(file, reader) } },
      { params: { change: "add-login" } },
    );
    write(file, "---\nid: add-login\n---\n\n- [ ] 1.1 Do it\n");
    const other = { ...place, run: { ...place.run, params: { change: "add-logout" } } };
    expect((await artifacts.read(place)).map(show)).toEqual(["it found"]);
    expect((await artifacts.read(other)).map(show)).toEqual([
      'it found "id" is "add-login"; it must be "add-logout"',
    ]);
    expect((await artifacts.read(place)).map(show)).toEqual(["it found"]);
    expect(registry.parsed).toHaveLength(2);
  });

  test("with run, session, change and slots filled in", async () => {
    const each = { artifact: "plan", list: "areas", max: 5 };
    const of = {
      artifacts: {
        spec: whole("w/{session}/spec.md"),
        change: whole("c/{change}-{run}.md"),
        notes: artifact("notes/{slot}.md", { type: "file" }, { each }),
      },
    };
    const held = {
      reading: { artifact: "notes", slot: "old", found: true, digest: "", faults: [], fields: {}, lists: {} },
    };
    const bench = benchAt(folder(), of, {
      params: { session: "s-1" },
      slots: { notes: { api: "open", "../up": "open" } },
      held: { "notes/old": { ...held, by: "", tree: "", inputs: {} } },
    });
    bench.write("w/s-1/spec.md", "x");
    bench.write("c/r1-r1.md", "x");
    bench.write("notes/api.md", "x");
    bench.write("notes/old.md", "x");
    expect((await bench.artifacts.read(bench.place)).map(show)).toEqual([
      "spec found",
      "change found",
      "notes/api found",
      "notes/../up not found the file is no path inside the workspace",
      "notes/old found",
    ]);
  });

  test("a missing file in the words of the reader", async () => {
    const { artifacts, place } = benchAt(join(folder(), "not", "there"), { artifacts: SECTIONS });
    const source = { file: "TASK.md", bytes: undefined, slot: "" };
    expect(await artifacts.read(place)).toEqual([
      readArtifact("plan", SECTIONS.plan, source),
      readArtifact("handoff", SECTIONS.handoff, source),
    ]);
  });

  test("once for the same bytes", async () => {
    const { artifacts, place, write, registry } = benchAt(folder(), { artifacts: SECTIONS });
    write("TASK.md", "## Plan\n\na\n");
    const first = await artifacts.read(place);
    expect(await artifacts.read(place)).toEqual(first);
    write("TASK.md", "## Plan\n\na\n");
    expect(await artifacts.read(place)).toEqual(first);
    expect(registry.parsed).toEqual(["TASK.md"]);
    write("TASK.md", "## Plan\n\nb\n");
    expect((await artifacts.read(place))[0]?.digest).not.toBe(first[0]?.digest);
    expect(registry.parsed).toEqual(["TASK.md", "TASK.md"]);
  });

  test("again for a run that was started with something else", async () => {
    const id = { type: "text", is: { param: "task" } } as const;
    const shape = { type: "object", required: { id }, optional: {}, open: false } as const;
    const reader = { type: "json", lists: {}, shape } as const;
    const { artifacts, place, write, registry } = benchAt(folder(), {
      artifacts: { result: artifact("result.json", reader) },
    });
    write("result.json", '{ "id": "1" }');
    const readAs = async (params: Record<string, string>): Promise<string[]> =>
      (await artifacts.read({ ...place, run: { ...place.run, params } })).map(show);
    expect(await readAs({ task: "1" })).toEqual(["result found"]);
    expect(await readAs({ task: "2" })).toEqual(['result found "id" is "1"; it must be "2"']);
    expect(await readAs({})).toEqual(['result found "id" is "1"; allowed are']);
    expect(await readAs({ task: "1" })).toEqual(["result found"]);
    expect(registry.parsed).toHaveLength(3);
  });

  test("without loading a parser for bytes that were parsed before", () => {
    const root = folder();
    writeFileSync(join(root, "TASK.md"), "## Plan\n\na\n");
    const child = fileURLToPath(new URL("files-child.ts", import.meta.url));
    const loaded = (what: string) =>
      execFileSync(process.execPath, [child, what, root], { encoding: "utf8" });
    expect(loaded("read-known")).toBe("");
    expect(loaded("read")).toContain("mdast-util-from-markdown");
  });
});

/** What a hostile hand may put in the place of TASK.md, and what a reading says then. */
const HOSTILE: [string, (root: string, file: string) => void, string | RegExp][] = [
  ["a link to a file outside", (_, file) => symlinkSync("/etc/passwd", file), "is a symbolic link"],
  ["a link to a file inside", (root, file) => symlinkSync(join(root, "x"), file), "is a symbolic link"],
  ["a link to nothing", (_, file) => symlinkSync("/nonexistent", file), "is a symbolic link"],
  ["a link to a device", (_, file) => symlinkSync("/dev/zero", file), "is a symbolic link"],
  ["a pipe", (_, file) => void execFileSync("mkfifo", [file]), "is a pipe"],
  ["a folder", (_, file) => mkdirSync(file), "is a folder"],
  ["a second name of another file", hardLink, "has 2 names"],
  [
    "a huge file",
    (_, file) => (writeFileSync(file, ""), truncateSync(file, 2 ** 40)),
    "is larger than 1048576 bytes",
  ],
  [
    "bytes that are no text",
    (_, file) => writeFileSync(file, Buffer.of(0x23, 0xff, 0xfe)),
    "is not valid UTF-8",
  ],
  ["a NUL byte", (_, file) => writeFileSync(file, "## Plan\n\0"), "holds a NUL byte"],
];

function hardLink(root: string, file: string): void {
  writeFileSync(join(root, "other"), "## Plan\n\nx\n");
  linkSync(join(root, "other"), file);
}

describe("in the place of a file:", () => {
  test.for(HOSTILE)("%s", async ([, make, reason]) => {
    const { artifacts, place, root } = benchAt(folder(), { artifacts: { plan: section("Plan") } });
    make(root, join(root, "TASK.md"));
    const [reading] = await artifacts.read(place);
    expect(reading?.faults.map((fault) => fault.reason).join()).toMatch(reason);
  });

  test.for(HOSTILE.slice(0, 7))("%s is not written to", async ([, make]) => {
    const projections = [{ file: "TASK.md", as: "front-matter", data: { a: 1 } }] as const;
    const bench = benchAt(folder(), { artifacts: { plan: section("Plan") }, projections });
    make(bench.root, join(bench.root, "TASK.md"));
    const before = bench.list();
    const told = await bench.project({});
    expect(told.join()).toContain("so that it is not brought up to date");
    await expect(bench.show("plan", "x")).rejects.toThrow("TASK.md: the file");
    const asIf = bench.artifacts.read(bench.place, [{ artifact: "plan", slot: "", text: "x" }]);
    await expect(asIf).rejects.toThrow("TASK.md: the file");
    expect(bench.list()).toEqual(before);
  });

  test("a device", async () => {
    const { artifacts, place } = benchAt("/dev", { artifacts: { zero: whole("zero"), full: whole("full") } });
    expect((await artifacts.read(place)).map(show)).toEqual([
      "zero not found the file is no ordinary file",
      "full not found the file is no ordinary file",
    ]);
  });

  test("a folder that leads out", async () => {
    const [root, outside] = [folder(), folder()];
    writeFileSync(join(outside, "secret"), "x");
    symlinkSync(outside, join(root, "way"));
    const bench = benchAt(root, { artifacts: { secret: whole("way/secret"), deep: whole("way/new/file") } });
    expect((await bench.artifacts.read(bench.place)).map(show)).toEqual([
      "secret not found the file stands in a folder outside of the workspace",
      "deep not found the file stands in a folder outside of the workspace",
    ]);
    await expect(bench.show("deep", "x")).rejects.toThrow("outside of the workspace");
    expect(benchAt(outside, {}).list()).toEqual(["secret"]);
  });

  test("a file below a file, and a name that no system takes", async () => {
    const artifacts = { below: whole("file/below"), long: whole("x".repeat(300)) };
    const bench = benchAt(folder(), { artifacts });
    bench.write("file", "x");
    expect((await bench.artifacts.read(bench.place)).map(show)).toEqual([
      "below not found the file stands below something that is no folder",
      "long not found the file is missing",
    ]);
  });

  test.skipIf(process.getuid?.() === 0)("a file that must not be read", async () => {
    const bench = benchAt(folder(), { artifacts: { notes: whole("notes.md") } });
    bench.write("notes.md", "x");
    chmodSync(join(bench.root, "notes.md"), 0o000);
    expect((await bench.artifacts.read(bench.place)).map(show)).toEqual([
      "notes not found the file cannot be read (EACCES)",
    ]);
  });
});

test("texts of a list of tasks are had while it says the same, whatever the engine has written into it", async () => {
  const reader: Reader = { type: "yaml", lists: {}, shown: true };
  const { artifacts, place, write } = benchAt(folder(), {
    artifacts: { plan: artifact("tasks.yaml", reader) },
  });
  const list = (title: string, status: string) =>
    `title: ${title}\ntasks:\n  - { id: T-1, status: ${status} }\n`;
  write("tasks.yaml", list("All", "pending"));
  const digest = (await artifacts.read(place))[0]?.digest ?? "";
  const texts = () => artifacts.texts(place, { artifact: "plan", digest, fields: ["title"] });
  write("tasks.yaml", list("All", "completed"));
  expect(await texts()).toEqual({ title: "All" });
  write("tasks.yaml", list("Less", "completed"));
  await expect(texts()).rejects.toThrow("is not what it was when it was handed in");
});
