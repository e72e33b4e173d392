/** Where workflows come from: built-in, ejected, overriding. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, document, folderWith, say, tiny } from "./calling.ts";

type Row = { readonly name: string; readonly from: string; readonly hash: string; readonly title: string };

async function rows(cwd: string): Promise<readonly Row[]> {
  const { workflows } = await document("workflows", cwd);
  return workflows as readonly Row[];
}

async function row(cwd: string, name: string): Promise<Row | undefined> {
  return (await rows(cwd)).find((each) => each.name === name);
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
}

describe("eject", () => {
  test("the copy overrides, with the hash it had, until something in it changes", async () => {
    const cwd = folderWith();
    const before = await row(cwd, "task");
    expect(await say("eject task -q", cwd)).toBe("0\n.signalbox/workflows/task\n");
    expect(await row(cwd, "task")).toMatchObject({ from: "overriding", hash: before?.hash });
    appendFileSync(join(cwd, ".signalbox/workflows/task/prompts/worker.md"), "\nBe kind.\n");
    const after = await row(cwd, "task");
    expect(after?.hash).not.toBe(before?.hash);
    expect((await call("check task", cwd)).code).toBe(0);
  });

  test("it brings the prompts, and the schema to where the file says it is", async () => {
    const cwd = folderWith();
    await call("eject task", cwd);
    await call("eject staged", cwd);
    const files = filesIn(join(cwd, ".signalbox"));
    expect(files).toContain("workflows/task/prompts/worker.md");
    expect(existsSync(join(cwd, ".signalbox/workflows/task", "../../schema/workflow-1.schema.json"))).toBe(
      true,
    );
    expect(files.filter((file) => file.includes(".eject"))).toEqual([]);
  });

  test.for<[blocked: string]>([["workflows/task/mine.md"], ["schema/workflow-1.schema.json"]])(
    "with %s there, nothing is written",
    async ([blocked]) => {
      const cwd = folderWith({ [`.signalbox/${blocked}`]: "mine" });
      const before = filesIn(cwd);
      const { code, stderr } = await call("eject task", cwd);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining("is there already; nothing was written\n  next: mv ") as string,
      });
      expect(filesIn(cwd)).toEqual(before);
    },
  );

  test.for<[file: string]>([[".signalbox"], [".signalbox/workflows"], [".signalbox/schema"]])(
    "with a file in the place of %s, nothing is written",
    async ([file]) => {
      const cwd = folderWith({ [file]: "mine" });
      const before = filesIn(cwd);
      expect(await say("eject task", cwd)).toMatch(
        /^2\nsignalbox: \S+ is there and is no folder; nothing was written\n {2}next: mv /,
      );
      expect(filesIn(cwd)).toEqual(before);
    },
  );

  test.for<[link: string, to: "elsewhere" | "nothing", said: string]>([
    [".signalbox", "elsewhere", "leads out of the repository, to "],
    [".signalbox/workflows", "elsewhere", "leads out of the repository, to "],
    [".signalbox/schema", "elsewhere", "leads out of the repository, to "],
    [".signalbox", "nothing", "leads to what is no folder"],
  ])("through %s as a link to %s, nothing is written", async ([link, to, said]) => {
    const elsewhere = folderWith();
    const cwd = folderWith();
    mkdirSync(dirname(join(cwd, link)), { recursive: true });
    symlinkSync(to === "elsewhere" ? elsewhere : "nothing", join(cwd, link));
    const all = await say("eject task", cwd);
    expect(all).toMatch(/^2\nsignalbox: .*; nothing was written\n {2}next: ls -ld /);
    expect(all).toContain(said);
    expect(filesIn(elsewhere)).toEqual([".git", ".git/HEAD"]);
  });

  test("a link inside the repository is followed", async () => {
    const cwd = folderWith({ "tools/readme.md": "" });
    symlinkSync("tools", join(cwd, ".signalbox"));
    expect((await call("eject task", cwd)).code).toBe(0);
    expect(filesIn(join(cwd, "tools/workflows"))).toContain("task/workflow.yaml");
  });

  test("from a folder of a repository, it goes to the root", async () => {
    const cwd = folderWith({ "src/deep/readme.md": "" });
    expect(await say("eject task -q", join(cwd, "src/deep"))).toBe("0\n../../.signalbox/workflows/task\n");
    expect(await row(join(cwd, "src"), "task")).toMatchObject({ from: "overriding" });
  });

  test("only what is built in can be ejected", async () => {
    const cwd = folderWith({ ".signalbox/workflows/mine/workflow.yaml": tiny("mine") });
    expect(await say("eject mine", cwd)).toMatch(
      /^2\nsignalbox: there is no built-in workflow "mine"; there are /,
    );
    expect(await say("eject taks", cwd)).toMatch(/did you mean "task"\?/);
  });
});

describe("workflows", () => {
  test("those of the repository stand beside the built-in ones", async () => {
    const cwd = folderWith({
      ".signalbox/workflows/mine/workflow.yaml": tiny("mine"),
      ".signalbox/workflows/broken/workflow.yaml": "",
    });
    const found = Object.fromEntries((await rows(cwd)).map(({ name, from }) => [name, from]));
    expect(found).toMatchObject({ mine: "repository", broken: "repository", task: "built-in" });
    expect((await call("workflows", cwd)).stdout).toMatch(
      /^broken {2,}repository {2,}\(it has problems: signalbox check broken\)$/m,
    );
  });

  test("one that cannot be read does not hide the others", async () => {
    const cwd = folderWith({
      ".signalbox/workflows/mine/workflow.yaml": tiny("mine"),
      ".signalbox/workflows/task/workflow.yaml/readme.md": "",
      ".signalbox/workflows/readme.md": "",
    });
    symlinkSync("round", join(cwd, ".signalbox/workflows/round"));
    const found = Object.fromEntries((await rows(cwd)).map(({ name, from }) => [name, from]));
    expect(found).toMatchObject({ mine: "repository", round: "repository", task: "overriding" });
    expect((await call("workflows", cwd)).stdout).toMatch(
      /^round {2,}repository {2,}\(it has problems: signalbox check round\)$/m,
    );
    expect(await say("check round", cwd)).toContain("its symbolic links lead in a circle");
    expect(await say("check task", cwd)).toContain("it is a folder");
  });

  test("the search goes up to the root of the repository and no further", async () => {
    const outer = folderWith({
      ".signalbox/workflows/mine/workflow.yaml": tiny("mine"),
      "inner/a/readme.md": "",
    });
    const inner = join(outer, "inner");
    expect(await row(join(inner, "a"), "mine")).toMatchObject({ from: "repository" });
    mkdirSync(join(inner, ".git"));
    // An empty folder of that name is no repository.
    expect(await row(join(inner, "a"), "mine")).toMatchObject({ from: "repository" });
    writeFileSync(join(inner, ".git/HEAD"), "ref: refs/heads/main\n");
    expect(await row(join(inner, "a"), "mine")).toBeUndefined();
  });

  test("a name comes before a folder of that name", async () => {
    const cwd = folderWith({ "task/workflow.yaml": tiny("not-task") });
    expect((await call("check task", cwd)).stdout).toMatch(/^task: /);
    expect((await call("check ./task", cwd)).stdout).toMatch(/^not-task: /);
  });

  test("too many prompts are refused", async () => {
    const cwd = folderWith({ "many/workflow.yaml": tiny("many"), "many/prompts/0.md": "" });
    for (let index = 1; index <= 200; index += 1) writeFileSync(join(cwd, `many/prompts/${index}.md`), "");
    expect(await say("check many", cwd)).toMatch(
      /^5\nmany\/prompts:1:1: there are 201 prompts; at most 200 are read\n/,
    );
  });
});
