/** A workflow by its name, for the supervisor: what belongs to a repository counts only while a person trusts exactly that. */

import type { Workflow } from "../../core/compile.ts";
import { showProblem } from "../../format/problem.ts";
import type { Env } from "../home/paths.ts";
import { readCompiled } from "../library/compiled.ts";
import { findWorkflow } from "../library/find.ts";
import { readWorkflow } from "../library/read.ts";
import { requireTrust, type TrustStore } from "../trust/trust.ts";
import { UserError } from "../user-error.ts";

type On = { readonly env: Env; readonly store: TrustStore };

export async function workflowNamed(on: On, name: string, repo: string): Promise<Workflow> {
  const found = findWorkflow(name, { cwd: repo, home: on.env["HOME"] ?? "" });
  if (found.from !== "built-in") requireTrust(on, repo);
  const read = readWorkflow(found);
  if (!read.ok) throw unusable(name, read.problems[0]);
  const compiled = readCompiled(found, read.source);
  if (compiled !== undefined) return compiled.workflow;
  const { parseWorkflow } = await import("../../format/workflow/parse.ts");
  const parsed = parseWorkflow(read.source);
  if (!parsed.ok) throw unusable(name, parsed.problems[0]);
  return parsed.workflow;
}

function unusable(name: string, problem: Parameters<typeof showProblem>[0] | undefined): UserError {
  const message = problem === undefined ? `${name} has problems` : showProblem(problem);
  return new UserError("invalid-workflow", message, `signalbox check ${name}`);
}
