/** Claude Code. */

import { EFFORTS } from "../../core/model/vocabulary.ts";
import { isObject } from "../../format/json/shape.ts";
import type { AgentEvent, Driver, LineReader, Turn, Usage } from "../../engine/ports/drivers.ts";
import { words, called, fileIn, flag, promptOf } from "./argv.ts";
import { failureOf } from "./failures.ts";
import {
  at,
  countAt,
  inputIn,
  jsonLines,
  listAt,
  modelEvents,
  textAt,
  textEvents,
  usageEvents,
} from "./lines.ts";

export const claude: Driver = {
  name: "claude",
  program: "claude",
  argv,
  reader,
  env: [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_USE_BEDROCK",
    "AWS_REGION",
    "AWS_PROFILE",
    "AWS_BEARER_TOKEN_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "ANTHROPIC_VERTEX_PROJECT_ID",
    "CLOUD_ML_REGION",
  ],
  set: { DISABLE_AUTOUPDATER: "1" },
  efforts: EFFORTS,
  canStay: true,
  takesTools: true,
  files: (env) => {
    const home = env["CLAUDE_CONFIG_DIR"] ?? fileIn(env, ".claude");
    const state = env["CLAUDE_CONFIG_DIR"] ?? fileIn(env, "");
    return {
      settings: [
        ...["settings.json", "CLAUDE.md", "agents", "commands", "skills", "plugins"].map(
          (name) => `${home}/${name}`,
        ),
        `${state}/.claude.json`,
      ],
      credentials: [`${home}/.credentials.json`],
    };
  },
  version: ["--version"],
  login: ["auth", "status"],
  logIn: "claude auth login",
};

const TOOLS = JSON.stringify({ mcpServers: { signalbox: { command: "signalbox", args: ["mcp"] } } });

/** It prints the id of its conversation, and then takes it. Only in a terminal, where nothing is read, it is given one. */
function argv(turn: Turn): readonly string[] {
  const { harness, model, effort, seat, isFirst, session, conversation } = turn;
  const stays = seat === "resident";
  const allowed = `Bash,Edit,Write${stays ? ",Read" : ""}${harness.mcp ? ",mcp__signalbox" : ""}`;
  return called(
    turn,
    [
      ...(stays ? [] : words("-p --output-format stream-json --verbose")),
      // In a terminal it reads its prompt from a file outside of the workspace.
      ...words(`--permission-mode acceptEdits --allowedTools ${allowed}`),
      ...(harness.mcp ? ["--mcp-config", TOOLS] : []),
      ...flag("--model", model),
      ...flag("--effort", effort),
      ...harness.folders.flatMap((folder) => ["--add-dir", folder]),
    ],
    stays ? [isFirst ? "--session-id" : "--resume", session, promptOf(turn)] : flag("--resume", conversation),
  );
}

function reader(): LineReader {
  // It comes on a line of its own, before the failure that it explains.
  let resetAt = 0;
  return jsonLines((line) => {
    switch (textAt(line, "type")) {
      case "system":
        return system(line);
      case "assistant":
        // The same sentence is in the result.
        return at(line, "is_api_error_message") === true
          ? []
          : listAt(line, "message", "content").flatMap(said);
      case "user":
        return [...listAt(line, "message", "content").flatMap(toolEnded), ...changed(line)];
      case "rate_limit_event":
        if (textAt(line, "rate_limit_info", "status") === "rejected")
          resetAt = countAt(line, "rate_limit_info", "resetsAt") * 1000;
        return [];
      case "result":
        return result(line, resetAt);
    }
    return [];
  });
}

function system(line: unknown): readonly AgentEvent[] {
  switch (textAt(line, "subtype")) {
    case "init":
      return [
        { type: "conversation", id: textAt(line, "session_id") },
        ...modelEvents(textAt(line, "model")),
      ];
    case "permission_denied":
      return [{ type: "refused", tool: textAt(line, "tool_name"), reason: textAt(line, "message") }];
    case "api_retry": {
      const why = [textAt(line, "error"), countAt(line, "error_status") || ""].join(" ").trim();
      const text = `retry ${countAt(line, "attempt")} of ${countAt(line, "max_retries")}: ${why}`;
      return [{ type: "notice", text }];
    }
  }
  return [];
}

function said(block: unknown): readonly AgentEvent[] {
  switch (textAt(block, "type")) {
    case "text":
      return textEvents(textAt(block, "text"));
    case "tool_use":
      return [
        {
          type: "tool-started",
          id: textAt(block, "id"),
          name: textAt(block, "name"),
          input: inputIn(at(block, "input")),
        },
      ];
  }
  return [];
}

function toolEnded(block: unknown): readonly AgentEvent[] {
  if (textAt(block, "type") !== "tool_result") return [];
  const parts = listAt(block, "content").map((part) => textAt(part, "text"));
  return [
    {
      type: "tool-ended",
      id: textAt(block, "tool_use_id"),
      isOk: at(block, "is_error") !== true,
      output: textAt(block, "content") || textAt({ text: parts.join("\n") }, "text"),
    },
  ];
}

function changed(line: unknown): readonly AgentEvent[] {
  const path = textAt(line, "tool_use_result", "filePath");
  const isChange = at(line, "tool_use_result", "structuredPatch") !== undefined;
  return path === "" || !isChange ? [] : [{ type: "file-changed", path }];
}

function result(line: unknown, resetAt: number): readonly AgentEvent[] {
  const usage = usageEvents(at(line, "usage"), "input_tokens", () => usageIn(line));
  if (at(line, "is_error") !== true) return [...usage, { type: "turn-ended" }];
  const status = countAt(line, "api_error_status");
  const text = textAt(line, "result") || textAt(line, "subtype");
  return [...usage, failureOf(text, { status, resetAt }), { type: "turn-ended" }];
}

/** Of this turn only: `total_cost_usd` also counts the earlier turns of the conversation. */
function usageIn(line: unknown): Usage {
  const models = at(line, "model_usage_since_last_result");
  const costs = isObject(models) ? Object.values(models).map((model) => at(model, "costUSD")) : [];
  const count = (name: string): number => countAt(line, "usage", name);
  const cached = count("cache_read_input_tokens");
  return {
    input: count("input_tokens") + count("cache_creation_input_tokens") + cached,
    cached,
    output: count("output_tokens"),
    ...(costs.length > 0 && costs.every(isCost) ? { cost: costs.reduce((sum, cost) => sum + cost, 0) } : {}),
  };
}

function isCost(cost: unknown): cost is number {
  return typeof cost === "number" && cost >= 0;
}
