/** What a person must mend is told with its reason and the way on; mended, the run goes on, and nothing else is lost. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { takeSupervisorLock } from "../../../src/adapters/supervisor/lock.ts";
import { processesOf } from "../lives/life.ts";
import { filesBelow, onStage, supervised, type Scene, type Stage } from "./stage.ts";
import { sampled } from "../../support/sampled.ts";

const QUICK = `
echo work >work.txt
printf 'DONE: %s\\n' "$SIGNALBOX_JOB" | signalbox submit handoff -
signalbox move testing
`;
const SCENE: Scene = {
  workflow: "checks",
  agents: { coder: QUICK, fixer: "true" },
  files: { "test.sh": "true" },
};

type Trouble = {
  readonly what: string;
  readonly make: (stage: Stage, run: string) => void;
  readonly mend: (stage: Stage, run: string) => void;
  readonly reason: RegExp;
};

const settings = (stage: Stage): string => join(stage.root, "config/signalbox/config.yaml");
const edit = (from: string | RegExp, to: string) => (stage: Stage) =>
  writeFileSync(settings(stage), readFileSync(settings(stage), "utf8").replace(from, to));
const git = (stage: Stage, ...argv: string[]): void =>
  void execFileSync("git", argv, { cwd: stage.repo, stdio: "ignore" });

const TROUBLES: readonly Trouble[] = [
  {
    what: "a harness that nobody knows",
    make: edit("harness: scripted", "harness: nobody"),
    mend: edit("harness: nobody", "harness: scripted"),
    reason: /there is no harness "nobody".*signalbox resume/s,
  },
  {
    what: "a program that is not installed",
    make: edit("[sh,", "[no-such-program,"),
    mend: edit("[no-such-program,", "[sh,"),
    reason: /needs no-such-program, which is not on the PATH.*install no-such-program.*signalbox resume/s,
  },
  {
    what: "settings that cannot be read",
    make: edit("harnesses:", "harnesses: ["),
    mend: edit("harnesses: [", "harnesses:"),
    reason: /config\.yaml:\d+:\d+.*signalbox resume/s,
  },
  {
    what: "its branch checked out elsewhere",
    make: (stage, run) =>
      git(stage, "worktree", "add", "-b", `signalbox/${run}`, join(stage.root, "elsewhere")),
    mend: (stage) => git(stage, "worktree", "remove", join(stage.root, "elsewhere")),
    reason: /signalbox\/\w+.*elsewhere.*signalbox resume/s,
  },
  {
    what: "a repository that is trusted no more",
    make: (stage) => writeFileSync(join(stage.repo, ".signalbox/config.yaml"), "minutes: 5\n"),
    mend: (stage) => rmSync(join(stage.repo, ".signalbox/config.yaml")),
    reason: /has changed since it was trusted; try again: signalbox trust/,
  },
];

describe.runIf(isPerson).concurrent("needs attention", () => {
  test.for(sampled(2, TROUBLES))("$what", async ({ make, mend, reason }) => {
    await onStage(SCENE, async (stage) => {
      // Nothing is done before the trouble is there.
      const lock = takeSupervisorLock(stage.home);
      const run = await stage.begin("checks");
      make(stage, run);
      lock?.release();
      await stage.person("show", run);
      const { attention, state } = await stage.until(run, (now) => now.attention !== "");
      expect(state).toBe("coding");
      expect(attention).toMatch(reason);
      const { document } = await stage.person("inbox");
      expect(document["items"]).toMatchObject([{ run, kind: "attention" }]);
      // Trying again in vain loses nothing.
      await stage.person("resume", run);
      await stage.until(run, (now) => now.attention !== "" && now.isIdle);
      mend(stage, run);
      expect((await stage.person("resume", run)).code).toBe(0);
      const now = await stage.until(run, (seen) => seen.state === "accepting" && seen.isIdle);
      expect(now.attention).toBe("");
      expect(now.run.attempts).toEqual({ coder: 1 });
      expect((await stage.person("verify", run)).code).toBe(0);
    });
  });

  test("work that git cannot read is reported with its file, and does not keep a person from cancelling", async () => {
    const coder = `printf '*.u16 text working-tree-encoding=UTF-16\\n' >.gitattributes; printf x >bad.u16; ${QUICK}`;
    await onStage({ ...SCENE, agents: { coder, fixer: "true" } }, async (stage) => {
      const run = await stage.begin("checks");
      const { attention, workspace } = await stage.until(run, (now) => now.attention !== "");
      const file = join(workspace?.path ?? "", "bad.u16");
      expect(attention).toContain(`fix or remove ${file}, then: signalbox resume ${run}`);
      const doctor = await stage.person("doctor");
      expect(JSON.stringify(doctor.document)).toContain(
        `run ${run} needs attention: Git cannot read bad.u16`,
      );
      expect((await stage.person("cancel", run)).code).toBe(0);
      const now = await stage.until(run, ({ state, isIdle }) => state === "dropped" && isIdle);
      expect(now.attention).toBe("");
      expect(now.notes.map(({ text }) => text)).toContainEqual(
        expect.stringContaining("the work could not be read: Git cannot read bad.u16"),
      );
      const kept = filesBelow(join(stage.home.root, "runs", run, "kept/workspace"));
      expect([kept["bad.u16"], kept["work.txt"]]).toEqual(["x", "work\n"]);
    });
  });

  test("somebody's files where the workspace belongs are set aside with the reason", async () => {
    await onStage(SCENE, async (stage) => {
      const lock = takeSupervisorLock(stage.home);
      const run = await stage.begin("checks");
      const place = join(stage.home.workspaces, run);
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, "mine.txt"), "precious\n");
      lock?.release();
      await stage.person("show", run);
      await stage.until(run, ({ state, isIdle }) => state === "accepting" && isIdle);
      const kept = Object.entries(filesBelow(stage.home.quarantine));
      expect(kept.filter(([name]) => name.endsWith("/mine.txt")).map(([, text]) => text)).toEqual([
        "precious\n",
      ]);
      expect(kept.find(([name]) => name.endsWith(".reason.txt"))?.[1]).toContain(stage.home.workspaces);
    });
  });

  test("a run that is stopped ends its agents, and goes on in the same state without a crash", async () => {
    const coder = `say coder; [ -e "$LEDGER/go" ] || sleep 600; ${QUICK}`;
    await onStage({ ...SCENE, agents: { coder, fixer: "true" } }, (stage) =>
      supervised(stage, {}, async () => {
        const run = await stage.begin("checks");
        await stage.until(run, ({ run: { agents } }) => agents["coder"]?.status === "alive");
        expect((await stage.person("stop", run)).code).toBe(0);
        const halted = await stage.until(run, () => processesOf(stage).length === 0);
        expect(halted.state).toBe("coding");
        await stage.until(run, ({ isIdle }) => isIdle);
        // Whatever is asked for while it is halted waits.
        expect((await stage.person("show", run)).document).toMatchObject({ halted: true, state: "coding" });
        stage.say("go");
        expect((await stage.person("resume", run)).document).toMatchObject({
          unhalted: true,
          state: "coding",
        });
        const now = await stage.until(run, ({ state, isIdle }) => state === "accepting" && isIdle);
        expect(now.events.some(({ event }) => event.type === "counted")).toBe(false);
        expect(await stage.trace(run)).toEqual([
          "human (signed): started the run; start -> coding; coder is called, attempt 1",
          "coder: submitted; handoff: read",
          "coder: asked for testing; coding -> testing; coder is stopped",
          "engine: looked at the files; tests: pass; testing -> accepting",
        ]);
      }),
    );
  });
});
