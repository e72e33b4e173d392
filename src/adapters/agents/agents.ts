/** The agents of this machine: which programs are there, in which version, and whether the user is logged in. */

import { basename } from "node:path";
import { environment } from "../../engine/agents/launch.ts";
import type { Harness, Settings } from "../../engine/ports/settings.ts";
import { driverOf } from "../drivers/drivers.ts";
import type { Env } from "../home/paths.ts";
import { askProgram } from "../process/ask.ts";
import { programAt } from "../process/program.ts";

export type FoundAgent = {
  /** Of its harness. */
  readonly name: string;
  readonly driver: Harness["driver"];
  readonly program: string;
  /** Empty where the program is not installed. */
  readonly place: string;
  /** Empty where the program does not say. */
  readonly version: string;
  readonly login: "yes" | "no" | "unknown";
};

/** All of them at once: each is started for a moment, twice at most. No model is asked. */
export function agentsHere(settings: Settings, env: Env): Promise<readonly FoundAgent[]> {
  return Promise.all(
    settings.harnesses.flatMap((name) => {
      const harness = settings.harness(name);
      return harness === undefined ? [] : [look(harness, { settings, env })];
    }),
  );
}

type AgentSettings = { readonly settings: Settings; readonly env: Env };

async function look(harness: Harness, on: AgentSettings): Promise<FoundAgent> {
  const { name, driver } = harness;
  const [program = ""] = harness.program;
  const place = programAt(program, on.env["PATH"] ?? "") ?? "";
  const common = { name, driver, program, place };
  const known = driverOf(driver);
  // Another program, such as a script around the agent, could do anything with these arguments.
  if (place === "" || basename(place) !== known.program) return { ...common, version: "", login: "unknown" };
  const env = environmentOf(harness, on);
  const [version, login] = await Promise.all([
    askProgram(place, known.version, env),
    known.login === undefined ? undefined : askProgram(place, known.login, env),
  ]);
  const said = /\d+\.\d+[\w.+-]*/.exec(version.stdout)?.[0] ?? "";
  // A program that does not say its version does not know the other question either.
  const isKnown = said !== "" && login?.code !== undefined;
  return { ...common, version: said, login: isKnown ? (login.code === 0 ? "yes" : "no") : "unknown" };
}

/** The variables that the supervisor would give it. */
export function environmentOf(harness: Harness, { settings, env }: AgentSettings): Record<string, string> {
  const own = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const path = env["PATH"] ?? "";
  const { SIGNALBOX_HOME: _, ...given } = environment(
    { person: { env: Object.fromEntries(own), bin: "", home: "" } },
    { env: settings.env, path },
    harness,
  );
  return { ...given, PATH: path };
}
