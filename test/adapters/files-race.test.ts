import { fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inFolder } from "../../src/adapters/files/replace/folder.ts";
import { openFile } from "../../src/adapters/files/replace/open.ts";
import { LATE_MS, noteLate, takeDue } from "../../src/adapters/files/replace/recent.ts";
import { rewrite } from "../../src/adapters/files/replace/replace.ts";
import { sha256 } from "../../src/format/sha256.ts";
import { benchAt, folder, frontMatter, listOf, section, tidy, whole } from "./files-support.ts";
import { sampled } from "../support/sampled.ts";

let child = "";

/** Bundled once: a process of its own then starts in a fraction of the time. */
beforeAll(async () => {
  const dir = folder();
  const bundle = await rolldown({ input: join(import.meta.dirname, "files-child.ts"), platform: "node" });
  const { output } = await bundle.write({ dir, format: "esm", entryFileNames: "child.mjs" });
  await bundle.close();
  child = join(dir, output[0].fileName);
});

afterAll(tidy);

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;

const OF = {
  artifacts: { plan: section("Plan"), notes: whole("notes.md") },
  projections: [frontMatter({ status: { from: "status" }, round: { from: "round" } })],
};

/** Nobody has saved a moment ago: no need to wait for a late writer. */
function age(file: string): void {
  utimesSync(file, 1, 1);
}

