/** What happens to a run that none of its files shows: they would say the same, but for the time. */

import type { Workflow } from "../model/compile.ts";
import { project, reads } from "./project.ts";
import { showsQuestions } from "./questions.ts";
import { showsRecord } from "./journal-record.ts";
import type { Run } from "../model/run.ts";
import { showsSaid } from "./accepted-values.ts";
import { viewOf } from "./run-data.ts";

/** False where a file also shows what is not in the run: what happened, or what the edge knows. */
export function isUnseen(workflow: Workflow, before: Run, after: Run): boolean {
  const { definition } = workflow;
  const trees = definition.projections.flatMap((each) => ("data" in each ? [each.data] : []));
  const isOfEvents = showsRecord(definition) || showsSaid(definition) || showsQuestions(definition);
  if (isOfEvents || trees.some((tree) => reads(tree, "resources"))) return false;
  const said = (run: Run): string => {
    const root = viewOf(workflow, { ...run, updatedAt: before.updatedAt }, {});
    return JSON.stringify(trees.map((tree) => project(tree, root)));
  };
  return said(before) === said(after);
}
