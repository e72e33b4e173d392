/** Agents that a run would need are there, before it begins. */

import { programAt } from "../../adapters/doctor/program.ts";
import { UserError } from "../../adapters/user-error.ts";
import { closest } from "../../core/closest.ts";
import type { Workflow } from "../../core/compile.ts";
import type { Literal } from "../../core/workflow.ts";
import type { Harness, Settings } from "../../engine/ports/settings.ts";

export type Needed = {
  /** By parameter, what was typed or what the run was made with. */
  readonly params: Readonly<Record<string, Literal>>;
  /** The programs must be there as well. */
  readonly path: string | undefined;
  /** How a parameter is typed, where another harness can be chosen. */
  readonly option: (param: string) => string;
};

export function requireHarnesses({ definition }: Workflow, settings: Settings, of: Needed): void {
  const wanted = Object.entries(definition.roles).map(([role, { harness }]) => {
    if (typeof harness === "string") return { role, name: harness, option: "" };
    const { param } = harness;
    const name = String(of.params[param] ?? definition.params[param]?.default ?? "");
    return { role, name, option: of.option(param) };
  });
  for (const { role, name, option } of wanted) {
    const harness = settings.harness(name);
    if (harness === undefined) throw unknownHarness(name, settings.harnesses);
    if (of.path !== undefined) requireProgram(harness, { path: of.path, role, option });
  }
}

type Wanted = { readonly path: string; readonly role: string; readonly option: string };

function requireProgram(harness: Harness, { path, role, option }: Wanted): void {
  const {
    name,
    command: [program = ""],
    set,
  } = harness;
  // What is filled in later cannot be looked for.
  if (program.includes("{") || programAt(program, set["PATH"] ?? path) !== undefined) return;
  throw new UserError(
    "no-program",
    `the harness ${name} of the ${role} calls ${program}, which is not on the PATH`,
    `install it${option === "" ? "" : `, or choose another one: ${option}`}; signalbox doctor says which are there`,
  );
}

function unknownHarness(name: string, known: readonly string[]): UserError {
  const near = closest(name, known);
  const hint = near === undefined ? `; there are ${known.join(", ")}` : `; did you mean "${near}"?`;
  return new UserError("unknown-harness", `there is no harness "${name}"${hint}`, "signalbox doctor");
}
