/** `signalbox task`: what people and agents type about tasks. Each word is a command of its own, loaded when it is called. */

import type { Group } from "../../command.ts";

export const command: Group = {
  about:
    "Tasks: each is one run of the workflow `task`, in a workspace of its own. In that workspace TASK may be left out.\nThe first letters of a task's id are enough in its own repository; a whole id is enough everywhere.",
  parts: {
    create: {
      about: "create a task, and start it as soon as one more agent may work",
      load: () => import("../../task/create.ts"),
    },
    start: { about: "start a task that is pending", load: () => import("../../task/start.ts") },
    list: { about: "list the open tasks of this project", load: () => import("../../task/list.ts") },
    show: {
      about: "show a task and everything that belongs to it",
      load: () => import("../../task/show.ts"),
    },
    update: {
      about: "change status, branch, summary or dependencies",
      load: () => import("../../task/update.ts"),
    },
    attach: { about: "look into the terminals of its agents", load: () => import("../../task/attach.ts") },
    respawn: { about: "start an agent again that has crashed", load: () => import("../../task/respawn.ts") },
    "request-changes": {
      about: "send a task back to its worker, with what is to be changed",
      load: () => import("../../task/request-changes.ts"),
    },
    merge: {
      about: "merge the reviewed commit; the task is done",
      load: () => import("../../task/merge.ts"),
    },
    cancel: { about: "end a task early; its branch stays", load: () => import("../../task/cancel.ts") },
    delete: { about: "put a finished task away", load: () => import("../../task/delete.ts") },
    complete: {
      about: "hand over: ask for the one move forward",
      load: () => import("../../task/complete.ts"),
    },
    stuck: { about: "say that a task needs a person", load: () => import("../../task/stuck.ts") },
  },
  examples: [
    'signalbox task create "Dates in the export are off by one"',
    "signalbox task list",
    "signalbox task update --status agent-review",
  ],
};
