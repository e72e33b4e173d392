/** A change is archived by the real supervisor, which is killed over it: afterwards all of it is in place, and the run knows where its files are. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { lookIn, type } from "../lives/life.ts";
import { onStage, type Stage } from "./stage.ts";

const PROPOSAL = "# X\n\n## Summary\n\nKeys can be renewed.\n\n## Specs\n\n- auth\n- keys\n";

function put({ repo }: Stage, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, name)), { recursive: true });
    writeFileSync(join(repo, name), text);
  }
}

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const POINTS = [
  "archive.after-move",
  "archive.after-put:2",
  "archive.after-plan",
  "archive.after-turn",
  "journal.after-append",
];

describe.runIf(isPerson)("a change is archived", () => {
  test.for(POINTS.filter((_, index) => IS_DEEP || index < 1))("killed at %s", async (name) => {
    await onStage(
      { workflow: "archive", agents: {}, files: { "specs/auth.md": "# Auth\n" } },
      async (stage) => {
        const run = await stage.begin("archive", "--param", "change=x");
        put(stage, { "changes/x/proposal.md": PROPOSAL });
        expect((await stage.person("move", run, "noting")).code).toBe(0);
        await stage.until(run, ({ state, isIdle }) => state === "merging" && isIdle);
        put(stage, { "changes/x/merged/auth.md": "# Auth, new\n", "changes/x/merged/keys.md": "# Keys\n" });
        const log = join(stage.root, "failpoints");
        const env = { SIGNALBOX_SUPERVISOR_FAILPOINT: name, SIGNALBOX_FAILPOINT_LOG: log };
        expect((await type(stage, ["move", run, "archiving"], env)).code).toBe(0);
        // Whoever looks wakes the next supervisor.
        const nudge = setInterval(() => void lookIn(stage), 300);
        try {
          await stage.until(run, ({ state, isIdle }) => state === "archived" && isIdle);
        } finally {
          clearInterval(nudge);
        }
        expect(existsSync(log)).toBe(true);
        const [folder = ""] = readdirSync(join(stage.repo, "archive"));
        expect(folder).toMatch(/^\d{8}-x$/);
        const read = (file: string): string => readFileSync(join(stage.repo, file), "utf8");
        expect([read("specs/auth.md"), read("specs/keys.md")]).toEqual(["# Auth, new\n", "# Keys\n"]);
        expect(read("specs/CHANGELOG.md")).toMatch(
          /^# Changelog\n\n## [\d-]{10} x\n\nKeys can be renewed.\n$/,
        );
        expect(read(`archive/${folder}/STATE.yaml`)).toContain("state: archived");
        expect(existsSync(join(stage.repo, "changes/x"))).toBe(false);
        const { code, document } = await stage.person("show", run);
        expect([code, document["attention"]]).toEqual([0, ""]);
        expect((await stage.person("verify", "--all")).code).toBe(0);
      },
    );
  });
});
