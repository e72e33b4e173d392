/** What people were asked in a run, each question in the words in which it was asked. */

import type { Workflow } from "../../core/model/compile.ts";
import type { Event } from "../../core/model/event.ts";
import { questionsIn, type Questions } from "../../core/projection/questions.ts";
import type { Box } from "../box.ts";
import { questionText, variablesOf } from "../agents/launch.ts";

export async function askedIn(
  box: Pick<Box, "store">,
  workflow: Workflow,
  { id, events }: { readonly id: string; readonly events: readonly Event[] },
): Promise<Questions> {
  const workspace = await box.store.boundWorkspace(id);
  const agent = { role: "", slot: "", attempt: 0, session: "" };
  return questionsIn(workflow, events, ({ question }, run) =>
    questionText(workflow, question, variablesOf({ workflow, run, workspace, agent })),
  );
}
