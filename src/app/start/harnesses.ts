/** Agents that a run would need are there, before it begins. */

import { driverOf } from "../../adapters/drivers/drivers.ts";
import { lackOf, programAt } from "../../adapters/process/program.ts";
import { UserError } from "../../adapters/user-error.ts";
import { closest } from "../../core/text/closest.ts";
import type { Workflow } from "../../core/model/compile.ts";
import { withDefaults } from "../../core/model/entry.ts";
import { isEnabled } from "../../core/projection/stages.ts";
import type { Children } from "../../core/model/artifact.ts";
import type { Literal, Value } from "../../core/model/value.ts";
import { askableEffort } from "../../engine/agents/effort.ts";
import type { Harness, Settings } from "../../engine/ports/settings.ts";

export type Needed = {
  /** By parameter, what was typed or what the run was made with. */
  readonly params: Readonly<Record<string, Literal>>;
  /** The programs must be there as well. */
  readonly path: string | undefined;
  /** How a parameter is typed, where another harness can be chosen. */
  readonly option: (param: string, name: string) => string;
  /** What runs of its tasks follow, by name. */
  readonly children?: ReadonlyMap<string, Workflow>;
};

/** One agent, and how another harness is chosen for it; empty where it cannot be. */
type NeededAgent = {
  readonly role: string;
  readonly name: string;
  readonly option: (instead: string) => string;
};

export function requireHarnesses(workflow: Workflow, settings: Settings, of: Needed): void {
  const wanted = [...ownOf(workflow, of), ...ofTasks(workflow, of)];
  for (const { name } of wanted) {
    const harness = settings.harness(name);
    if (harness === undefined) throw unknownHarness(name, settings.harnesses);
    const all = wanted.filter((other) => other.name === name);
    if (of.path !== undefined) requireProgram(harness, { path: of.path, agents: all, settings });
  }
  requireEfforts(workflow, settings, of);
}

/** Said before anything begins, and not swallowed: a program would think as hard as it does anyway. */
function requireEfforts({ definition }: Workflow, settings: Settings, of: Needed): void {
  for (const [role, { harness, effort }] of Object.entries(definition.roles)) {
    const said = effort === undefined ? "" : wantedAs({ definition, of }, role, effort).name;
    const { name } = wantedAs({ definition, of }, role, harness);
    const used = settings.harness(name);
    if (said === "" || used === undefined) continue;
    const asked = askableEffort(said, driverOf(used.driver), used);
    if ("effort" in asked) continue;
    const message = `the effort "${said}" of the ${role} cannot be asked for: ${asked.why}`;
    throw new UserError("no-effort", message, "leave the effort out, or choose another harness");
  }
}

function ownOf({ definition }: Workflow, of: Needed): NeededAgent[] {
  return Object.entries(definition.roles).map(([role, { harness }]) =>
    wantedAs({ definition, of }, role, harness),
  );
}

/** Those that will do the tasks, however hard each turns out to be. */
function ofTasks({ definition }: Workflow, of: Needed): NeededAgent[] {
  const params = withDefaults(definition, of.params);
  const off = new Set(
    (definition.stages ?? []).flatMap((stage) => (isEnabled(stage, { params }) ? [] : stage.makes)),
  );
  return Object.entries(definition.artifacts).flatMap(([artifact, { reader }]) => {
    const child = reader.type === "children" ? of.children?.get(reader.workflow) : undefined;
    if (reader.type !== "children" || child === undefined || off.has(artifact)) return [];
    return Object.entries(child.definition.roles).flatMap(([role, { harness }]) =>
      valuesFor({ reader, child, params }, harness).map((value) =>
        wantedAs({ definition, of }, `${role} of tasks`, value),
      ),
    );
  });
}

type Tasks = { readonly reader: Children; readonly child: Workflow; readonly params: Needed["params"] };

/** What a child's own value is, or is given as, seen from its parent. */
function valuesFor({ reader, child, params }: Tasks, value: Value<string>): readonly Value[] {
  if (typeof value === "string") return [value];
  const own = child.definition.params[value.param]?.default ?? "";
  const given = reader.with[value.param] ?? own;
  // Nobody may write down for a child what it is started with: see `objectionsTo`.
  if (typeof given === "object" && "from" in given) return [own];
  if (typeof given !== "object" || !("easy" in given)) return [given];
  const { scored = true } = reader;
  const isScored = typeof scored === "object" ? params[scored.param] : scored;
  return isScored === false ? [given.medium] : [given.easy, given.medium, given.hard];
}

type On = { readonly definition: Workflow["definition"]; readonly of: Needed };

function wantedAs({ definition, of }: On, role: string, harness: Value): NeededAgent {
  if (typeof harness !== "object") return { role, name: String(harness), option: () => "" };
  const { param } = harness;
  const name = String(of.params[param] ?? definition.params[param]?.default ?? "");
  return { role, name, option: (instead) => of.option(param, instead) };
}

type Programs = {
  readonly path: string;
  readonly agents: readonly NeededAgent[];
  readonly settings: Settings;
};

/** All agents that would call it are named at once: another one is chosen for all of them. */
function requireProgram(harness: Harness, { path, agents, settings }: Programs): void {
  const [program = ""] = harness.program;
  if (isInstalled(harness, path)) return;
  const installed = installedIn(settings, path);
  const instead = installed[0] ?? "NAME";
  const options = [...new Set(agents.map(({ option }) => option(instead)).filter((option) => option !== ""))];
  const isUsual = agents.some(({ name }) => name === "");
  const roles = [...new Set(agents.map(({ role }) => role))];
  const here = installed.length === 0 ? "" : `. Installed here: ${installed.join(", ")}`;
  const ways = [
    ...(options.length === 0 ? [] : [options.join(" ")]),
    ...(isUsual ? [`harness: ${instead} in config.yaml`] : []),
  ];
  const hint = ways.length === 0 ? "" : `, or choose another one: ${ways.join(" and ")}`;
  const { why, next } = lackOf(program);
  throw new UserError(
    "no-program",
    `${program} ${why}: ${sayRoles(roles)} ${roles.length === 1 ? "calls" : "call"} it${here}`,
    `${next}${hint}; signalbox doctor says which are there`,
  );
}

/** Harnesses whose program is there. */
export function installedIn(settings: Settings, path: string): readonly string[] {
  const all = settings.harnesses.flatMap((name) => settings.harness(name) ?? []);
  return all.filter((harness) => isInstalled(harness, path)).map(({ name }) => name);
}

/** What is filled in later cannot be looked for. */
function isInstalled({ program: [program = ""], set }: Harness, path: string): boolean {
  return program.includes("{") || programAt(program, set["PATH"] ?? path) !== undefined;
}

const ROLES_SHOWN = 3;

function sayRoles(roles: readonly string[]): string {
  const more = roles.length - ROLES_SHOWN;
  const shown = more > 0 ? [...roles.slice(0, ROLES_SHOWN), `${more} more`] : roles;
  return `the ${shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1) ?? ""}`}`;
}

function unknownHarness(name: string, known: readonly string[]): UserError {
  const near = closest(name, known);
  const hint = near === undefined ? `; there are ${known.join(", ")}` : `; did you mean "${near}"?`;
  return new UserError("unknown-harness", `there is no harness "${name}"${hint}`, "signalbox doctor");
}
