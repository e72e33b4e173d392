/** The agents of this machine, what they are used for, and a trial turn of each. */

import { withoutChildren } from "../../adapters/agents/defaults.ts";
import { agentsHere } from "../../adapters/agents/agents.ts";
import { tryAgent } from "../../adapters/agents/trial.ts";
import { surveySettings, type Surveyed } from "../../adapters/config/read.ts";
import { setParams } from "../../adapters/config/workflow.ts";
import { listWorkflows } from "../../adapters/library/find.ts";
import { parseFound } from "../../adapters/library/load.ts";
import { UserError } from "../../adapters/user-error.ts";
import { EXIT_FAILED, EXIT_OK } from "../exit-codes.ts";
import type { Looking, Reading } from "../declare.ts";
import type { Invocation } from "../invocation.ts";
import { success, type Outcome } from "../outcome.ts";
import { requireHome } from "../runs/find.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { repoHere } from "./project-named.ts";
import { NOTHING_TRUSTED } from "./settings.ts";

export async function agents({ door, store }: Looking): Promise<Outcome<DataOf<"agents">>> {
  const { env } = door;
  const surveyed = await settingsHere({ door, store });
  const [found, parks, roles] = await Promise.all([
    agentsHere(surveyed.settings, env),
    store === undefined ? [] : store.parks(),
    rolesByHarness(door, surveyed),
  ]);
  const usual = surveyed.settings.harness("")?.name ?? "";
  const all = found.map((agent) => {
    const park = parks.find(({ key }) => key === `harness:${agent.name}`);
    return {
      ...agent,
      usual: agent.name === usual,
      roles: [...(roles.get(agent.name) ?? [])],
      trouble: park === undefined ? null : { class: park.class, message: park.message, until: park.until },
    };
  });
  const there = all.filter(({ place }) => place !== "");
  const message =
    there.length === 0
      ? `No agent program is installed: ${all.map(({ program }) => program).join(", ")}.`
      : `Installed: ${there.map(({ name }) => name).join(", ")}.`;
  return success(message, { agents: all }, { next: "signalbox setup" });
}

async function settingsHere({ door, store }: Looking): Promise<Surveyed> {
  const repo = (await repoHere(store, door)) ?? door.cwd;
  return surveySettings({ repo, env: door.env, store: store ?? NOTHING_TRUSTED });
}

/** As runs that begin now would have them: `workflow: role`. */
async function rolesByHarness(
  door: Invocation,
  { settings, layers }: Surveyed,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const parsed = await Promise.all(
    listWorkflows({ cwd: door.cwd, home: door.env["HOME"] ?? "" }).map(parseFound),
  );
  const definitions = withoutChildren(parsed.flatMap((each) => (each.ok ? [each.workflow.definition] : [])));
  const uses = definitions.flatMap((definition) => {
    const { values } = setParams(definition, layers);
    return Object.entries(definition.roles).map(([role, { harness }]) => {
      const name =
        typeof harness === "object"
          ? String(values[harness.param]?.value ?? definition.params[harness.param]?.default ?? "")
          : harness;
      return {
        name: name === "" ? (settings.harness("")?.name ?? "") : name,
        role: `${definition.name}: ${role}`,
      };
    });
  });
  return new Map(
    [...Map.groupBy(uses, ({ name }) => name)].map(([name, all]) => [name, all.map(({ role }) => role)]),
  );
}

const SECONDS = 120;

/** One after the other: two programs at once would make each other slow. */
export async function tryAgents(
  { door, store }: Reading,
  { agents: wanted, seconds = SECONDS }: InputOf<"try-agents">,
): Promise<Outcome<DataOf<"try-agents">>> {
  const { env } = door;
  const home = requireHome(door);
  const { settings } = await settingsHere({ door, store });
  const names = wanted ?? (await agentsHere(settings, env)).flatMap(isTriedUnasked);
  const trials: DataOf<"try-agents">["trials"][number][] = [];
  for (const name of names) {
    const harness = settings.harness(name);
    if (harness === undefined)
      throw new UserError("unknown-harness", `There is no agent "${name}"`, "signalbox agents");
    door.talk?.print(`Trying ${name}: one short turn, at most ${seconds} seconds...\n`);
    const trial = await tryAgent(harness, { home, settings, env, seconds });
    trials.push({ ...trial, next: nextAfter(trial) });
    if (trial.result === "interrupted") break;
  }
  const works = trials.filter(({ result }) => result === "works");
  const failed = trials.find(({ result }) => result !== "works");
  const isGood = trials.length > 0 && failed === undefined;
  return {
    exit: isGood ? EXIT_OK : EXIT_FAILED,
    code: isGood ? "ok" : "failed",
    message:
      trials.length === 0
        ? "There is no agent to try."
        : `${works.length} of ${trials.length} ${trials.length === 1 ? "agent" : "agents"} answered.`,
    data: { trials },
    next: failed?.next ?? "",
    notes: [],
  };
}

/** A script of the user's own may do anything with a prompt: it is tried only by its name. */
function isTriedUnasked({ name, driver, place }: { name: string; driver: string; place: string }): string[] {
  return place === "" || driver === "command" ? [] : [name];
}

function nextAfter({ agent, result }: { readonly agent: string; readonly result: string }): string {
  switch (result) {
    case "works":
      return "";
    case "login":
      return `start ${agent} in a terminal and log in, then: signalbox setup`;
    case "trust":
      return `start ${agent} in a terminal and answer its question, then: signalbox setup`;
    case "quota":
      return "wait until it is renewed, or use another agent: signalbox setup --agent NAME";
    case "configuration":
      return `correct the settings of ${agent}: signalbox config`;
    case "not-installed":
      return `install ${agent}`;
    default:
      return "signalbox doctor --trial";
  }
}