describe("people edit at any time", () => {
  type Hand = (text: string, word: string) => string;
  const HANDS: Readonly<Record<string, Hand>> = {
    "a comment": (text, word) => text.replace(/^---\r?\n/m, `$&# ${word}\n`),
    "a comment beside a field": (text, word) => text.replace(/^(status:.*?)(\r?)$/m, `$1 # ${word}$2`),
    "an unknown key": (text, word) => text.replace(/^(?=status:)/m, `${word}: { a: [1, "x"] } # c\n`),
    "another order": (text) => text.replace(/^(status:.*\r?\n)(round:.*\r?\n)/m, "$2$1"),
    CRLF: (text) => text.replaceAll(/\r?\n/g, "\r\n"),
    LF: (text) => text.replaceAll("\r\n", "\n"),
    "a byte order mark": (text) => (text.startsWith("\uFEFF") ? text.slice(1) : `\uFEFF${text}`),
    "an emoji": (text, word) => `${text}😀 ${word}\n`,
    "trailing spaces": (text, word) => `${text}${word}   \t\n`,
    "no last line end": (text) => text.trimEnd(),
    "an edit of the status": (text, word) => text.replace(/^status: [^\s#]+/m, `status: ${word}`),
    "a section": (text, word) => `${text}\n\n## ${word}\n\n---\nstatus: not this one\n---\n`,
  };
  const steps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(HANDS)), fc.boolean()), {
    minLength: isDeep ? 300 : 20,
    maxLength: isDeep ? 300 : 20,
  });
  /** All that is not the engine's. */
  const theirs = (text: string) =>
    text.replace(/^status: [^\s#]+/m, "status: _").replace(/^round: \d+/m, "round: _");

  test("and keep every byte", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const bench = benchAt(folder(), OF);
        const file = join(bench.root, "TASK.md");
        bench.write("TASK.md", "# T\n");
        await bench.project({ status: "s0", round: 0 });
        for (const [number, [hand, isMove]] of list.entries()) {
          const edited = HANDS[hand]?.(bench.text("TASK.md"), `word${number}`) ?? "";
          writeFileSync(file, edited);
          age(file);
          const told = await bench.project({ status: `s${isMove ? number : 0}`, round: number });
          expect(theirs(bench.text("TASK.md"))).toBe(theirs(edited));
          expect(bench.text("TASK.md")).toContain(`status: s${isMove ? number : 0}`);
          expect(told.length).toBe(hand === "an edit of the status" ? 1 : 0);
        }
        expect(bench.list()).toEqual(["TASK.md"]);
      }),
      { numRuns: isDeep ? 5 : 1 },
    );
  });

  const TIMES = isDeep ? 100 : 25;
  test.for(["truncate", "rename"])("while we write (%s)", async (how) => {
    const bench = benchAt(folder(), OF);
    bench.write("TASK.md", "# T\n");
    await bench.project({ status: "s0", round: 0 });
    const editor = fork(child, ["edit", bench.root, how]);
    const lines: string[] = [];
    const told: string[] = [];
    editor.on("message", (message) => {
      if (typeof message === "object" && "line" in message) lines.push(String(message.line));
    });
    await once(editor, "message");
    for (let number = 1; number <= TIMES || lines.length <= 20; number += 1) {
      told.push(...(await bench.project({ status: `s${number}`, round: number })));
      await new Promise((resolve) => setImmediate(resolve));
    }
    editor.send("stop");
    await once(editor, "exit");
    told.push(...(await bench.project({ status: "last", round: 0 })));
    const kept = told.flatMap((text) => / is kept in (.+)$/.exec(text)?.[1] ?? []);
    const everything = ["TASK.md", ...kept.map((path) => path.slice(bench.root.length + 1))]
      .map((name) => bench.text(name))
      .join("\n");
    expect(lines.filter((line) => !everything.includes(line))).toEqual([]);
    expect(bench.text("TASK.md")).toContain("status: last");
    const ours = bench.list().filter((name) => name !== "TASK.md");
    expect(ours).toEqual(kept.map((path) => path.slice(bench.root.length + 1)).sort());
  });

  test.for([false, true])("and into a file while it is being replaced (ours: %s)", async (isOurs) => {
    const bench = benchAt(folder(), OF);
    bench.write("TASK.md", "# T\n");
    const spot = { root: bench.root, file: "TASK.md" };
    // Whoever has it open writes after it was moved aside, and before the new one is durable.
    rewrite(spot, {
      edit: () => ({ bytes: Buffer.from("# New\n") }),
      isOurs: () => {
        const old = listOf(bench.root).find((name) => name.startsWith(".signalbox-old-"));
        if (old !== undefined) bench.write(old, "# T\nlate\n");
        return isOurs;
      },
    });
    for (const name of listOf(bench.root)) age(join(bench.root, name));
    await bench.project({ status: "s1", round: 0 });
    expect(bench.text(".signalbox-kept-1-TASK.md")).toBe("# T\nlate\n");
  });

  test("and into a file that was replaced a moment ago", async () => {
    const bench = benchAt(folder(), OF);
    bench.write("TASK.md", "# T\n");
    await bench.project({ status: "s0", round: 0 });
    const late = readdirSync(bench.root).find((name) => name.startsWith(".signalbox-late-")) ?? "";
    bench.write(late, "# T\nwritten late\n");
    const told = await bench.project({ status: "s1", round: 0 });
    expect(told.join()).toContain("somebody wrote into it after it was replaced; what it said is kept in");
    expect(bench.text(".signalbox-kept-1-TASK.md")).toContain("written late");
  });

  test("what was replaced is cleared away when something else is written there, and nothing that was written into it", async () => {
    const bench = benchAt(folder(), OF);
    const lay = (text: string, said: string): string => {
      const name = `.signalbox-late-1.${sha256(text).slice(0, 6)}.${sha256(text).slice(0, 16)}-other.json`;
      bench.write(name, said);
      age(join(bench.root, name));
      return name;
    };
    lay("spent\n", "spent\n");
    lay("said\n", "said\nand more\n");
    bench.write("TASK.md", "# T\n");
    age(join(bench.root, "TASK.md"));
    const told = await bench.project({ status: "s0", round: 0 });
    expect(told.join()).toContain(
      "other.json: somebody wrote into it after it was replaced; what it said is kept in",
    );
    expect(readdirSync(bench.root).filter((name) => name.startsWith(".signalbox-"))).toEqual([
      ".signalbox-kept-1-other.json",
    ]);
  });

  test("folders with something late are looked at again when its moment is over", () => {
    const far = Date.now() + LATE_MS;
    takeDue(Number.POSITIVE_INFINITY);
    noteLate("/a");
    noteLate("/b");
    noteLate("/a");
    expect(takeDue(far - LATE_MS)).toEqual([]);
    expect(takeDue(far + LATE_MS)).toEqual(["/b", "/a"]);
    expect(takeDue(far + LATE_MS)).toEqual([]);
  });

  test("and readers never find the file missing", async () => {
    const bench = benchAt(folder(), OF);
    bench.write("TASK.md", "# T\n\n## Plan\n\np\n");
    const writer = fork(child, ["project-until-told", bench.root]);
    const over = once(writer, "exit");
    await once(writer, "message");
    const odd: unknown[] = [];
    for (let reads = 0; reads < 100; reads += 1) {
      const [reading] = await bench.artifacts.read(bench.place);
      if (reading?.found !== true || reading.faults.length > 0) odd.push(reading);
      await new Promise((resolve) => setImmediate(resolve));
    }
    writer.send("stop");
    await over;
    expect(odd).toEqual([]);
    expect(bench.text("TASK.md")).toContain("status: last");
    expect(bench.list()).toEqual(["TASK.md"]);
  });

  test("and a file that changes while it is read is read again, or refused", async () => {
    const bench = benchAt(folder(), OF);
    const size = 900_000;
    bench.write("notes.md", "a".repeat(size));
    const churn = fork(child, ["churn", bench.root, String(size)]);
    const over = once(churn, "exit");
    await once(churn, "message");
    const seen = Array.from({ length: 20 }, () => inFolder({ root: bench.root, file: "notes.md" }, openFile));
    churn.kill("SIGKILL");
    await over;
    const odd = seen.filter((inside) => {
      const opened = inside.type === "done" ? inside.value : inside;
      if (opened.type === "bytes") return opened.bytes.length !== size;
      return opened.type === "missing" || opened.reason !== "changes while it is read";
    });
    expect(odd).toEqual([]);
    expect(inFolder({ root: bench.root, file: "notes.md" }, openFile)).toMatchObject({
      value: { type: "bytes" },
    });
  });

  test("two writers of one file lose nothing", async () => {
    const bench = benchAt(folder(), OF);
    bench.write("TASK.md", "# T\n");
    const writer = spawn(process.execPath, [child, "project-many", bench.root, "40"], { stdio: "ignore" });
    const over = once(writer, "exit");
    for (let number = 1; number <= 40; number += 1) await bench.show("plan", `plan ${number}`);
    const [code] = (await over) as [number];
    expect(code).toBe(0);
    expect(bench.text("TASK.md")).toContain("plan 40\n");
    expect(bench.text("TASK.md")).toContain("status: s40\n");
    expect(bench.list()).toEqual(["TASK.md"]);
  });
});

