/** What Signalbox reads in the output of an agent program: lines that the real program printed, from a script. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { onStage } from "./stage.ts";

/** One recorded turn, as a file that an agent can print. */
function recorded(driver: string, turn: string): string {
  const text = readFileSync(join(import.meta.dirname, "../../adapters/drivers", `${driver}.txt`), "utf8");
  return (
    text
      .split(/^# /m)
      .find((part) => part.startsWith(`${turn}\n`))
      ?.slice(turn.length + 1) ?? ""
  );
}

const task = ["task", "--param", "harness=scripted", "--param", "review_harness=scripted"] as const;

describe.runIf(isPerson).concurrent("the output of an agent program", () => {
  test.for<[string, string, boolean, RegExp]>([
    ["codex", "usage", true, /^Conversation 01a1f20e-.*\nFailed\. Quota: You.ve hit your usage limit/s],
    ["codex", "usage", false, /^\{"type":"thread\.started"/],
  ])("%s, %s, with its driver: %s", async ([driver, turn, isKnown, shown], { expect }) => {
    const raw = recorded(driver, turn);
    const scene = {
      agents: { worker: `cat <<'END_OF_LOG'\n${raw}END_OF_LOG\nexit 1` },
      ...(isKnown ? { driver } : {}),
    };
    await onStage(scene, async (stage) => {
      const run = await stage.begin(...task);
      // What a driver calls a used up quota is no crash.
      await stage.until(run, ({ notes, run: { agents } }) =>
        isKnown
          ? notes.some(({ kind }) => kind === "parked")
          : Object.values(agents).some(({ status }) => status === "crashed"),
      );
      const logs = await stage.person("logs", run);
      expect(logs.document["text"]).toMatch(shown);
      expect((await stage.person("logs", run, "--raw")).document["text"]).toBe(raw);
    });
  });
});
