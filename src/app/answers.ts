/** What commands print with `--json`, as schemas: the output of the use case that each calls, within the same envelope. One published file has all of them. */

import * as z from "zod/mini";
import { told } from "../format/workflow/schema/primitives.ts";
import { SCHEMAS, type UseName } from "./schemas.ts";
import { At, Count, Flag, Text, type Shape } from "./shapes.ts";
import { FOLLOWED, Happening, TaskHappening } from "./story/schemas.ts";
import { TASK_LIST } from "./view/run-view.ts";

const COMMON = {
  code: told(z.string().check(z.regex(/^[a-z][a-z0-9-]*$/)), "Stable, for programs; ok where all is well"),
  message: told(Text, "One sentence for people"),
  next: told(Text, "The one next command, or thing to do; empty where there is none"),
};

const Failure = told(
  z.strictObject({
    ok: z.literal(false),
    ...COMMON,
    at: z.optional(told(At, "Where in a file the mistake is")),
  }),
  "The command could not be done",
);

const Help = told(z.strictObject({ ok: z.literal(true), ...COMMON, help: Text }), "What --help gives");

/** What each command calls. A command that is also called what its use case is, is found by that. */
/** A tool of agents, and what their programs ask for them, are not commands. */
type CalledUse = Exclude<UseName, "read-context" | "ask-permission">;

const CALLED: Readonly<Record<string, CalledUse>> = {
  config: "settings",
  "review create": "review-create",
  "project add": "add-project",
  "project list": "projects",
  "project update": "update-project",
  "project remove": "remove-project",
  "salvage list": "salvages",
  "salvage show": "salvage",
  "salvage restore": "restore-salvage",
  "workspace list": "workspaces",
  "workspace gc": "release-workspaces",
};

const SAME: readonly CalledUse[] = [
  ...([
    "create",
    "submit",
    "move",
    "accept",
    "send-back",
    "retry",
    "cancel",
    "answer",
    "waive",
    "stop",
    "resume",
    "update",
    "complete",
    "respawn",
    "create",
    "start",
    "delete",
    "attach",
  ] as const),
  ...([
    "show",
    "next",
    "why",
    "diff",
    "inbox",
    "list",
    "history",
    "watch",
    "cost",
    "logs",
    "verify",
  ] as const),
  ...(["workflows", "check", "simulate", "graph", "eject", "schema"] as const),
  ...(["init", "setup", "agents", "trust", "key", "doctor"] as const),
];

/** Commands that call no use case, or several. */
const OTHERS: Readonly<Record<string, Shape>> = {
  run: FOLLOWED,
  follow: FOLLOWED,
  // Commands that workflows declare: `list`, and those with `in`. Any other prints what the called command prints.
  "WORKFLOW list": TASK_LIST,
  "WORKFLOW COMMAND": { ...FOLLOWED, name: Text, phase: Text },
  completion: {
    shell: z.optional(Text),
    script: z.optional(Text),
    candidates: z.optional(z.array(z.strictObject({ word: Text, about: Text }))),
  },
  // What these say comes line by line, or is for the program that started them.
  demo: {},
  mcp: {},
  // It prints events of its own, for a driver.
  bridge: {},
  serve: {},
  supervise: {},
  worker: {},
};

const DATA: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(SAME.map((name) => [name, SCHEMAS[name].output.shape])),
  ...Object.fromEntries(Object.entries(CALLED).map(([name, use]) => [name, SCHEMAS[use].output.shape])),
  ...OTHERS,
};

/** What happens, what is asked, what was answered, and at the end how it ended. */
const DemoLine = z.union([
  Happening,
  TaskHappening,
  z.strictObject({ run: Text, asks: Text }),
  z.strictObject({ run: Text, answer: Text, by: Text }),
  z.strictObject({
    exit: Count,
    code: Text,
    runs: z.array(
      z.strictObject({ name: Text, run: Text, code: Text, message: Text, state: Text, status: Text }),
    ),
    repository: Text,
    kept: Flag,
  }),
]);

/** Of commands that go on: what each line is. */
export const STREAMS: Readonly<Record<string, z.ZodMiniType>> = {
  logs: SCHEMAS["follow-logs"].piece,
  demo: DemoLine,
  watch: SCHEMAS.watch.piece,
};

/** A command's own data, beside what all have. */
function answerOf(data: Shape): z.ZodMiniType {
  return z.strictObject({ ok: told(Flag, "Whether the exit code is 0"), ...COMMON, ...data });
}

export const ANSWERS: Readonly<Record<string, z.ZodMiniType>> = Object.fromEntries(
  Object.entries(DATA).map(([name, data]) => [name, z.union([answerOf(data), Failure, Help])]),
);

/** `$defs` holds one definition for each command, by its name; `project.add` is that of `project add`. */
export function answersSchema(): unknown {
  const shared = [
    ["FAILURE", definitionOf(Failure)],
    ["HELP", definitionOf(Help)],
  ] as const;
  const references = shared.map(([name]) => ({ $ref: `#/$defs/${name}` }));
  const own = Object.entries(DATA).map(
    ([name, data]) =>
      [name.replace(" ", "."), { anyOf: [definitionOf(answerOf(data)), ...references] }] as const,
  );
  const lines = Object.entries(STREAMS).map(([name, line]) => [`${name}.line`, definitionOf(line)] as const);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "What the commands of signalbox print with --json",
    $defs: Object.fromEntries([...shared, ...[...own, ...lines].toSorted(([a], [b]) => (a < b ? -1 : 1))]),
  };
}

function definitionOf(schema: z.ZodMiniType): object {
  const { $schema: _same, ...definition } = z.toJSONSchema(schema, { target: "draft-2020-12" });
  return definition;
}
