/** The commands there are. Each is loaded only when it is called. */

import type { Entry } from "./command.ts";

export const COMMANDS: Readonly<Record<string, Entry>> = {
  check: {
    about: "show that a workflow can end, or what is wrong with it",
    example: "signalbox check task",
    load: () => import("./commands/author/check.ts"),
  },
  graph: {
    about: "draw a workflow as a Mermaid diagram",
    example: "signalbox graph task > task.mmd",
    load: () => import("./commands/author/graph.ts"),
  },
  simulate: {
    about: "walk through a workflow, with dice for agents",
    example: "signalbox simulate task --seed 7",
    load: () => import("./commands/author/simulate.ts"),
  },
  workflows: {
    about: "list the available workflows",
    example: "signalbox workflows",
    load: () => import("./commands/author/workflows.ts"),
  },
  eject: {
    about: "copy a built-in workflow into this repository, to change it",
    example: "signalbox eject task",
    load: () => import("./commands/author/eject.ts"),
  },
  schema: {
    about: "print the JSON Schema of workflow files",
    example: "signalbox schema > workflow-1.schema.json",
    load: () => import("./commands/author/schema.ts"),
  },
  init: {
    about: "set up this repository: settings with every key explained",
    example: "signalbox init",
    load: () => import("./commands/setup/init.ts"),
  },
  config: {
    about: "print the effective settings, and where each comes from",
    example: "signalbox config task",
    load: () => import("./commands/setup/config.ts"),
  },
  trust: {
    about: "look at what this repository would run, and allow exactly that",
    example: "signalbox trust --show",
    load: () => import("./commands/setup/trust.ts"),
  },
  completion: {
    about: "print completion for bash, zsh or fish",
    example: `eval "$(signalbox completion bash)"`,
    load: () => import("./commands/setup/completion.ts"),
  },
  doctor: {
    about: "say what is missing or broken here, and mend it",
    example: "signalbox doctor",
    load: () => import("./commands/setup/doctor.ts"),
  },
  list: {
    about: "list the runs of this machine",
    example: "signalbox list --here",
    load: () => import("./commands/look/list.ts"),
  },
  show: {
    about: "show a run: where it is, what it waits for, what to type",
    example: "signalbox show abcd",
    load: () => import("./commands/look/show.ts"),
  },
  next: {
    about: "say what you can do with a run now",
    example: "signalbox next abcd",
    load: () => import("./commands/look/next.ts"),
  },
  why: {
    about: "say what keeps each move of a run shut",
    example: "signalbox why abcd",
    load: () => import("./commands/look/why.ts"),
  },
  follow: {
    about: "watch a run until it ends or waits for you",
    example: "signalbox follow k3d9",
    load: () => import("./commands/look/follow.ts"),
  },
  history: {
    about: "tell what happened to a run",
    example: "signalbox history abcd",
    load: () => import("./commands/look/history.ts"),
  },
  logs: {
    about: "print what an agent prints",
    example: "signalbox logs abcd --follow",
    load: () => import("./commands/look/logs.ts"),
  },
  watch: {
    about: "watch what all runs do, with keys for what to do about it",
    example: "signalbox watch --here",
    load: () => import("./commands/look/watch.ts"),
  },
  inbox: {
    about: "list what waits for you",
    example: "signalbox inbox",
    load: () => import("./commands/look/inbox.ts"),
  },
  verify: {
    about: "check that a run agrees with its history, and that people signed their acts",
    example: "signalbox verify --all",
    load: () => import("./commands/look/verify.ts"),
  },
  key: {
    about: "show or protect the key that your acts are signed with",
    example: "signalbox key",
    load: () => import("./commands/setup/key.ts"),
  },
  run: {
    about: "begin a run of a workflow, and follow it",
    example: 'signalbox run task "Dates are off by one"',
    load: () => import("./commands/act/run.ts"),
  },
  create: {
    about: "create a run that starts when its turn comes, and do not wait",
    example: 'signalbox create "Dates in the export are off by one"',
    load: () => import("./commands/act/create.ts"),
    loadFor: async (typed, door) => (await import("./commands/act/create.ts")).commandFor(typed, door),
  },
  start: {
    about: "start a run that waits for its start",
    example: "signalbox start k3d9",
    load: () => import("./commands/act/start.ts"),
  },
  update: {
    about: "change state, branch, summary or dependencies of a run",
    example: 'signalbox update k3d9 --summary "Dates in the export"',
    load: () => import("./commands/act/update.ts"),
  },
  complete: {
    about: "hand over: ask for the one move forward",
    example: "signalbox complete",
    load: () => import("./commands/act/complete.ts"),
  },
  attach: {
    about: "look into the terminals of a run's agents",
    example: "signalbox attach k3d9",
    load: () => import("./commands/look/attach.ts"),
  },
  respawn: {
    about: "start an agent again that has crashed",
    example: "signalbox respawn k3d9",
    load: () => import("./commands/decide/respawn.ts"),
  },
  delete: {
    about: "put a finished run away: lists leave it out",
    example: "signalbox delete k3d9",
    load: () => import("./commands/decide/delete.ts"),
  },
  accept: {
    about: "accept what waits for you; deliver where the workflow does",
    example: "signalbox accept abcd",
    load: () => import("./commands/decide/accept.ts"),
  },
  "send-back": {
    about: "send the work of a run back, with what to change",
    example: 'signalbox send-back abcd "Also handle leap years"',
    load: () => import("./commands/decide/send-back.ts"),
  },
  retry: {
    about: "have a run try again, whatever held it up",
    example: "signalbox retry abcd",
    load: () => import("./commands/decide/retry.ts"),
  },
  answer: {
    about: "answer an open question",
    example: "signalbox answer UD-1 approve",
    load: () => import("./commands/decide/answer.ts"),
  },
  move: {
    about: "ask for a move of a run",
    example: "signalbox move abcd working",
    load: () => import("./commands/act/move.ts"),
  },
  submit: {
    about: "submit an artifact",
    example: "signalbox submit review",
    load: () => import("./commands/act/submit.ts"),
  },
  review: {
    about: "submit a review, field by field",
    example: "signalbox review create review.json",
    load: () => import("./commands/act/review.ts"),
  },
  waive: {
    about: "let a gate pass, and say why",
    example: 'signalbox waive abcd review --reason "looked at it myself"',
    load: () => import("./commands/decide/waive.ts"),
  },
  stop: {
    about: "halt a run where it is",
    example: "signalbox stop abcd",
    load: () => import("./commands/decide/stop.ts"),
  },
  resume: {
    about: "go on with a run, and try again what went wrong",
    example: "signalbox resume abcd",
    load: () => import("./commands/decide/resume.ts"),
  },
  cancel: {
    about: "end a run early",
    example: "signalbox cancel abcd",
    load: () => import("./commands/decide/cancel.ts"),
  },
  project: {
    about: "repositories that runs work in, and how many agents work at the same time",
    example: "signalbox project list",
    load: () => import("./commands/setup/project.ts"),
  },
  workspace: {
    about: "list the workspaces of runs, and release those of runs that are over",
    example: "signalbox workspace list",
    load: () => import("./commands/setup/workspace.ts"),
  },
  salvage: {
    about: "list, show and restore what runs left in their workspaces",
    example: "signalbox salvage list",
    load: () => import("./commands/setup/salvage.ts"),
  },
  demo: {
    about: "play a workflow with scripted agents, in a temporary folder",
    example: "signalbox demo",
    load: () => import("./commands/author/demo.ts"),
  },
  mcp: {
    about: "give an agent its tools, over the Model Context Protocol",
    example: "signalbox mcp",
    load: () => import("../mcp/command.ts"),
  },
  supervise: {
    about: "carry out what runs need; other commands start this by themselves",
    example: "signalbox supervise",
    load: () => import("./commands/act/supervise.ts"),
  },
};
