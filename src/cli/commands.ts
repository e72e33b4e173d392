/** The commands there are. Each is loaded only when it is called. */

import type { Entry } from "./command.ts";

export const COMMANDS: Readonly<Record<string, Entry>> = {
  check: {
    about: "show that a workflow can end, or what is wrong with it",
    load: () => import("./commands/author/check.ts"),
  },
  graph: {
    about: "draw a workflow as a Mermaid diagram",
    load: () => import("./commands/author/graph.ts"),
  },
  simulate: {
    about: "walk through a workflow, with dice for agents",
    load: () => import("./commands/author/simulate.ts"),
  },
  workflows: {
    about: "list the available workflows",
    load: () => import("./commands/author/workflows.ts"),
  },
  eject: {
    about: "copy a built-in workflow into this repository, to change it",
    load: () => import("./commands/author/eject.ts"),
  },
  schema: {
    about: "print the JSON Schema of workflow files",
    load: () => import("./commands/author/schema.ts"),
  },
  init: {
    about: "set up this repository: settings with every key explained",
    load: () => import("./commands/setup/init.ts"),
  },
  setup: {
    about: "find your agents, try them, and have every workflow use them",
    load: () => import("./commands/setup/setup.ts"),
  },
  agents: {
    about: "list agents: version, login, and which roles use them",
    load: () => import("./commands/setup/agents.ts"),
  },
  config: {
    about: "print the effective settings, and where each comes from",
    load: () => import("./commands/setup/config.ts"),
  },
  trust: {
    about: "look at what this repository would run, and allow exactly that",
    load: () => import("./commands/setup/trust.ts"),
  },
  completion: {
    about: "print completion for bash, zsh or fish",
    load: () => import("./commands/setup/completion.ts"),
  },
  doctor: {
    about: "say what is missing or broken here, and repair it",
    load: () => import("./commands/setup/doctor.ts"),
  },
  list: {
    about: "list the runs of this machine",
    load: () => import("./commands/look/list.ts"),
  },
  show: {
    about: "show a run: where it is, what it waits for, what to type",
    load: () => import("./commands/look/show.ts"),
  },
  next: {
    about: "say what you can do with a run now",
    load: () => import("./commands/look/next.ts"),
  },
  why: {
    about: "say what keeps each move of a run shut",
    load: () => import("./commands/look/why.ts"),
  },
  diff: {
    about: "show what a run has changed, or an edit that was not submitted",
    load: () => import("./commands/look/diff.ts"),
  },
  follow: {
    about: "watch a run until it ends or waits for you",
    load: () => import("./commands/look/follow.ts"),
  },
  history: {
    about: "tell what happened to a run",
    load: () => import("./commands/look/history.ts"),
  },
  cost: {
    about: "add up what turns of agents used: tokens, money, time",
    load: () => import("./commands/look/cost.ts"),
  },
  logs: {
    about: "print what an agent prints",
    load: () => import("./commands/look/logs.ts"),
  },
  watch: {
    about: "watch what all runs do, with keys for what to do about it",
    load: () => import("./commands/look/watch.ts"),
  },
  inbox: {
    about: "list what waits for you",
    load: () => import("./commands/look/inbox.ts"),
  },
  verify: {
    about: "check that a run agrees with its history, and that people signed their acts",
    load: () => import("./commands/look/verify.ts"),
  },
  key: {
    about: "show or protect the key that your acts are signed with",
    load: () => import("./commands/setup/key.ts"),
  },
  run: {
    about: "begin a run of a workflow, and follow it",
    load: () => import("./commands/act/run.ts"),
  },
  create: {
    about: "create a run that starts when its turn comes, and do not wait",
    load: () => import("./commands/act/create.ts"),
    loadFor: async (typed, door) => (await import("./commands/act/create.ts")).commandFor(typed, door),
  },
  start: {
    about: "start a run that waits for its start",
    load: () => import("./commands/act/start.ts"),
  },
  update: {
    about: "change state, branch, summary or dependencies of a run",
    load: () => import("./commands/act/update.ts"),
  },
  complete: {
    about: "hand over: ask for the one move forward",
    load: () => import("./commands/act/complete.ts"),
  },
  attach: {
    about: "look into the terminals of a run's agents",
    load: () => import("./commands/look/attach.ts"),
  },
  respawn: {
    about: "start an agent again that has crashed",
    load: () => import("./commands/decide/respawn.ts"),
  },
  delete: {
    about: "put a finished run away: lists leave it out",
    load: () => import("./commands/decide/delete.ts"),
  },
  accept: {
    about: "accept what waits for you; deliver where the workflow does",
    load: () => import("./commands/decide/accept.ts"),
  },
  "send-back": {
    about: "send the work of a run back, with what to change",
    load: () => import("./commands/decide/send-back.ts"),
  },
  retry: {
    about: "have a run try again, whatever held it up",
    load: () => import("./commands/decide/retry.ts"),
  },
  answer: {
    about: "answer an open question",
    load: () => import("./commands/decide/answer.ts"),
  },
  move: {
    about: "ask for a move of a run",
    load: () => import("./commands/act/move.ts"),
  },
  submit: {
    about: "submit an artifact",
    load: () => import("./commands/act/submit.ts"),
  },
  review: {
    about: "submit a review, field by field",
    load: () => import("./commands/act/review.ts"),
  },
  waive: {
    about: "let a gate pass, and say why",
    load: () => import("./commands/decide/waive.ts"),
  },
  stop: {
    about: "halt a run where it is",
    load: () => import("./commands/decide/stop.ts"),
  },
  resume: {
    about: "go on with a run, and try again what went wrong",
    load: () => import("./commands/decide/resume.ts"),
  },
  cancel: {
    about: "end a run early",
    load: () => import("./commands/decide/cancel.ts"),
  },
  project: {
    about: "repositories that runs work in, and how many agents work at the same time",
    load: () => import("./commands/setup/project.ts"),
  },
  workspace: {
    about: "list the workspaces of runs, and release those of runs that are over",
    load: () => import("./commands/setup/workspace.ts"),
  },
  salvage: {
    about: "list, show and restore what runs left in their workspaces",
    load: () => import("./commands/setup/salvage.ts"),
  },
  demo: {
    about: "play a workflow with scripted agents, in a temporary folder",
    load: () => import("./commands/author/demo.ts"),
  },
  serve: {
    about: "show runs on a page in the browser, and decide there",
    load: () => import("../http/command.ts"),
  },
  mcp: {
    about: "give an agent its tools, over the Model Context Protocol",
    load: () => import("../mcp/command.ts"),
  },
  bridge: {
    about: "run one turn of an agent that asks for permission; the supervisor starts this by itself",
    load: () => import("../bridge/command.ts"),
  },
  worker: {
    about: "carry out what runs need on one of several machines that share a database",
    load: () => import("./commands/act/worker.ts"),
  },
  supervise: {
    about: "carry out what runs need; other commands start this by themselves",
    load: () => import("./commands/act/supervise.ts"),
  },
};
