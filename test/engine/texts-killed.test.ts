/** Killed between the commit and the file, or after it, whatever comes next: files show what was accepted, and no edit is lost. */

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Incoming, Reading } from "../../src/core/model/event.ts";
import type { Works } from "../../src/engine/box.ts";
import { begin } from "../../src/engine/submit/begin.ts";
import { project } from "../../src/engine/submit/project.ts";
import type { SubmittedText } from "../../src/engine/submit/show-texts.ts";
import { submit } from "../../src/engine/submit/submit.ts";
import type { Request } from "../../src/engine/submit/write.ts";
import { dispatching, type Scene } from "../support/dispatch.ts";
import { agent, HUMAN } from "../support/play.ts";
import { fromText } from "../support/workflows.ts";

const PLACE = fromText(`$schema: workflow-1.schema.json
name: words
title: A person says something, and a check runs
params: { command: { text: "true" } }
artifacts:
  words: { in: TASK.md, section: Words, all: [SAID], by: human }
  fix: { in: TASK.md, section: Fix, by: human }
  tests: { check: $command, in: out.txt }
states:
  here: { waits: true }
  there: { waits: true }
  closed: { final: done }
moves:
  - { from: start, to: here, by: human, reserve: place }
  - { from: here, to: there, by: human, verb: send-back, text: required, into: fix }
  - { from: there, to: here, by: human, verb: send-back, text: required, into: fix }
  - { from: [here, there], to: closed, by: human, need: [words, tests] }
`);

const TEAM = fromText(
  `$schema: workflow-1.schema.json
name: team
title: A worker writes, and a judge reads
artifacts:
  goal: { in: TASK.md, section: Goal, by: human }
  plan: { in: TASK.md, section: Plan, by: [worker, human] }
  review: { in: TASK.md, section: Review, verdict: { PASS: pass, FAIL: needs_fix }, by: judge }
roles:
  worker: { access: write }
  judge: { access: read }
states:
  planning: { enter: [start worker] }
  judging: { enter: [start judge] }
  over: { waits: true }
  closed: { final: done }
moves:
  - { from: start, to: planning, by: human, reserve: place }
  - { from: planning, to: judging, by: [worker, human], need: plan }
  - { from: judging, to: over, by: engine, when: { review: [pass, needs_fix] } }
  - { from: over, to: closed, by: human }
ends:
  - { role: worker, in: [planning, judging, over], else: { do: [mark worker] } }
  - { role: judge, in: judging, else: { do: [mark judge] } }
`,
  { worker: "Work.\n", judge: "Judge.\n" },
);

const BEFORE = "# Page\n\n## Words\n\nSAID: first\n\n## Mine\n\nkept\n";

type Kill = "before" | "after" | "never";

/** `before`: dies before the file is written; `after`: dies before the mark is removed. */
function killed(works: Works, kill: Kill): Works {
  const show: Works["artifacts"]["show"] = async (...of) => {
    if (kill === "before") throw new Error("killed");
    await works.artifacts.show(...of);
    throw new Error("killed");
  };
  return kill === "never" ? works : { ...works, artifacts: { ...works.artifacts, show } };
}

async function unlessKilled(act: Promise<unknown>): Promise<void> {
  await act.catch((error: unknown) => {
    if (!(error instanceof Error && error.message === "killed")) throw error;
  });
}

type Said = {
  readonly text: SubmittedText;
  readonly event: (facts: Parameters<Request["event"]>[0]) => Incoming;
};

function say(works: Works, { text, event }: Said): Promise<unknown> {
  const by = event.name === "observed" ? ({ type: "engine" } as const) : HUMAN;
  return submit(works, { run: "r1", by, texts: [text], event });
}

const SAY: Readonly<Record<string, (token: string, state: string) => Said>> = {
  words: (token) => ({
    text: { artifact: "words", slot: "", text: `SAID: ${token}` },
    event: ({ at, readings = [] }) => ({
      type: "submitted",
      by: HUMAN,
      at,
      readings: readings.filter(({ artifact }) => artifact === "words"),
    }),
  }),
  fix: (token, state) => ({
    text: { artifact: "fix", slot: "", text: token, archive: `fix-${token}` },
    event: ({ kept: _kept, ...known }) => ({
      type: "move-asked",
      by: HUMAN,
      to: state === "here" ? "there" : "here",
      ...known,
    }),
  }),
  tests: (token) => ({
    text: { artifact: "tests", slot: "", text: `${token}\n` },
    event: function observed({ at }) {
      const reading: Reading = {
        artifact: "tests",
        slot: "",
        found: true,
        digest: token,
        faults: [],
        fields: {},
        lists: {},
      };
      return { type: "observed", at, readings: [{ ...reading, verdict: "pass" }] };
    },
  }),
};

