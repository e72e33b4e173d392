/** OpenCode. */

import type { AgentEvent, Driver, LineReader, Turn } from "../../engine/ports/drivers.ts";
import { words, called, fileIn, flag } from "./argv.ts";
import { failureOf } from "./failures.ts";
import { at, countAt, inputIn, jsonLines, textAt, textEvents, usageEvents } from "./lines.ts";

const WRITERS: ReadonlySet<string> = new Set(["write", "edit", "patch"]);

export const opencode: Driver = {
  name: "opencode",
  program: "opencode",
  argv,
  reader,
  env: [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "OPENCODE_API_KEY",
    "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_CONTENT",
  ],
  set: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
  // It drops a variant that its model does not have without a word, and few models have `max`.
  efforts: ["low", "medium", "high"],
  // In a terminal it waits for permission to read its prompt.
  canStay: false,
  // Only its configuration names its servers.
  takesTools: false,
  files: (env) => ({
    settings: [
      env["OPENCODE_CONFIG"] ?? `${env["XDG_CONFIG_HOME"] ?? fileIn(env, ".config")}/opencode/opencode.json`,
    ],
    credentials: [`${env["XDG_DATA_HOME"] ?? fileIn(env, ".local/share")}/opencode/auth.json`],
  }),
  version: ["--version"],
  login: undefined,
  logIn: "opencode auth login",
};

function argv(turn: Turn): readonly string[] {
  const { model, effort, conversation } = turn;
  return called(turn, [
    // Without --auto a request for permission is refused, and the refusal ends the turn.
    ...words("run --format json --auto"),
    ...flag("--model", model),
    ...flag("--variant", effort),
    ...flag("--session", conversation),
  ]);
}

function reader(): LineReader {
  let conversation = "";
  return jsonLines((line) => {
    // Every line has it.
    const id = textAt(line, "sessionID");
    const isNew = id !== "" && id !== conversation;
    conversation = id === "" ? conversation : id;
    return [...(isNew ? [{ type: "conversation", id } as const] : []), ...read(line)];
  });
}

function read(line: unknown): readonly AgentEvent[] {
  const part = at(line, "part");
  switch (textAt(line, "type")) {
    case "text":
      return textEvents(textAt(part, "text"));
    case "tool_use":
      return tool(part);
    case "step_finish":
      return [
        ...usageEvents(at(part, "tokens"), "input", () => usageOf(part)),
        ...(textAt(part, "reason") === "tool-calls" ? [] : [{ type: "turn-ended" } as const]),
      ];
    case "error": {
      const error = at(line, "error");
      const message = textAt(error, "data", "message") || textAt(error, "message") || textAt(error, "name");
      return [failureOf(message, { status: countAt(error, "data", "statusCode") })];
    }
  }
  return [];
}

function tool(part: unknown): readonly AgentEvent[] {
  const id = textAt(part, "callID");
  const name = textAt(part, "tool");
  const state = at(part, "state");
  const input = inputIn(at(state, "input"));
  const isOk = textAt(state, "status") === "completed" && countAt(state, "metadata", "exit") === 0;
  const output = textAt(state, "output") || textAt(state, "error");
  return [
    { type: "tool-started", id, name, input },
    { type: "tool-ended", id, isOk, output },
    ...(isOk && WRITERS.has(name) ? [{ type: "file-changed", path: input } as const] : []),
  ];
}

/** A cost of zero is that of a model whose price the program does not know. */
function usageOf(part: unknown): Extract<AgentEvent, { type: "usage" }>["usage"] {
  const cached = countAt(part, "tokens", "cache", "read");
  const cost = countAt(part, "cost");
  return {
    input: countAt(part, "tokens", "input") + countAt(part, "tokens", "cache", "write") + cached,
    cached,
    output: countAt(part, "tokens", "output"),
    ...(cost === 0 ? {} : { cost }),
    of: "step",
  };
}
