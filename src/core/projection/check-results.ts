/** What the checks of a run said when they were last run, as projections show it. */

import type { Workflow } from "../model/compile.ts";
import { fillPath } from "../text/fill-path.ts";
import type { Run } from "../model/run.ts";
import { valueOf } from "../gates/artifact-status.ts";
import type { Literal } from "../model/value.ts";

export type CheckView = {
  readonly commands: readonly { readonly command: Literal; readonly exitCode: number | null }[];
  readonly passed: boolean;
  readonly failing: Literal | null;
  readonly rule: Literal | null;
  /** The work that it was about. */
  readonly tree: Literal;
  /** The file with its output. */
  readonly output: string | null;
};

export function checksOf({ definition }: Workflow, run: Run): Record<string, CheckView> {
  const checks: Record<string, CheckView> = {};
  for (const [name, { reader, file }] of Object.entries(definition.artifacts)) {
    const reading = run.held[name]?.reading;
    if (reader.type !== "check" || reading?.verdict === undefined) continue;
    const { exit_code: code, failing = null, rule = null, tree = "" } = reading.fields;
    const { commands, exit_codes: codes = [] } = reading.lists;
    checks[name] = {
      commands: commands?.map((command, index) => ({ command, exitCode: numberOf(codes[index]) })) ?? [
        { command: valueOf(run, reader.command), exitCode: numberOf(code) },
      ],
      passed: reading.verdict === "pass",
      failing,
      rule,
      tree,
      output: file === "" ? null : fillPath(run, file),
    };
  }
  return checks;
}

/** A command that did not come to its end has none. */
function numberOf(code: Literal | undefined): number | null {
  return code === undefined || Number(code) < 0 ? null : Number(code);
}
