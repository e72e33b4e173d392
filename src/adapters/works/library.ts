/** A workflow by its name, for the supervisor: what belongs to a repository counts only while a person trusts exactly that. */

import type { Workflow } from "../../core/model/compile.ts";
import { showProblem } from "../../format/problem.ts";
import type { Env } from "../home/paths.ts";
import { findWorkflow } from "../library/find.ts";
import { parseFound } from "../library/load.ts";
import { requireTrust, type TrustStore } from "../trust/trust.ts";
import { UserError } from "../user-error.ts";

type On = { readonly env: Env; readonly store: TrustStore };

export async function workflowNamed(on: On, name: string, repo: string): Promise<Workflow> {
  const found = findWorkflow(name, { cwd: repo, home: on.env["HOME"] ?? "" });
  if (found.from !== "built-in") await requireTrust(on, repo);
  const parsed = await parseFound(found);
  if (parsed.ok) return parsed.workflow;
  const [first] = parsed.problems;
  const message = first === undefined ? `${name} has problems` : showProblem(first);
  throw new UserError("invalid-workflow", message, `signalbox check ${name}`);
}
