/** All use cases: who may call each, and what carries it out. What each is for, takes and gives is in `schemas.ts`. */

import type { CallerKind } from "./caller.ts";
import { act, local, read, type Use } from "./declare.ts";
import type { UseName } from "./schemas.ts";

const PEOPLE: readonly CallerKind[] = ["person"];
const AGENTS: readonly CallerKind[] = ["agent"];
const BOTH: readonly CallerKind[] = ["person", "agent"];
const ALL: readonly CallerKind[] = ["person", "agent", "outside-agent", "nobody"];

export const USES: { readonly [Name in UseName]: Use<Name> } = {
  submit: act(BOTH, async () => (await import("./act/submit.ts")).submitArtifact),
  "review-create": act(BOTH, async () => (await import("./act/review.ts")).createReview),
  move: act(BOTH, async () => (await import("./act/move.ts")).askForMove),
  update: act(BOTH, async () => (await import("./act/update.ts")).updateTask),
  complete: act(BOTH, async () => (await import("./act/complete.ts")).completeTask),
  "ask-questions": act(AGENTS, async () => (await import("./act/ask-questions.ts")).askQuestions),

  accept: act(PEOPLE, async () => (await import("./act/verbs.ts")).accept),
  "send-back": act(PEOPLE, async () => (await import("./act/verbs.ts")).sendBack),
  retry: act(PEOPLE, async () => (await import("./act/verbs.ts")).retry),
  cancel: act(PEOPLE, async () => (await import("./act/cancel.ts")).cancel),
  answer: act(PEOPLE, async () => (await import("./act/answer.ts")).answerQuestion),
  question: read(ALL, async () => (await import("./act/answer.ts")).openQuestion),
  deliver: act(PEOPLE, async () => (await import("./deliver/merge.ts")).deliverTask),
  waive: act(PEOPLE, async () => (await import("./act/waive.ts")).waive),
  stop: act(PEOPLE, async () => (await import("./act/stop.ts")).stop),
  resume: act(PEOPLE, async () => (await import("./act/resume.ts")).resume),
  respawn: act(PEOPLE, async () => (await import("./act/respawn.ts")).respawn),

  logs: read(ALL, async () => (await import("./runs/logs.ts")).logs),
  "follow-logs": read(ALL, async () => (await import("./runs/logs.ts")).followLogs),
  verify: read(ALL, async () => (await import("./runs/verify.ts")).verify),
  "get-task": read(AGENTS, async () => (await import("./read/task.ts")).getTask),
  "list-context": read(AGENTS, async () => (await import("./read/context.ts")).listContext),
  "read-context": read(AGENTS, async () => (await import("./read/context.ts")).readContext),

  workflows: local(ALL, async () => (await import("./workflows/list.ts")).workflows),
  check: local(ALL, async () => (await import("./workflows/check.ts")).checkWorkflows),
  simulate: local(ALL, async () => (await import("./workflows/simulate.ts")).simulateRun),
  graph: local(ALL, async () => (await import("./workflows/graph.ts")).drawWorkflow),
  eject: local(ALL, async () => (await import("./workflows/list.ts")).eject),
  schema: local(ALL, async () => (await import("./workflows/list.ts")).workflowSchema),

  init: local(ALL, async () => (await import("./setup/init.ts")).init),
  settings: read(ALL, async () => (await import("./setup/settings.ts")).settings),
  "trust-plan": read(ALL, async () => (await import("./setup/trust.ts")).trustPlan),
  trust: act(PEOPLE, async () => (await import("./setup/trust.ts")).trust),
  key: local(ALL, async () => (await import("./setup/key.ts")).viewKey),
  "change-key": read(PEOPLE, async () => (await import("./setup/key.ts")).changeKey),
  doctor: local(ALL, async () => (await import("./setup/doctor.ts")).doctor),
  repair: local(PEOPLE, async () => (await import("./setup/doctor.ts")).repair),
  projects: read(ALL, async () => (await import("./setup/projects.ts")).projects),
  "add-project": act(PEOPLE, async () => (await import("./setup/projects.ts")).addProject),
  "update-project": act(PEOPLE, async () => (await import("./setup/projects.ts")).updateProject),
  "remove-project": act(PEOPLE, async () => (await import("./setup/projects.ts")).removeProject),
  workspaces: read(ALL, async () => (await import("./setup/workspaces.ts")).workspaces),
  "release-workspaces": act(PEOPLE, async () => (await import("./setup/release.ts")).releaseWorkspaces),
  salvages: read(ALL, async () => (await import("./setup/salvage.ts")).listSalvages),
  salvage: read(ALL, async () => (await import("./setup/salvage.ts")).viewSalvage),
  "restore-salvage": read(PEOPLE, async () => (await import("./setup/salvage.ts")).restoreSalvage),
};
