/** What a judge is given, and what happens where the work cannot be handed over, changes meanwhile, or is gone. */

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { branchOf, REVIEW, SETTINGS, withTask, WORKER, workspaceOf } from "./judged-task.ts";
import { onStage } from "./stage.ts";

describe.runIf(isPerson).concurrent("judged work", { timeout: 120_000 }, () => {
  test("work that cannot be handed over is refused before a judge is started, and the repaired work is judged", async ({
    expect,
  }) => {
    const ask = `signalbox update --status agent-review >>"$LEDGER/answer" 2>&1; say codes $?`;
    const worker = WORKER.replace(
      /signalbox update --status agent-review >\/dev\/null$/,
      `git init -q n; git -C n commit -q --allow-empty -m n; echo a >n/a\n${ask}; rm -rf n/.git; ${ask}`,
    );
    const reviewer = `ls n >>"$LEDGER/seen"; git rev-parse HEAD >>"$LEDGER/commit"
printf '${REVIEW}' | signalbox submit review - >/dev/null`;
    await onStage({ agents: { worker, reviewer }, settings: SETTINGS }, async (stage) => {
      const { document } = await stage.person("task", "create", "A judged task");
      const run = String(document["run"]);
      const now = await stage.until(run, ({ state, isIdle }) => state === "reviewing" && isIdle);
      expect(stage.said("codes").split("\n")).toEqual(["5", "0"]);
      expect(stage.said("answer")).toContain(`n in the workspace of ${run} is a separate git repository`);
      expect(stage.said("seen")).toBe("a");
      expect(now.attention).toBe("");
      const head = execFileSync("git", ["rev-parse", await branchOf(stage, run)], {
        cwd: stage.repo,
        encoding: "utf8",
      });
      expect(stage.said("commit")).toBe(head.trim());
    });
  });

  test("a judge is not started while the handover fails, and is given the work after resume", async ({
    expect,
  }) => {
    const reviewer = `say up; printf '${REVIEW}' | signalbox submit review - >/dev/null`;
    const worker = `${WORKER.replace(/signalbox update --status agent-review >\/dev\/null$/, "")}
refs=$(ls -d "$SIGNALBOX_HOME"/mirrors/*.git/refs)/runs; chmod 500 "$refs/$SIGNALBOX_RUN" 2>/dev/null
rm -rf "$refs/$SIGNALBOX_RUN/work"; : >"$refs/$SIGNALBOX_RUN/work"
signalbox update --status agent-review >/dev/null`;
    await onStage({ agents: { worker, reviewer }, settings: SETTINGS }, async (stage) => {
      const { document } = await stage.person("task", "create", "A judged task");
      const run = String(document["run"]);
      const { deeds } = await stage.until(run, ({ attention, isIdle }) => attention !== "" && isIdle);
      const waiting = deeds.filter(({ status }) => status === "attention").map(({ deed }) => deed.type);
      expect([waiting, stage.said("up")]).toEqual([["snapshot", "start-agent"], ""]);
      const mirrors = join(stage.home.root, "mirrors");
      const mirror = readdirSync(mirrors).find((name) => name.endsWith(".git")) ?? "";
      const work = join(mirrors, mirror, "refs/runs", run, "work");
      rmSync(work);
      chmodSync(dirname(work), 0o700);
      expect((await stage.person("resume", run)).code).toBe(0);
      await stage.until(run, ({ state, isIdle }) => state === "reviewing" && isIdle);
    });
  });

  test("a verdict about work that changed meanwhile does not count, nor as a crash, and the new work is reviewed", async ({
    expect,
  }) => {
    const reviewer = `cat src/e.txt >>"$LEDGER/seen"; say up; await go
printf '${REVIEW}' | signalbox submit review - >/dev/null`;
    await withTask(reviewer, async (stage, run) => {
      await stage.until(run, () => existsSync(join(stage.ledger, "up")));
      writeFileSync(join(await workspaceOf(stage, run), "src/e.txt"), "late\n");
      stage.say("go");
      const now = await stage.until(run, ({ state, isIdle }) => state === "reviewing" && isIdle);
      expect(stage.said("seen")).toBe("original\nlate");
      expect([now.run.counters["crash_count"] ?? 0, now.run.counters["review_round"]]).toEqual([0, 1]);
      expect((await stage.trace(run)).join("\n")).toContain(
        "the work changed meanwhile, so no verdict about the earlier work counts",
      );
      const branch = execFileSync("git", ["show", `${await branchOf(stage, run)}:src/e.txt`], {
        cwd: stage.repo,
      });
      expect(branch.toString()).toBe("late\n");
      expect((await stage.person("verify", run)).code).toBe(0);
    });
  });

  test("a workspace that was deleted by hand is reported, and made again by doctor --repair", async ({
    expect,
  }) => {
    await withTask(`printf '${REVIEW}' | signalbox submit review - >/dev/null`, async (stage, run) => {
      await stage.until(run, ({ state, isIdle }) => state === "reviewing" && isIdle);
      const path = await workspaceOf(stage, run);
      rmSync(path, { recursive: true });
      const asked = await stage.person("task", "request-changes", run, "again");
      expect([asked.code, asked.document]).toMatchObject([
        5,
        { code: "no-workspace", next: "signalbox doctor --repair" },
      ]);
      const said = `its workspace ${path} is gone; make it again: signalbox doctor --repair`;
      expect((await stage.person("show", run)).document).toMatchObject({ attention: said });
      const inbox = await stage.person("inbox");
      expect(inbox.document["items"]).toMatchObject([
        {
          run,
          kind: "attention",
          reason: expect.stringContaining(`Needs attention: ${said}`) as unknown,
        },
      ]);
      await stage.person("doctor", "--repair");
      expect((await stage.person("show", run)).document).toMatchObject({ attention: "" });
      expect((await stage.person("task", "request-changes", run, "again")).code).toBe(0);
      await stage.until(run, ({ state, isIdle }) => state === "reviewing" && isIdle);
    });
  });

  test.for<[string, string]>([
    ["its branch has all of its work", "true"],
    ["its branch lacks a part of its work", "git init -q n; git -C n commit -q --allow-empty -m n"],
    ["its branch lacks a part of its work", "mkdir -p x/.GIT; echo y >x/.GIT/config"],
  ])("a task that is cancelled says that %s after: %s", async ([said, script], { expect }) => {
    const worker = `echo work >work.txt; ${script}; say up; await never`;
    await onStage({ agents: { worker, reviewer: "true" }, settings: SETTINGS }, async (stage) => {
      const { document } = await stage.person("task", "create", "A cancelled task");
      const run = String(document["run"]);
      await stage.until(run, () => existsSync(join(stage.ledger, "up")));
      const bin = join(import.meta.dirname, "../../../bin/signalbox");
      const options = { cwd: stage.repo, env: stage.env, encoding: "utf8" } as const;
      const { status, stdout, stderr } = spawnSync(bin, ["task", "cancel", run, "--yes"], options);
      expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining(said)]);
      await stage.until(run, ({ state, isIdle }) => state === "cancelled" && isIdle);
      const shownWork = ["show", `${await branchOf(stage, run)}:work.txt`];
      const onBranch = spawnSync("git", shownWork, { cwd: stage.repo }).status === 0;
      expect(onBranch).toBe(script === "true");
      const shown = await stage.person("salvage", "show", run);
      expect(script === "true" || shown.code === 0).toBe(true);
    });
  });
});
