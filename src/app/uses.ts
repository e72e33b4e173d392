/** All use cases: who may call each, and what carries it out. What each is for, takes and gives is in `schemas.ts`. */

import type { CallerKind } from "./caller.ts";
import { act, EVERYBODY, local, look, read, type Use } from "./declare.ts";
import type { UseName } from "./schemas.ts";

const PEOPLE: readonly CallerKind[] = ["person"];
const AGENTS: readonly CallerKind[] = ["agent"];
const BOTH: readonly CallerKind[] = ["person", "agent"];

const MAKERS: readonly CallerKind[] = ["person", "outside-agent"];

export const USES: { readonly [Name in UseName]: Use<Name> } = {
  create: act(MAKERS, async () => (await import("./start/create.ts")).createRun),
  start: act(PEOPLE, async () => (await import("./start/start.ts")).startWaiting),
  run: act(PEOPLE, async () => (await import("./start/run.ts")).run),
  follow: act(EVERYBODY, async () => (await import("./story/follow.ts")).followRun),

  submit: act(BOTH, async () => (await import("./act/artifact/submit.ts")).submitArtifact),
  "review-create": act(BOTH, async () => (await import("./act/artifact/review.ts")).createReview),
  move: act(BOTH, async () => (await import("./act/move.ts")).askForMove),
  update: act(BOTH, async () => (await import("./act/update.ts")).updateTask),
  complete: act(BOTH, async () => (await import("./act/complete.ts")).completeTask),
  "ask-questions": act(AGENTS, async () => (await import("./act/question/ask-questions.ts")).askQuestions),
  "ask-permission": act(AGENTS, async () => (await import("./act/question/permission.ts")).askPermission),

  accept: act(PEOPLE, async () => (await import("./act/verbs.ts")).accept),
  "send-back": act(PEOPLE, async () => (await import("./act/verbs.ts")).sendBack),
  retry: act(PEOPLE, async () => (await import("./act/verbs.ts")).retry),
  cancel: act(PEOPLE, async () => (await import("./act/run/cancel.ts")).cancel),
  answer: act(PEOPLE, async () => (await import("./act/question/answer.ts")).answerQuestion),
  question: look(async () => (await import("./act/question/answer.ts")).openQuestion),
  deliver: act(PEOPLE, async () => (await import("./deliver/merge.ts")).deliverTask),
  waive: act(PEOPLE, async () => (await import("./act/artifact/waive.ts")).waive),
  stop: act(PEOPLE, async () => (await import("./act/run/stop.ts")).stop),
  resume: act(PEOPLE, async () => (await import("./act/run/resume.ts")).resume),
  respawn: act(PEOPLE, async () => (await import("./act/run/respawn.ts")).respawn),
  delete: act(PEOPLE, async () => (await import("./act/run/put-away.ts")).putAway),
  attach: act(PEOPLE, async () => (await import("./runs/attach.ts")).attachTo),

  show: look(async () => (await import("./view/look.ts")).show),
  next: read(EVERYBODY, async () => (await import("./view/next.ts")).next),
  why: look(async () => (await import("./view/why.ts")).why),
  inbox: look(async () => (await import("./view/lists/inbox.ts")).inbox),
  list: look(async () => (await import("./view/lists/list.ts")).listRuns),
  watch: look(async () => (await import("./board/watch.ts")).watch),
  history: look(async () => (await import("./story/history.ts")).history),
  cost: look(async () => (await import("./view/cost/cost.ts")).cost),
  logs: look(async () => (await import("./runs/logs.ts")).logs),
  "follow-logs": look(async () => (await import("./runs/logs.ts")).followLogs),
  verify: look(async () => (await import("./runs/verify.ts")).verify),
  picture: look(async () => (await import("./page/picture.ts")).drawRun),
  diff: look(async () => (await import("./page/diff.ts")).diffOf),
  "get-task": read(AGENTS, async () => (await import("./read/task.ts")).getTask),
  "read-context": read(AGENTS, async () => (await import("./read/context.ts")).readContext),

  workflows: local(async () => (await import("./workflows/list.ts")).workflows),
  check: local(async () => (await import("./workflows/check.ts")).checkWorkflows),
  simulate: local(async () => (await import("./workflows/simulate.ts")).simulateRun),
  graph: local(async () => (await import("./workflows/graph.ts")).drawWorkflow),
  eject: local(async () => (await import("./workflows/list.ts")).eject),
  schema: local(async () => (await import("./workflows/list.ts")).workflowSchema),

  init: local(async () => (await import("./setup/init.ts")).init),
  settings: look(async () => (await import("./setup/settings.ts")).settings),
  "trust-plan": look(async () => (await import("./setup/trust.ts")).trustPlan),
  trust: act(PEOPLE, async () => (await import("./setup/trust.ts")).trust),
  key: local(async () => (await import("./setup/key.ts")).viewKey),
  "change-key": read(PEOPLE, async () => (await import("./setup/key.ts")).changeKey),
  agents: look(async () => (await import("./setup/agents.ts")).agents),
  "try-agents": read(PEOPLE, async () => (await import("./setup/agents.ts")).tryAgents),
  "setup-plan": look(async () => (await import("./setup/machine.ts")).setupPlan),
  setup: read(PEOPLE, async () => (await import("./setup/machine.ts")).setup),
  doctor: local(async () => (await import("./setup/doctor.ts")).doctor),
  repair: local(async () => (await import("./setup/doctor.ts")).repair, PEOPLE),
  projects: look(async () => (await import("./setup/projects.ts")).projects),
  "add-project": act(PEOPLE, async () => (await import("./setup/projects.ts")).addProject),
  "update-project": act(PEOPLE, async () => (await import("./setup/projects.ts")).updateProject),
  "remove-project": act(PEOPLE, async () => (await import("./setup/projects.ts")).removeProject),
  workspaces: look(async () => (await import("./setup/workspaces.ts")).workspaces),
  "release-workspaces": act(PEOPLE, async () => (await import("./setup/release.ts")).releaseWorkspaces),
  salvages: look(async () => (await import("./setup/salvage.ts")).listSalvages),
  salvage: look(async () => (await import("./setup/salvage.ts")).viewSalvage),
  "restore-salvage": read(PEOPLE, async () => (await import("./setup/salvage.ts")).restoreSalvage),
};
