import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import type { Reading } from "../../src/core/event.ts";
import { readArtifact } from "../../src/format/read.ts";
import { artifact, benchAt, folder, section, tidy, whole } from "./files-support.ts";

afterAll(tidy);

const show = ({ artifact: name, slot, found, faults }: Reading) =>
  `${name}${slot === "" ? "" : `/${slot}`} ${found ? "found" : "not found"} ${faults.map(({ reason }) => reason).join("; ")}`.trim();

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

  test("by what each must say of its run", async () => {
    const of = {
      artifacts: { spec: artifact("spec.yaml", { type: "yaml", lists: {}, same: { id: "{change}" } }) },
    };
    const { artifacts, place, registry, write } = benchAt(folder(), of, { params: { change: "add-login" } });
    write("spec.yaml", "id: add-login\n");
    const other = { ...place, run: { ...place.run, params: { change: "add-logout" } } };
    expect((await artifacts.read(place)).map(show)).toEqual(["spec found"]);
    expect((await artifacts.read(other)).map(show)).toEqual([
      'spec found "id" is "add-login"; here it must be "add-logout"',
    ]);
    expect((await artifacts.read(place)).map(show)).toEqual(["spec found"]);
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
    const put = bench.artifacts.put(bench.place, { artifact: "plan", slot: "", text: "x" });
    await expect(put).rejects.toThrow("TASK.md: the file");
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
    const put = bench.artifacts.put(bench.place, { artifact: "deep", slot: "", text: "x" });
    await expect(put).rejects.toThrow("outside of the workspace");
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
