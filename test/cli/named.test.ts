/** What a run is named when it begins, and words of parameters as options. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parsed, scene, type Scene } from "./acting-support.ts";

const PAPER = `$schema: workflow-1.schema.json
name: paper
title: A paper with a folder of its own
params:
  session: { text: "", named: goal }
  goal: { text: "" }
  mode: { enum: [full, lean], default: full, about: { lean: for what is small } }
  kind: { enum: [short, plan, both], default: short }
  size: { enum: [small, both], default: small }
artifacts:
  draft: { in: "work/{session}/draft.md", file: true, by: human }
states:
  full: { waits: true }
  lean: { waits: true }
  closed: { final: done }
moves:
  - { from: start, to: full, by: human, when: { mode: full } }
  - { from: start, to: lean, by: human, when: { mode: lean } }
  - { from: [full, lean], to: closed, by: human, need: draft }
`;

let on: Scene;
beforeAll(async () => {
  on = await scene({ ".signalbox/workflows/paper/workflow.yaml": PAPER });
});

type Begun = { readonly id: string; readonly session: string; readonly state: string };

async function begun(...line: readonly string[]): Promise<Begun> {
  const { code, stdout, stderr } = await on.say(["run", "paper", ...line, "--detach", "--quiet"]);
  if (code !== 0) throw new Error(stderr);
  const id = stdout.trim();
  const run = await on.withStore(async (store) => (await store.load(id))?.run);
  return { id, session: String(run?.params["session"]), state: run?.state ?? "" };
}

/** What is said before there is a result. */
async function toldFirst(line: readonly string[], columns?: number): Promise<string> {
  let told = "";
  const talk = { print: (text: string) => void (told += text), columns: () => columns };
  const { code, stderr } = await on.say(["run", "paper", ...line, "--detach"], { talk });
  if (code !== 0) throw new Error(stderr);
  return told;
}

/** Without its day, which is any: a test may begin before midnight and end behind it. */
function words({ session }: Begun): string {
  expect(session).toMatch(/^\d{4}-\d\d-\d\d_/);
  return session.slice("2026-11-16_".length);
}

describe("a name of the goal", () => {
  test("is once in the repository", async () => {
    const names = [await begun("Rate limits"), await begun("Rate, limits!"), await begun("Another")];
    expect(names.map(words)).toEqual(["rate-limits", "rate-limits-2", "another"]);
  });

  test("is no other's, also where several begin at once", async () => {
    const all = await Promise.all(["a", "b", "c"].map((key) => begun("All at once", "--key", key)));
    expect(all.map(words).toSorted()).toEqual(["all-at-once", "all-at-once-2", "all-at-once-3"]);
  });

  test("is the same for the same key", async () => {
    const first = await begun("The same", "--key", "same");
    expect(await begun("The same", "--key", "same")).toEqual(first);
  });

  test("is none of a folder that is there", async () => {
    const { session } = await begun("Before");
    // The day of the next one is that of this one, or the day after.
    const days = [session, new Date(Date.parse(session.slice(0, 10)) + 86_400_000).toISOString()];
    for (const day of days)
      mkdirSync(join(on.repo, "work", `${day.slice(0, 10)}_there`), { recursive: true });
    expect(words(await begun("There"))).toBe("there-2");
  });

  test.for<[line: readonly string[], name: string]>([
    [["A goal", "--param", "session=mine"], "mine"],
    [["--param", "session=mine"], "mine"],
  ])("is what a person says: %j", async ([line, name]) => {
    expect((await begun(...line)).session).toBe(name);
  });

  test.for<[said: string, why: string]>([
    ["../../elsewhere", "no name"],
    ["a/b", "no name"],
    ["..", "no name"],
    [".git", "no name"],
    ["-x", "no name"],
    ["a..b", "no name"],
    ["a b", "no name"],
    ["a\nb", "no name"],
    ["a\u200Bb", "no name"],
    ["`x`", "no name"],
    ["x".repeat(81), "no name"],
    ["taken", "work/taken is there already"],
    ["Größe_2.1", ""],
  ])("is refused where it is none, or somebody's: %j", async ([said, why]) => {
    mkdirSync(join(on.repo, "work/taken"), { recursive: true });
    const { code, stderr } = await on.say(["run", "paper", "--param", `session=${said}`, "--detach"]);
    expect(code).toBe(why === "" ? 0 : 2);
    expect(stderr).toContain(why);
  });

  test("is of the workflow where there is no goal", async () => {
    expect(words(await begun())).toBe("paper");
  });
});

describe("a word as an option", () => {
  test.for<[line: readonly string[], state: string]>([
    [["Lean one", "--lean"], "lean"],
    [["Lean one", "--lean", "--short", "--param", "mode=lean"], "lean"],
    [["Full one", "--full"], "full"],
  ])("%j begins in %s", async ([line, state]) => {
    expect((await begun(...line)).state).toBe(state);
  });

  test.for<[line: readonly string[], columns: number | undefined, said: string]>([
    [["--lean"], undefined, "  mode lean: for what is small\n"],
    [["--lean"], 25, "  mode lean: for what is\n    small\n"],
    [["--param", "mode=lean"], undefined, "  mode lean: for what is small\n"],
    [[], undefined, ""],
    [["--lean", "--quiet"], undefined, ""],
    [["--lean", "--json"], undefined, ""],
  ])("%j, %s columns wide: what the workflow says about it is told first", async ([line, columns, said]) => {
    expect(await toldFirst(["Told", ...line], columns)).toBe(said);
  });

  test("what the workflow says about it is told once", async () => {
    const line = ["Told once", "--lean", "--key", "once"];
    expect([await toldFirst(line), await toldFirst(line)]).toEqual(["  mode lean: for what is small\n", ""]);
  });

  test.for<[line: readonly string[], said: string]>([
    [["--laen"], "there is no option --laen; did you mean --lean?"],
    [["--detahc"], "there is no option --detahc; did you mean --detach?"],
    [["--size"], "there is no option --size: use --param size=VALUE"],
    [["--review-harness", "codex"], "there is no option --review-harness: use --param review_harness=codex"],
    [["--lean=yes"], "there is no option --lean; did you mean --plan?"],
    [["--lean", "--param", "mode=full"], "--lean and --param mode=full do not go together"],
    [["--lean", "--full"], "--full and --param mode=lean do not go together"],
    [["--both"], "--both could be --param kind=both or --param size=both"],
    // An option of the command is what it always is.
    [["--plan"], "--plan needs a value: --plan FILE"],
  ])("%j is refused: %s", async ([line, said]) => {
    const answer = await on.say(["run", "paper", "A goal", "--json", ...line]);
    expect([answer.code, parsed(answer)]).toMatchObject([2, { code: "bad-usage", message: said }]);
  });
});
