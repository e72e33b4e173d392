/** Runs that work in the person's own checkout: one at a time, and whatever becomes of them, what is the person's stays as it is. */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mirrorOf } from "../../../src/adapters/git/mirror/names.ts";
import { isPerson } from "../../support/person.ts";
import { lookIn, type } from "../lives/life.ts";
import { filesBelow, onStage, type Now, type Scene, type Stage } from "./stage.ts";

/** Says where it is, and waits for a word where there is one to wait for. */
const PLANNER = `
pwd -P >>"$LEDGER/where"; cat "$SIGNALBOX_PROMPT" >>"$LEDGER/told"
if [ -e "$LEDGER/slowly" ]; then echo >"$LEDGER/at-work"; await planned; fi
printf '# Plan\\n\\nTo do it.\\n' | signalbox submit plan -
signalbox move planned
`;
const CODER = `echo code >>code.txt; signalbox move testing`;

const SCENE: Scene = {
  workflow: "in-place",
  agents: { planner: PLANNER, coder: CODER },
  files: { "test.sh": "test -e code.txt", ".gitignore": ".env\nbuild/\n" },
};

const git = (stage: Stage, ...argv: string[]): string =>
  execFileSync("git", argv, { cwd: stage.repo, encoding: "utf8" });

/** In the middle of a merge with a conflict, with files of every kind. */
function makeDirty(stage: Stage): void {
  const put = (name: string, text: string): void => writeFileSync(join(stage.repo, name), text);
  git(stage, "switch", "-q", "-c", "theirs");
  put("README.md", "theirs\n");
  git(stage, "commit", "-qam", "theirs");
  git(stage, "switch", "-q", "main");
  put("README.md", "ours\n");
  git(stage, "commit", "-qam", "ours");
  spawnSync("git", ["merge", "theirs"], { cwd: stage.repo });
  put("staged.txt", "staged\n");
  git(stage, "add", "staged.txt");
  put("staged.txt", "and changed\n");
  put("unknown.txt", "unknown\n");
  put(".env", "SECRET=1\n");
  mkdirSync(join(stage.repo, "build"));
  put("build/out", "built\n");
}

/** Files with their times, the index, HEAD and every branch; not objects, refs of ours, and what the runs write. */
function everything({ repo }: Stage): Record<string, string> {
  const mine = Object.entries(filesBelow(repo)).filter(
    ([name]) =>
      !/^\.git\/(objects|refs\/signalbox|logs\/refs\/signalbox)\/|^changes\/|^code\.txt$/.test(name),
  );
  return Object.fromEntries(
    mine.map(([name, text]) => [name, `${lstatSync(join(repo, name)).mtimeMs} ${text}`]),
  );
}

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

const PLACES = [
  "registry.before-workspace",
  "registry.after-leave-place",
  "registry.after-workspace",
  "registry.before-leave-place",
  "workspace.after-own",
  "workspace.before-snapshot",
  "journal.after-append",
];

const isAt =
  (...states: string[]) =>
  ({ state, isIdle }: Now): boolean =>
    states.includes(state) && isIdle;

const plan = (stage: Stage, change: string): Promise<string> =>
  stage.begin("in-place", "--param", `change=${change}`);

