/** Texts that were accepted, in the files that show them; and files as they would be with a text. */

import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { benchAt, folder, listOf, section, tidy, whole, type Bench } from "./files-support.ts";

afterAll(tidy);

/** As if the text were in its file. */
const readWith = ({ artifacts, place }: Bench, name: string, text: string) =>
  artifacts.read(place, [{ artifact: name, slot: "", text }]);

describe("a text is shown", () => {
  const of = { artifacts: { plan: section("Plan"), notes: whole("deep/er/notes.md") } };

  test("into a file that is not there", async () => {
    const bench = benchAt(join(folder(), "new"), of);
    await bench.show("plan", "Do it.");
    await bench.show("notes", "n");
    expect(bench.list()).toEqual(["TASK.md", "deep/er/notes.md"]);
    expect([bench.text("TASK.md"), bench.text("deep/er/notes.md")]).toEqual(["## Plan\n\nDo it.\n", "n"]);
  });

  test("into its section, with the mode of the file", async () => {
    const bench = benchAt(folder(), of);
    bench.write("TASK.md", "\uFEFF# T  \r\n\r\n## Plan\r\nold\r\n\r\n## Mine\r\nm");
    chmodSync(join(bench.root, "TASK.md"), 0o640);
    await bench.show("plan", "a\nb");
    expect(bench.text("TASK.md")).toBe("\uFEFF# T  \r\n\r\n## Plan\r\n\r\na\r\nb\r\n\r\n## Mine\r\nm");
    expect(statSync(join(bench.root, "TASK.md")).mode & 0o777).toBe(0o640);
    expect(bench.list()).toEqual(["TASK.md"]);
  });

  test("not where it would swallow what follows", async () => {
    const bench = benchAt(folder(), of);
    bench.write("TASK.md", "## Plan\n\n## Mine\n");
    for (const submit of [readWith, (on: Bench, name: string, text: string) => on.show(name, text)])
      await expect(submit(bench, "plan", "```\nx")).rejects.toThrow(
        /^TASK\.md: "## Plan" cannot be written: the text does not close the code fence/,
      );
    expect(bench.text("TASK.md")).toBe("## Plan\n\n## Mine\n");
  });

  test("not where nobody could read the file any more, and what it shows has to fit in, too", async () => {
    const bench = benchAt(folder(), of);
    bench.write("TASK.md", "## Plan\n\np\n");
    for (const bytes of [800 * 1024, 15_000_000])
      await expect(readWith(bench, "notes", "x".repeat(bytes))).rejects.toThrow(
        /would be larger than 786432 bytes/,
      );
    // The reader of Markdown takes less.
    for (const bytes of [200 * 1024, 15_000_000])
      await expect(readWith(bench, "plan", "x".repeat(bytes))).rejects.toThrow(
        /would be larger than 196608 bytes/,
      );
    expect([bench.list(), bench.text("TASK.md")]).toEqual([["TASK.md"], "## Plan\n\np\n"]);
    await bench.show("notes", "x".repeat(700 * 1024));
    await bench.show("plan", "x".repeat(190 * 1024));
    const readings = await bench.artifacts.read(bench.place);
    expect(readings.map(({ artifact: name, faults }) => [name, faults])).toEqual([
      ["plan", []],
      ["notes", []],
    ]);
  });

  test("not where a newer one was accepted, and the newer one stays", async () => {
    const bench = benchAt(folder(), of);
    bench.write("TASK.md", "## Plan\n\nold\n");
    const isCurrent = () => {
      bench.write("TASK.md", "## Plan\n\nnewer\n");
      return Promise.resolve(false);
    };
    const older = { artifact: "plan", slot: "", text: "older", isCurrent };
    expect(await bench.artifacts.show(bench.place, older)).toEqual({ told: [], isShown: false });
    expect(bench.text("TASK.md")).toBe("## Plan\n\nnewer\n");
  });

  test("over an edit that comes in between: what nobody accepted is copied to the archive first", async () => {
    const bench = benchAt(folder(), of);
    bench.write("TASK.md", "## Plan\n\nknown\n\n## Mine\n\nm\n");
    const over = (await bench.artifacts.read(bench.place))[0]?.digest ?? "";
    const edited = join(folder(), "edited");
    let edits = ["first", "second"];
    const isCurrent = () => {
      const [edit, ...rest] = edits;
      edits = rest;
      if (edit !== undefined) bench.write("TASK.md", `## Plan\n\n${edit}\n\n## Mine\n\nm\n`);
      return Promise.resolve(true);
    };
    const text = { artifact: "plan", slot: "", text: "new", over, edited, isCurrent };
    const { told, isShown } = await bench.artifacts.show(bench.place, text);
    expect([isShown, bench.text("TASK.md")]).toEqual([true, "## Plan\n\nnew\n\n## Mine\n\nm\n"]);
    expect(told.filter((line) => line.includes("plan was edited"))).not.toEqual([]);
    const kept = listOf(edited).map((name) => readFileSync(join(edited, name), "utf8"));
    expect(kept.toSorted()).toEqual(["## Plan\n\nfirst\n\n", "## Plan\n\nsecond\n\n"]);
  });
});
