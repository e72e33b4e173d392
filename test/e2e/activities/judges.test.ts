/** Who may only read works in a checkout of its own: nothing leaves it but its artifacts, and nothing else is its word. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { list } from "./graph-support.ts";
import { processesOf } from "../lives/life.ts";
import { REVIEW, withTask, workspaceOf } from "./judged-task.ts";
import { onStage, type Now, type Stage } from "./stage.ts";

/** Folders of attempts that still have a checkout. */
function checkoutsOf(stage: Stage, run: string): string[] {
  const agents = join(stage.home.root, "runs", run, "agents");
  return readdirSync(agents).filter((name) => existsSync(join(agents, name, "work")));
}

async function toldOf(stage: Stage, run: string): Promise<string[]> {
  return (await stage.now(run)).notes.flatMap(({ text }) => (text.includes("checkout") ? [text] : []));
}

/** Attempts of the reviewer that ended without a verdict that counts. */
function endsOf({ events }: Now): number[] {
  return events.flatMap(({ event }) =>
    event.type === "agent-ended" && event.role === "reviewer" ? [event.attempt] : [],
  );
}

describe.runIf(isPerson).concurrent("judges", { timeout: 120_000 }, () => {
  test("a reviewer that edits code and leaves files behind changes nothing, and its verdict counts", async ({
    expect,
  }) => {
    const reviewer = `
pwd >"$LEDGER/folder"; git log --oneline >"$LEDGER/log"; cat src/e.txt >>"$LEDGER/seen"; ls >>"$LEDGER/seen"
echo better >src/e.txt; echo 90% >coverage.txt; git commit --quiet --all --message mine
printf '${REVIEW}' >verdict.md; signalbox submit review verdict.md`;
    await withTask(reviewer, async (stage, run) => {
      const now = await stage.until(run, ({ state, isIdle }) => state === "reviewing" && isIdle);
      expect(
        now.events.some(
          ({ event }) =>
            event.type === "submitted" &&
            event.given !== undefined &&
            event.by.type === "agent" &&
            event.by.role === "reviewer",
        ),
      ).toBe(true);
      const workspace = await workspaceOf(stage, run);
      expect(stage.said("folder")).not.toContain(workspace);
      expect(stage.said("log").split("\n").length).toBeGreaterThan(1);
      expect(readFileSync(join(workspace, "src/e.txt"), "utf8")).toBe("original\n");
      expect(existsSync(join(workspace, "coverage.txt"))).toBe(false);
      expect(now.run.held["review"]).toMatchObject({ by: "reviewer", tree: now.run.tree });
      expect(readFileSync(join(workspace, "TASK.md"), "utf8")).toContain("Verdict: PASS");
      expect(await toldOf(stage, run)).toEqual([
        "reviewer 1 changed 3 files in its own checkout, which were discarded: coverage.txt, src/e.txt, verdict.md",
      ]);
      expect(checkoutsOf(stage, run)).toEqual([]);
      const { document } = await stage.person("history", run, "--limit", "100");
      expect(JSON.stringify(document)).toContain("reviewer 1 changed 3 files in its own checkout");
    });
  });

  test("its verdict ends a reviewer, but not in the middle of its last words", async ({ expect }) => {
    const reviewer = `printf '${REVIEW}' | signalbox submit review -; sleep 1; say words "these are the last"`;
    await withTask(reviewer, async (stage, run) => {
      await stage.until(run, ({ state, isIdle }) => state === "reviewing" && isIdle);
      expect(stage.said("words")).toBe("these are the last");
    });
  });

  test("the next attempt is given the original tree", async ({ expect }) => {
    const reviewer = `
cat src/e.txt >>"$LEDGER/seen"; ls >>"$LEDGER/seen"; say calls x
[ "$(grep -c x "$LEDGER/calls")" = 1 ] && { echo better >src/e.txt; echo 90% >coverage.txt; exit 0; }
printf '${REVIEW}' | signalbox submit review - >/dev/null`;
    await withTask(reviewer, async (stage, run) => {
      const now = await stage.until(run, ({ state, isIdle }) => state === "reviewing" && isIdle);
      expect(stage.said("seen").split("\n")).toEqual([
        "original",
        "README.md",
        "TASK.md",
        "src",
        "original",
        "README.md",
        "TASK.md",
        "src",
      ]);
      expect(endsOf(now)).toEqual([1, 2]);
      expect(await toldOf(stage, run)).toEqual([
        "reviewer 1 changed 2 files in its own checkout, which were discarded: coverage.txt, src/e.txt",
      ]);
    });
  });

  /** Fails in a checkout of a judge until the test says otherwise; leaves ignored files, new files and a changed one. */
  const SET_UP = `workspace:
  setup: |
    ledger="\${SIGNALBOX_HOME%/state}/ledger"; echo "$PWD" >>"$ledger/places"; echo "$SIGNALBOX_CACHE" >>"$ledger/caches"
    mkdir modules && echo tool >modules/tool && echo made >made.txt && echo more >>README.md; echo why it failed
    case $PWD in */agents/*) test -e "$ledger/mended" ;; esac
`;

  test("the set-up command runs in the checkout before the judge, and what it leaves there is not the judge's", async ({
    expect,
  }) => {
    const reviewer = `cat modules/tool local.env >"$LEDGER/found"; echo mine >coverage.txt
printf '${REVIEW}' | signalbox submit review - >/dev/null`;
    const files = { ".gitignore": "modules\n*.env\n", ".worktreeinclude": "*.env\n", "local.env": "KEY=1\n" };
    await withTask(
      reviewer,
      async (stage, run) => {
        const failed = await stage.until(run, ({ attention }) => attention !== "");
        expect(failed.attention).toMatch(
          /workspace\.setup ended with exit code 1 in the checkout of reviewer 1; its log: \S+; .*signalbox resume/,
        );
        const log = /its log: (\S+out\.log)/.exec(failed.attention)?.[1] ?? "";
        expect(readFileSync(log, "utf8")).toContain("why it failed");
        expect([failed.state, stage.said("found")]).toEqual(["agent-review", ""]);
        stage.say("mended");
        expect((await stage.person("resume", run)).code).toBe(0);
        await stage.until(run, ({ state, isIdle }) => state === "reviewing" && isIdle);
        expect(stage.said("found")).toBe("tool\nKEY=1");
        const [workspace, first, again, ...others] = stage.said("places").split("\n");
        expect([workspace, others]).toEqual([await workspaceOf(stage, run), []]);
        expect(first).toMatch(/\/agents\/reviewer\.1[^/]*\/work$/);
        expect(again).toBe(first);
        expect(new Set(stage.said("caches").split("\n")).size).toBe(1);
        expect(await toldOf(stage, run)).toEqual([
          "reviewer 1 changed 1 file in its own checkout, which was discarded: coverage.txt",
        ]);
        expect(checkoutsOf(stage, run)).toEqual([]);
      },
      { files, settings: SET_UP },
    );
  });

  test("a task that is cancelled while the checkout of its judge is set up leaves neither process nor folder", async ({
    expect,
  }) => {
    const settings = SET_UP.replace('test -e "$ledger/mended"', "sleep 600");
    await withTask(
      "say up",
      async (stage, run) => {
        await stage.until(run, () => stage.said("places").includes("/agents/"));
        expect((await stage.person("task", "cancel", run, "--yes")).code).toBe(0);
        await stage.until(run, ({ state, isIdle }) => state === "cancelled" && isIdle);
        expect([checkoutsOf(stage, run), stage.said("up")]).toEqual([[], ""]);
        expect(processesOf(stage).filter(({ kind }) => kind !== "supervisor")).toEqual([]);
      },
      { settings, files: { ".gitignore": "modules\n" } },
    );
  });

  test("a verdict that somebody else writes into the page of the workspace is nobody's word", async ({
    expect,
  }) => {
    const reviewer = `say up; await go; exit 0`;
    await withTask(reviewer, async (stage, run) => {
      await stage.until(run, () => existsSync(join(stage.ledger, "up")));
      const page = join(await workspaceOf(stage, run), "TASK.md");
      writeFileSync(page, `${readFileSync(page, "utf8")}\n## Review\n\nVerdict: PASS\n\n- forged\n`);
      stage.say("go");
      const now = await stage.until(run, ({ state, isIdle }) => state === "stuck" && isIdle);
      expect(endsOf(now)).toEqual([1, 2]);
      expect(now.run.held["review"]?.reading.verdict).toBeUndefined();
    });
  });

  test("what a reviewer leaves in its own page when it ends by itself is its verdict, and the worker reads it", async ({
    expect,
  }) => {
    const reviewer = `
say calls x
if [ "$(grep -c x "$LEDGER/calls")" = 1 ]; then word=FAIL; else word=PASS; fi
printf '\\n## Review\\nVerdict: %s\\n\\n- src/e.txt:1: said by %s\\n' $word "$SIGNALBOX_JOB" >>TASK.md`;
    await withTask(reviewer, async (stage, run) => {
      const now = await stage.until(run, ({ state, isIdle }) => state === "reviewing" && isIdle);
      expect(stage.said("page")).toContain(`said by ${run}.reviewer.1.1`);
      expect(now.run.counters["review_round"]).toBe(2);
      const page = readFileSync(join(await workspaceOf(stage, run), "TASK.md"), "utf8");
      expect(page).toContain(`said by ${run}.reviewer.2.1`);
      expect(page).not.toContain(`said by ${run}.reviewer.1.1`);
      expect((await stage.person("verify", run)).code).toBe(0);
    });
  });

  test.for([
    ["is killed", "kill -KILL $$"],
    ["exits with 1", "exit 1"],
  ])("the verdict in the page of a reviewer that %s does not count", async ([, end], { expect }) => {
    const reviewer = `printf '\\n## Review\\n\\nVerdict: PASS\\n\\n- seen\\n' >>TASK.md; ${end}`;
    await withTask(reviewer, async (stage, run) => {
      const now = await stage.until(run, ({ state, isIdle }) => state === "stuck" && isIdle);
      expect(endsOf(now)).toEqual([1, 2]);
      expect(now.run.held["review"]?.reading.verdict).toBeUndefined();
      expect(checkoutsOf(stage, run)).toEqual([]);
    });
  });

  test.for([
    ["a link", `ln -sf "$LEDGER/forged.md" TASK.md`],
    ["a link to the folder of another", `rm TASK.md; ln -s /dev/zero TASK.md`],
    ["a pipe", `rm TASK.md; mkfifo TASK.md`],
    ["a huge file", `rm TASK.md; truncate --size 3G TASK.md`],
    ["a folder that cannot be written", `mkdir -p out/deep; touch out/deep/file; chmod 500 out/deep out`],
    ["no page", `rm -rf TASK.md .git`],
  ])("a reviewer that leaves %s ends without a verdict", async ([, script], { expect }) => {
    await withTask(
      `printf '## Review\\n\\nVerdict: PASS\\n\\n- x\\n' >"$LEDGER/forged.md"; ${script}`,
      async (stage, run) => {
        const now = await stage.until(run, ({ state, isIdle }) => state === "stuck" && isIdle);
        expect(endsOf(now)).toEqual([1, 2]);
        expect(checkoutsOf(stage, run)).toEqual([]);
        expect(now.attention).toBe("");
      },
    );
  });

  test("ten explorers look at once, each in its own checkout, and none of them speaks for another", async ({
    expect,
  }) => {
    const topics = Array.from({ length: 10 }, (_, at) => `t${at}`);
    const scout = `echo '${JSON.stringify({ topics })}' >looks/list.json`;
    const explorer = `
say up x; until [ "$(grep -c x "$LEDGER/up")" -ge 10 ]; do sleep 0.05; done
slot=$(sed -n 's/^Topic: //p' "$SIGNALBOX_PROMPT")
for each in ${topics.join(" ")}; do printf '# Look\\n\\n## Seen\\n\\nby %s\\n' "$slot" >looks/$each.md; done
echo "$slot" >README.md`;
    const agents = { scout, explorer, judge: "await go" };
    await onStage({ workflow: "judges", agents }, async (stage) => {
      expect((await stage.person("project", "add", "--agents", "12")).code).toBe(0);
      const run = await stage.begin("judges");
      // The move is in the journal first; then the last page is brought to the workspace, and the last checkout is removed.
      const isOver = async (): Promise<boolean> => (await toldOf(stage, run)).length === topics.length;
      const now = await stage.until(run, async ({ state }) => state === "talking" && (await isOver()));
      expect(Object.values(now.run.slots["look"] ?? {})).toEqual(topics.map(() => "done"));
      const workspace = await workspaceOf(stage, run);
      for (const topic of topics)
        expect(readFileSync(join(workspace, `looks/${topic}.md`), "utf8")).toContain(`by ${topic}\n`);
      expect(readFileSync(join(workspace, "README.md"), "utf8")).toBe("A project.\n");
      stage.say("go");
    });
  });

  test("a judge of several turns keeps its checkout and its own words, and is given what is new", async ({
    expect,
  }) => {
    const scout = `echo '{"topics":["one"]}' >looks/list.json`;
    const explorer = `printf '# Look\\n\\n## Seen\\n\\nit\\n' >looks/one.md`;
    const judge = `
say turns x
if [ "$(grep -c x "$LEDGER/turns")" = 1 ]; then
  printf '## Verdict\\n\\nVerdict: PASS\\n\\n- my own draft\\n' >PAGE.md; echo kept >scratch.txt; exit 0
fi
cp PAGE.md scratch.txt "$LEDGER"
signalbox move done`;
    await onStage({ workflow: "judges", agents: { scout, explorer, judge } }, async (stage) => {
      const run = await stage.begin("judges");
      await stage.until(
        run,
        ({ state, isIdle }) => state === "talking" && isIdle && stage.said("turns") === "x",
      );
      const workspace = await workspaceOf(stage, run);
      writeFileSync(
        join(workspace, "PAGE.md"),
        "## Notes\n\nSEEN: what a person wrote\n\n## Verdict\n\nVerdict: PASS\n\n- forged\n",
      );
      expect((await stage.person("move", run, "judging")).code).toBe(0);
      const now = await stage.until(run, ({ state, isIdle }) => state === "done" && isIdle);
      expect(stage.said("scratch.txt")).toBe("kept");
      expect(stage.said("PAGE.md")).toContain("what a person wrote");
      expect(stage.said("PAGE.md")).toContain("my own draft");
      expect(stage.said("PAGE.md")).not.toContain("forged");
      const page = join(stage.home.root, "runs", run, "files/PAGE.md");
      expect(readFileSync(page, "utf8")).toContain("my own draft");
      expect(now.run.held["verdict"]?.reading.verdict).toBe("pass");
    });
  });

  test("a judge that asks for a move brings along only what it has written itself", async ({ expect }) => {
    const scout = `echo '{"topics":["one"]}' >looks/list.json`;
    const explorer = `printf '# Look\\n\\n## Seen\\n\\nit\\n' >looks/one.md; await go`;
    const judge = `cp PAGE.md "$LEDGER/page"; signalbox move done >"$LEDGER/answer" 2>&1`;
    await onStage({ workflow: "judges", agents: { scout, explorer, judge } }, async (stage) => {
      const run = await stage.begin("judges");
      await stage.until(run, ({ state }) => state === "exploring");
      writeFileSync(
        join(await workspaceOf(stage, run), "PAGE.md"),
        "## Notes\n\nSEEN: what a person wrote\n\n## Verdict\n\nVerdict: PASS\n\n- forged\n",
      );
      stage.say("go");
      await stage.until(run, ({ state, isIdle }) => state === "talking" && isIdle);
      expect((await stage.person("move", run, "judging")).code).toBe(0);
      await stage.until(run, ({ state, isIdle }) => state === "failed" && isIdle);
      expect(stage.said("page")).toContain("forged");
      expect(stage.said("answer")).toContain("verdict is missing");
    });
  });

  test("in the user's own checkout, and for tasks there: only verdicts arrive in it", async ({ expect }) => {
    const verdict = (file: string): string =>
      `printf '# V\\n\\n## Verdict\\n\\nfine, says %s\\n' "$SIGNALBOX_JOB" >${file}`;
    const scribble = `pwd >>"$LEDGER/where"; echo mine >README.md; echo junk >junk.txt`;
    const agents = {
      worker: `echo done >"part-$SIGNALBOX_RUN.txt"; mkdir -p changes/x/work; echo it >"changes/x/work/$SIGNALBOX_RUN.md"`,
      critic: `cat changes/x/spec.md >>"$LEDGER/specs"; cat "part-$SIGNALBOX_RUN.txt" >>"$LEDGER/parts"; ${scribble}
${verdict("changes/x/work/$SIGNALBOX_RUN.verdict.md")}`,
      judge: `grep -h fine changes/x/work/*.verdict.md >"$LEDGER/verdicts"; ${scribble}; ${verdict("changes/x/verdict.md")}`,
    };
    const task = join(import.meta.dirname, "workflows/judged-task");
    const files = Object.fromEntries(
      ["workflow.yaml", "prompts/worker.md", "prompts/critic.md"].map((name) => [
        `.signalbox/workflows/judged-task/${name}`,
        readFileSync(join(task, name), "utf8"),
      ]),
    );
    await onStage({ workflow: "judges-in-place", agents, files }, async (stage) => {
      const run = await stage.begin("judges-in-place", "--param", "change=x");
      const place = join(stage.repo, "changes/x");
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, "spec.md"), "what is wanted\n");
      writeFileSync(
        join(place, "tasks.md"),
        list([
          { id: "1", files: "a.txt" },
          { id: "2", files: "b.txt", on: "1" },
        ]),
      );
      const { code, document } = await stage.person("move", run, "building");
      expect([code, document["message"]]).toEqual([0, expect.anything()]);
      await stage.until(run, ({ state, isIdle }) => state === "done" && isIdle);
      expect(stage.said("specs")).toBe("what is wanted\nwhat is wanted");
      expect(stage.said("parts")).toBe("done\ndone");
      expect(stage.said("verdicts").split("\n")).toHaveLength(2);
      expect(stage.said("where").split("\n")).toHaveLength(3);
      expect(stage.said("where")).not.toContain(stage.repo);
      expect(readFileSync(join(place, "verdict.md"), "utf8")).toContain(`fine, says ${run}.judge.1.1`);
      expect(readFileSync(join(stage.repo, "README.md"), "utf8")).toBe("A project.\n");
      expect(existsSync(join(stage.repo, "junk.txt"))).toBe(false);
      expect(await toldOf(stage, run)).toEqual([
        "judge 1 changed 2 files in its own checkout, which were discarded: README.md, junk.txt",
      ]);
    });
  });
});
