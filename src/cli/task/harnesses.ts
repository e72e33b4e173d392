/** Agents that a task would need are there, before it begins. */

import { programAt } from "../../adapters/doctor/program.ts";
import { UserError } from "../../adapters/user-error.ts";
import { closest } from "../../core/closest.ts";
import type { Workflow } from "../../core/compile.ts";
import type { Harness, Settings } from "../../engine/ports/settings.ts";

export function requireHarnesses(
  { definition }: Workflow,
  settings: Settings,
  of: {
    /** What was typed, by parameter. */
    readonly params: Readonly<Record<string, string>>;
    /** The programs must be there as well. */
    readonly path: string | undefined;
  },
): void {
  const names = Object.values(definition.roles).map(({ harness }) => {
    if (typeof harness === "string") return harness;
    const declared = definition.params[harness.param];
    return of.params[harness.param] ?? String(declared?.default ?? "");
  });
  for (const name of new Set(names)) {
    const harness = settings.harness(name);
    if (harness === undefined) throw unknownHarness(name, settings.harnesses);
    if (of.path !== undefined) requireProgram(harness, of.path);
  }
}

function requireProgram({ name, command: [program = ""] }: Harness, path: string): void {
  // What is filled in later cannot be looked for.
  if (program.includes("{") || programAt(program, path) !== undefined) return;
  throw new UserError(
    "no-program",
    `the harness ${name} calls ${program}, which is not on the PATH`,
    "install it, or choose another one: --harness NAME; signalbox doctor says which are there",
  );
}

function unknownHarness(name: string, known: readonly string[]): UserError {
  const near = closest(name, known);
  const hint = near === undefined ? `; there are ${known.join(", ")}` : `; did you mean "${near}"?`;
  return new UserError("unknown-harness", `there is no harness "${name}"${hint}`, "signalbox doctor");
}