describe.runIf(isPerson)("in place", () => {
  test("a whole life among a person's work, and nothing of that is touched", async () => {
    await onStage(SCENE, async (stage) => {
      makeDirty(stage);
      const before = everything(stage);
      const run = await plan(stage, "one");
      await stage.until(run, isAt("planned"));
      expect(stage.said("where")).toBe(stage.repo);
      expect(stage.said("told")).toContain(`Plan one in ${stage.repo}, on main.`);
      const files = join(stage.repo, "changes/one");
      expect(readFileSync(join(files, "STATE.yaml"), "utf8")).toContain("state: planned");
      // There to be committed, and not hidden from git.
      expect(git(stage, "--no-optional-locks", "status", "--porcelain", "changes")).toBe("?? changes/\n");
      const parked = await stage.person("show", run);
      expect(parked.document["workspace"]).toMatchObject({ status: "released", inPlace: true, branch: "" });
      expect((await stage.person("move", run, "coding")).code).toBe(0);
      await stage.until(run, isAt("accepting", "broken"));
      expect((await stage.now(run)).state).toBe("accepting");
      expect((await stage.person("move", run, "done")).code).toBe(0);
      await stage.until(run, isAt("done"));
      expect(readFileSync(join(files, "STATE.yaml"), "utf8")).toContain("state: done");
      expect(readFileSync(join(stage.repo, "code.txt"), "utf8")).toBe("code\n");
      expect(everything(stage)).toEqual(before);
      expect(existsSync(join(stage.home.workspaces))).toBe(false);
      const mirror = `--git-dir=${mirrorOf(stage.home, stage.repo)}`;
      const head = `refs/runs/${run}/head`;
      expect(git(stage, mirror, "show", `${head}:code.txt`)).toBe("code\n");
      expect(git(stage, mirror, "ls-tree", "-r", "--name-only", head)).not.toContain("changes/");
      expect(git(stage, "for-each-ref", "refs/runs", "refs/signalbox")).toBe("");
    });
  });

  test("who comes meanwhile is told who is there; who ends it gives it back, and doctor and gc take nothing", async () => {
    await onStage(SCENE, async (stage) => {
      makeDirty(stage);
      const before = everything(stage);
      stage.say("slowly");
      const first = await plan(stage, "one");
      await stage.until(
        first,
        () => stage.said("at-work") !== "" || existsSync(join(stage.ledger, "at-work")),
      );
      const { document: shown } = await stage.person("show", first);
      expect(shown["workspace"]).toMatchObject({ path: stage.repo, status: "bound", inPlace: true });
      const { code, document } = await stage.person(
        "run",
        "in-place",
        "A life",
        "--detach",
        "--param",
        "change=two",
      );
      expect(code).toBe(5);
      expect(JSON.stringify(document)).toContain(`run ${first} works there`);
      expect(JSON.stringify(document)).toContain(`signalbox cancel ${first}`);
      for (const argv of [
        ["workspace", "gc"],
        ["doctor", "--repair"],
        ["workspace", "list"],
      ])
        expect((await stage.person(...argv)).document["code"]).not.toBe("internal");
      expect((await stage.person("cancel", first)).code).toBe(0);
      await stage.until(first, isAt("dropped"));
      expect(everything(stage)).toEqual(before);
      stage.unsay("slowly");
      const second = await plan(stage, "two");
      await stage.until(second, isAt("planned"));
      // While it waits for somebody it has nothing; two that wait are in nobody's way.
      const third = await plan(stage, "three");
      await stage.until(third, isAt("planned"));
      expect((await stage.person("move", second, "coding")).code).toBe(0);
      await stage.until(second, isAt("accepting"));
      for (const run of [second, third]) expect((await stage.person("cancel", run)).code).toBe(0);
      await stage.until(third, isAt("dropped"));
      expect((await stage.person("workspace", "gc")).code).toBe(0);
      expect((await stage.person("doctor", "--repair")).code).toBe(0);
      expect(everything(stage)).toEqual(before);
      expect((await stage.person("verify", "--all")).code).toBe(0);
    });
  });

  test.for(PLACES.filter((_, index) => IS_DEEP || index < 1))(
    "the supervisor is killed at %s: the place is nobody's for ever",
    async (name) => {
      await onStage(SCENE, async (stage) => {
        const env = { SIGNALBOX_SUPERVISOR_FAILPOINT: name };
        const argv = ["run", "in-place", "A life", "--detach", "--param", "change=one"];
        const { document } = await type(stage, argv, env);
        const run = String(document["run"]);
        // Whoever looks wakes the next one.
        const nudge = setInterval(() => void lookIn(stage), 300);
        try {
          await stage.until(run, isAt("planned"));
        } finally {
          clearInterval(nudge);
        }
        const next = await plan(stage, "two");
        await stage.until(next, isAt("planned"));
        expect((await stage.now(run)).workspace).toMatchObject({ status: "released", path: stage.repo });
      });
    },
  );
});
