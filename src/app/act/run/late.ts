/** What an agent says after another attempt has taken its place: kept and shown, never used. */

import { join } from "node:path";
import { makeFolder, writePrivate } from "../../../adapters/home/folders.ts";
import { failpoint } from "../../../adapters/failpoint.ts";
import type { Actor } from "../../../core/model/event.ts";
import { currentAgent } from "../../../core/step/intake.ts";
import { superseded } from "../../../core/step/refuse.ts";
import type { Run } from "../../../core/model/run.ts";
import type { Box } from "../../../engine/box.ts";
import { noteNew } from "../../../engine/notes.ts";
import { refusal } from "../../refusal.ts";

type Agent = Extract<Actor, { type: "agent" }>;

/** The agent behind an actor, where its attempt no longer counts. */
export function lateAgent(run: Run, by: Actor): Agent | undefined {
  return by.type === "agent" && currentAgent(run, by) === undefined ? by : undefined;
}

/** Told once, however often it is said. */
export async function tellLate(
  box: Box,
  run: Run,
  of: { readonly agent: Agent; readonly what: string },
): Promise<void> {
  const { agent, what } = of;
  const text = `attempt ${agent.attempt} of ${agent.role} no longer counts, and ${what}`;
  await noteNew(box, { run: run.id, kind: "late" }, [text]);
}

/** Its text must not get to where the attempt that counts may have put its own: it is kept with the agent, and refused. */
export async function refuseLate(
  box: Box,
  run: Run,
  of: { readonly agent: Agent; readonly artifact: string; readonly text: string },
): Promise<never> {
  const { agent, artifact, text } = of;
  const dir = (await box.store.agent({ ...agent, run: run.id }))?.dir ?? "";
  const digest = process.getBuiltinModule("node:crypto").hash("sha256", text, "hex").slice(0, 8);
  const file = join(dir, "late", `${artifact}.${digest}`);
  if (dir !== "") {
    makeFolder(join(dir, "late"));
    failpoint("late.before-keep");
    writePrivate(file, text);
    failpoint("late.after-keep");
  }
  await tellLate(box, run, { agent, what: `handed in ${artifact}: it is kept as ${file}, and not used` });
  throw refusal(superseded(run, agent));
}
