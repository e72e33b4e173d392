/** What to type instead of a word that people know from other programs. */

const HINTS: Readonly<Record<string, string>> = {
  abort: "cancel RUN",
  add: 'create "SUMMARY"',
  approve: "accept RUN",
  board: "watch",
  continue: "retry RUN",
  dashboard: "watch",
  describe: "show RUN",
  done: "accept RUN",
  events: "history RUN --events",
  info: "show RUN",
  kill: "cancel RUN",
  log: "logs RUN",
  ls: "list",
  merge: "accept RUN",
  new: 'create "SUMMARY"',
  open: "attach RUN",
  pause: "stop RUN",
  ps: "list",
  reject: "send-back RUN TEXT",
  remove: "delete RUN",
  rename: "update RUN --summary TEXT",
  reply: "answer RUN VALUE",
  restart: "retry RUN",
  rm: "delete RUN",
  runs: "list",
  settings: "config",
  setup: "init",
  tail: "follow RUN",
  tasks: "list",
  top: "watch",
  ui: "watch",
  undo: "history RUN",
  upgrade: "--version",
  version: "--version",
  view: "show RUN",
};

export function hintFor(word: string): string | undefined {
  return Object.hasOwn(HINTS, word) ? `signalbox ${HINTS[word] ?? ""}` : undefined;
}