/** Every text that the archive or the store has. */
async function keptTexts({ works, store }: Scene): Promise<readonly string[]> {
  const { archive } = works.folders("r1");
  const files = existsSync(archive) ? readdirSync(archive, { recursive: true, withFileTypes: true }) : [];
  const archived = files.flatMap((entry) =>
    entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name), "utf8")] : [],
  );
  const digests = (await store.events("r1")).flatMap(({ event }) =>
    "readings" in event ? (event.readings ?? []).flatMap(({ text }) => text ?? []) : [],
  );
  const stored = await Promise.all([...new Set(digests)].map((digest) => store.text(digest)));
  return [...archived, ...stored.map((text) => text ?? "LOST")];
}

function sectionIn(page: string, heading: string): string {
  return new RegExp(`^## ${heading}\n\n([^#]*)`, "m").exec(page)?.[1]?.trim() ?? "";
}

const step = fc.record({
  what: fc.constantFrom("words", "fix", "tests", "edit Words", "edit Fix", "look"),
  kill: fc.constantFrom<Kill>("never", "before", "after"),
});

test("no order of texts, edits and kills loses an edit, or leaves a file behind", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      await dispatching(PLACE, async (scene) => {
        scene.put({ "TASK.md": BEFORE });
        await scene.begin();
        await scene.work();
        const edits = new Set<string>();
        const latest: Record<string, readonly string[]> = { Words: ["SAID: first"], Fix: [""] };
        let output = "";
        for (const [index, { what, kill }] of steps.entries()) {
          const token = `token-${index}.`;
          const works = killed(scene.works, kill);
          const [, heading = ""] = /^edit (.*)$/.exec(what) ?? [];
          const said = SAY[what]?.(token, (await scene.run()).state);
          if (said !== undefined) {
            const { seq } = await scene.run();
            await unlessKilled(say(works, said));
            // Killed over the text before this one.
            if ((await scene.run()).seq === seq) continue;
            const shown = said.text.artifact === "words" ? "Words" : "Fix";
            if (what === "tests") output = said.text.text;
            else latest[shown] = [said.text.text];
          } else if (heading !== "") {
            const text = heading === "Words" ? `SAID: ${token}` : token;
            const page = scene.read("TASK.md");
            const old = sectionIn(page, heading);
            const isThere = page.includes(`## ${heading}\n`) && old !== "";
            const edited = isThere ? page.replace(old, text) : `${page}\n## ${heading}\n\n${text}\n`;
            if (!isThere && page.includes(`## ${heading}\n`)) continue;
            scene.put({ "TASK.md": edited });
            // What a person writes over themselves is theirs to lose.
            edits.delete(old);
            edits.add(text);
            latest[heading] = [...(latest[heading] ?? []), text];
          } else await unlessKilled(project(works, "r1"));
        }
        await project(scene.works, "r1");
        const page = scene.read("TASK.md");
        for (const [heading, texts] of Object.entries(latest))
          expect(texts, `${heading} of ${page}`).toContain(sectionIn(page, heading));
        expect(page).toContain("## Mine\n\nkept\n");
        expect(existsSync(join(scene.repo, "out.txt")) ? scene.read("out.txt") : "").toBe(output);
        const kept = [page, ...(await keptTexts(scene))];
        expect(kept).not.toContain("LOST");
        for (const text of edits)
          expect(
            kept.some((each) => each.includes(text)),
            `${text} is lost`,
          ).toBe(true);
        // Nothing is behind any more: the same again writes nothing.
        const before = scene.read("TASK.md");
        await project(scene.works, "r1");
        expect(scene.read("TASK.md")).toBe(before);
      });
    }),
    { numRuns: process.env["SIGNALBOX_DEEP"] === undefined ? 25 : 500 },
  );
});

test.for<Kill>(["before", "after"])("a run that begins with texts, killed %s the file", async (kill) => {
  await dispatching(
    fromText(`$schema: workflow-1.schema.json
name: begun
title: A run that begins with a text
artifacts:
  context: { in: TASK.md, section: Context, by: human }
  plan: { in: TASK.md, section: Plan, by: human }
states: { open: { waits: true }, closed: { final: done } }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: closed, by: human, need: context }
`),
    async (scene) => {
      const workflow = await scene.works.workflow("");
      const birth = { workflow: "begun", goal: "X", repo: scene.repo, base: "" };
      const texts = [
        { artifact: "context", slot: "", text: "Why." },
        { artifact: "plan", slot: "", text: "How." },
      ];
      const start = { run: "r1", by: HUMAN, workflow, birth, params: {}, texts };
      const { files } = scene.works.folders("r1");
      const refused = await begin(scene.works, { ...start, to: "closed" });
      expect([refused.type, existsSync(files)]).toEqual(["refused", false]);
      await unlessKilled(begin(killed(scene.works, kill), start));
      expect(existsSync(files)).toBe(kill === "after");
      await project(scene.works, "r1");
      const page = readFileSync(join(files, "TASK.md"), "utf8");
      expect(page).toBe("## Context\n\nWhy.\n\n## Plan\n\nHow.\n");
      expect(await keptTexts(scene)).toEqual(["Why.", "How."]);
    },
  );
});