describe.concurrent("a process dies", () => {
  /** `point`: where it is killed. */
  async function dies(args: readonly string[], point: string): Promise<string> {
    const env = { ...process.env, SIGNALBOX_FAILPOINT: point };
    const life = spawn(process.execPath, [child, ...args], { env, stdio: "ignore" });
    const [, signal] = (await once(life, "exit")) as [number, string];
    return signal;
  }
  const around = (...steps: readonly string[]) =>
    steps.flatMap((step) => [`files.before-${step}`, `files.after-${step}`]);
  const TEXT = "---\nstatus: old\n---\n# T\n\n## Plan\n\np\n\n## Mine\n\nm\n";
  const STATUS = { projections: [frontMatter({ status: { from: "status" } })] };

  function begun() {
    const bench = benchAt(folder(), { ...OF, ...STATUS });
    bench.write("TASK.md", TEXT);
    bench.write("notes.md", "notes");
    age(join(bench.root, "TASK.md"));
    age(join(bench.root, "notes.md"));
    return bench;
  }

  test.for(sampled(5, around("project", "write", "aside", "link", "tidy")))(
    "while it projects, at %s",
    async (point) => {
      const bench = begun();
      expect(await dies(["project", bench.root, "new"], point)).toBe("SIGKILL");
      const [plan] = await bench.artifacts.read(bench.place);
      expect([plan?.found, plan?.faults]).toEqual([true, []]);
      expect([TEXT, TEXT.replace("old", "new")]).toContain(bench.text("TASK.md"));
      expect(await bench.project({ status: "new" })).toEqual([]);
      expect(bench.text("TASK.md")).toBe(TEXT.replace("old", "new"));
      expect(bench.list()).toEqual(["TASK.md", "notes.md"]);
      expect(statSync(join(bench.root, "TASK.md")).nlink).toBe(1);
    },
  );

  // The section comes first, and then the whole file.
  test.for(
    sampled(8, [
      ...around("archive", "copy", "write", "aside", "link", "tidy"),
      ...around("archive", "copy", "aside").map((point) => `${point}:2`),
      ...around("withdraw"),
    ]),
  )("while it archives, at %s", async (point) => {
    const bench = begun();
    const into = join(folder(), "into");
    expect(await dies(["archive", bench.root, into], point)).toBe("SIGKILL");
    expect(await bench.artifacts.archive(bench.place, { artifacts: ["plan", "notes"], into })).toEqual([]);
    expect(bench.text("TASK.md")).toBe(TEXT.replace("## Plan\n\np\n\n", ""));
    expect(bench.list()).toEqual(["TASK.md"]);
    expect(listOf(into)).toEqual(["TASK.md.Plan.md", "notes.md"]);
    expect(readFileSync(join(into, "notes.md"), "utf8")).toBe("notes");
  });

  test.for(sampled(4, around("carry", "copy", "aside", "withdraw")))(
    "while it carries, at %s",
    async (point) => {
      const bench = begun();
      const to = join(folder(), "to");
      expect(await dies(["carry", bench.root, to], point)).toBe("SIGKILL");
      expect(await bench.artifacts.carry(bench.place, to)).toEqual([]);
      expect(bench.list()).toEqual([]);
      expect(listOf(to)).toEqual(["TASK.md", "notes.md"]);
      expect(readFileSync(join(to, "TASK.md"), "utf8")).toBe(TEXT);
    },
  );

  test("or the disk is full: the file is as it was, and nothing is left", () => {
    const bench = begun();
    const limited = `trap '' XFSZ; ulimit -f 4; exec "$0" "$@"`;
    const args = ["-c", limited, process.execPath, child, "put", bench.root, "long ".repeat(2000)];
    const { stderr } = spawnSync("/bin/sh", args, { encoding: "utf8" });
    expect(stderr).toContain("cannot be written (EFBIG)");
    expect(bench.text("TASK.md")).toBe(TEXT);
    expect(bench.list()).toEqual(["TASK.md", "notes.md"]);
  });
});
