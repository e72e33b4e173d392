/** OpenCode: `run --format json`. */

import type { AgentEvent } from "../../engine/ports/drivers.ts";
import { failureOf } from "./failures.ts";
import { at, countAt, inputIn, jsonLines, textAt, textEvents, type LineReader } from "./lines.ts";

const WRITERS: ReadonlySet<string> = new Set(["write", "edit", "patch"]);

export function opencode(): LineReader {
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
        { type: "usage", usage: usageOf(part) },
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

/** Of one step: a turn has several. */
function usageOf(part: unknown): Extract<AgentEvent, { type: "usage" }>["usage"] {
  const cached = countAt(part, "tokens", "cache", "read");
  return {
    input: countAt(part, "tokens", "input") + countAt(part, "tokens", "cache", "write") + cached,
    cached,
    output: countAt(part, "tokens", "output"),
    cost: countAt(part, "cost"),
  };
}
