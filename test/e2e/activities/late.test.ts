/** What an attempt says after another one has taken its place is kept and shown, and changes nothing. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { kill, processesOf } from "../lives/life.ts";
import { agentFolder, filesBelow, onStage, supervised } from "./stage.ts";

const CODER = `
if [ -e "$LEDGER/first" ]; then
  printf 'DONE: by the second\\n' | signalbox submit handoff -
  say second
  await end
else
  say first
  sleep 600
fi
`;

test.runIf(isPerson)("a superseded attempt hands in and asks in vain", async () => {
  const scene = { workflow: "checks", agents: { coder: CODER, fixer: "true" }, files: { "test.sh": "true" } };
  await onStage(scene, (stage) =>
    supervised(stage, {}, async () => {
      const run = await stage.begin("checks");
      await stage.until(
        run,
        () => stage.said("first") === "" && processesOf(stage).some(({ kind }) => kind === "shim"),
      );
      await stage.until(run, ({ run: { agents } }) => agents["coder"]?.status === "alive");
      const shim = processesOf(stage).find(({ kind }) => kind === "shim");
      kill(shim?.pid ?? Number.NaN);
      const { workspace, row } = await stage.until(
        run,
        ({ run: { held } }) => held["handoff"]?.reading.found === true,
      );
      const notes = join(workspace?.path ?? "", "NOTES.md");
      // The event is durable before the file shows its text.
      await expect.poll(() => existsSync(notes)).toBe(true);
      const before = readFileSync(notes, "utf8");
      expect(before).toContain("by the second");

      const text = join(stage.root, "late.md");
      writeFileSync(text, "DONE: by the first, and much better\n");
      const submitted = await stage.agent(run, "coder.1", "submit", run, "handoff", text);
      expect(submitted).toMatchObject({ code: 5, document: { code: "stale" } });
      expect(submitted.document["message"]).toBe("attempt 1 of coder no longer counts; attempt 2 does");
      const moved = await stage.agent(run, "coder.1", "move", run, "testing");
      expect(moved).toMatchObject({ code: 5, document: { code: "stale" } });
      // Twice is not told twice.
      await stage.agent(run, "coder.1", "move", run, "testing");

      expect(readFileSync(notes, "utf8")).toBe(before);
      const after = await stage.now(run);
      expect(after.row.seq).toBe(row.seq);
      const late = after.notes.filter(({ kind }) => kind === "late").map(({ text: told }) => told);
      const folder = await agentFolder(stage, run, "coder.1");
      expect(late.map((told) => told.replace(folder, "FOLDER"))).toMatchInlineSnapshot(`
        [
          "attempt 1 of coder no longer counts, and handed in handoff: it is kept as FOLDER/late/handoff.673102ff, and not used",
          "attempt 1 of coder no longer counts, and what it asked for was refused",
        ]
      `);
      const kept = filesBelow(join(folder, "late"));
      expect(Object.values(kept)).toEqual(["DONE: by the first, and much better\n"]);
      expect(JSON.stringify((await stage.person("show", run)).document["notes"])).toContain(
        "attempt 1 of coder",
      );

      // Nor does anybody put a text where it is not theirs.
      const foreign = await stage.agent(run, "coder.2", "submit", run, "remarks", text);
      expect(foreign).toMatchObject({ code: 4 });
      expect(filesBelow(workspace?.path ?? "")["REMARKS.md"]).toBeUndefined();
      stage.say("end");
      await stage.until(run, ({ state }) => state === "accepting");
      expect(await stage.trace(run)).toMatchInlineSnapshot(`
        [
          "human (signed): started the run; start -> coding; coder is called, attempt 1",
          "engine: coder ended: killed; crashes is 1; coder is called, attempt 2",
          "coder: submitted; handoff: read",
          "engine: coder ended: exited (exit code 0); coding -> testing",
          "engine: looked at the files; tests: pass; testing -> accepting",
        ]
      `);
    }),
  );
});