test.for<Kill>(["before", "after"])(
  "the review of a judge, killed %s the file: its checkout is not needed",
  async (kill) => {
    await dispatching(TEAM, async (scene) => {
      await scene.begin();
      await scene.work();
      scene.put({ "TASK.md": "# Page\n\n## Plan\n\nDo it.\n" });
      await scene.ask((at) => ({ type: "move-asked", by: HUMAN, at, to: "judging" }));
      await scene.work();
      const judge = await scene.store.agent({ run: "r1", role: "judge", slot: "", attempt: 1 });
      const own = join(judge?.dir ?? "", "work/TASK.md");
      writeFileSync(own, REVIEW);
      const { by, event } = judged(await scene.run());
      const dying = killed(scene.works, kill);
      await unlessKilled(submit(dying, { run: "r1", by, event, texts: [] }).then(() => project(dying, "r1")));
      rmSync(own, { force: true });
      await project(scene.works, "r1");
      expect(scene.read("TASK.md")).toContain("## Review\nVerdict: PASS\n");
      expect((await scene.run()).state).toBe("over");
      expect(await keptTexts(scene)).toContain("## Review\nVerdict: PASS\n");
    });
  },
);

const REVIEW = "# Mine\n\n## Review\nVerdict: PASS\n";

function judged(run: Parameters<typeof agent>[0]): Pick<Request, "by" | "event"> {
  const by = agent(run, "judge");
  return {
    by,
    event: ({ at, readings = [] }) => ({
      type: "submitted",
      by,
      at,
      readings: readings.filter(({ artifact }) => artifact === "review"),
    }),
  };
}

test("a file that a worker wrote is in the store with its move, and a later change of it is not", async () => {
  await dispatching(TEAM, async (scene) => {
    await scene.begin();
    await scene.work();
    scene.put({ "TASK.md": "## Plan\n\nDo it.\n" });
    const by = agent(await scene.run(), "worker");
    const moved = await submit(scene.works, {
      run: "r1",
      by,
      event: ({ kept: _kept, ...known }) => ({ type: "move-asked", by, to: "judging", ...known }),
    });
    expect(moved.type).toBe("accepted");
    scene.put({ "TASK.md": "## Plan\n\nDo something else.\n" });
    expect(await keptTexts(scene)).toEqual(["## Plan\n\nDo it.\n"]);
  });
});

test("an edit of a text that the file shows stays there, and counts when the person submits it", async () => {
  await dispatching(PLACE, async (scene) => {
    scene.put({ "TASK.md": BEFORE });
    await scene.begin();
    await scene.work();
    const said = SAY["words"]?.("accepted", "");
    if (said === undefined) throw new Error("nothing to say");
    await say(scene.works, said);
    const edited = scene.read("TASK.md").replace("accepted", "edited");
    scene.put({ "TASK.md": edited });
    await project(scene.works, "r1");
    expect(scene.read("TASK.md")).toBe(edited);
    expect((await scene.run()).held["words"]?.reading.fields).toEqual({ SAID: "accepted" });
    await submit(scene.works, { run: "r1", by: HUMAN, event: said.event });
    expect((await scene.run()).held["words"]?.reading.fields).toEqual({ SAID: "edited" });
    expect(await keptTexts(scene)).toContain("## Words\n\nSAID: edited\n\n");
  });
});

test("words that make their artifact invalid refuse the move, and cost nothing", async () => {
  await dispatching(PLACE, async (scene) => {
    scene.put({ "TASK.md": BEFORE });
    await scene.begin();
    await scene.work();
    const said = SAY["fix"]?.("token", "here");
    if (said === undefined) throw new Error("nothing to say");
    const before = await scene.run();
    const text = { ...said.text, artifact: "words", text: "no field" };
    expect(await say(scene.works, { ...said, text })).toMatchObject({ type: "refused" });
    expect([await scene.run(), scene.read("TASK.md")]).toEqual([before, BEFORE]);
    expect((await keptTexts(scene)).filter((each) => each.includes("no field"))).toEqual([]);
  });
});
