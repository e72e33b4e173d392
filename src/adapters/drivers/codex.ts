/** Codex. */

import { EFFORTS } from "../../core/model/vocabulary.ts";
import type { AgentEvent, Driver, LineReader, Turn } from "../../engine/ports/drivers.ts";
import { words, called, fileIn, flag } from "./argv.ts";
import { failureOf } from "./failures.ts";
import { at, countAt, inputIn, jsonLines, listAt, textAt, textEvents, usageEvents } from "./lines.ts";

export const codex: Driver = {
  name: "codex",
  program: "codex",
  argv,
  reader,
  env: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY", "CODEX_HOME"],
  set: {},
  efforts: EFFORTS,
  // In a terminal it prints no id that a later turn could name.
  canStay: false,
  takesTools: true,
  files: (env) => {
    const home = env["CODEX_HOME"] ?? fileIn(env, ".codex");
    return {
      settings: [
        `${home}/config.toml`,
        `${home}/AGENTS.md`,
        `${home}/prompts`,
        `${home}/rules`,
        `${home}/skills`,
      ],
      credentials: [`${home}/auth.json`],
    };
  },
  version: ["--version"],
  login: ["login", "status"],
  logIn: "codex login",
};

const MAX = "xhigh";

/** It hands on only variables that are named, and refuses a tool that nobody has approved. */
const TOOLS = [
  'command="signalbox"',
  'args=["mcp"]',
  'env_vars=["SIGNALBOX_HOME","SIGNALBOX_RUN","SIGNALBOX_TOKEN","SIGNALBOX_JOB","SIGNALBOX_SOCKET"]',
  'default_tools_approval_mode="approve"',
].flatMap((line) => ["-c", `mcp_servers.signalbox.${line}`]);

function argv(turn: Turn): readonly string[] {
  const { harness, model, effort, workspace, folders, conversation, isConfined } = turn;
  // `.agents`, where workflows keep artifacts, is read-only for codex unless it is named.
  const writable = isConfined ? [] : [...folders, `${workspace}/.agents`, ...harness.folders];
  return called(
    turn,
    [
      ...words("exec --json --skip-git-repo-check"),
      // A login shell reads /etc/profile, which on Debian replaces the PATH, and `signalbox` would not be found.
      ...words("-c allow_login_shell=false"),
      // Its own sandbox in ours needs nested namespaces, which no agent has that root starts.
      "--sandbox",
      isConfined ? "danger-full-access" : "workspace-write",
      ...(harness.mcp ? TOOLS : []),
      ...flag("--model", model),
      ...(effort === "" ? [] : ["-c", `model_reasoning_effort=${effort === "max" ? MAX : effort}`]),
      ...writable.flatMap((folder) => ["--add-dir", folder]),
    ],
    [...(conversation === "" ? [] : ["resume", conversation]), "-"],
  );
}

function reader(): LineReader {
  // An error ends the turn, and the end of the turn repeats it.
  let last = "";
  const failed = (message: string): readonly AgentEvent[] => {
    if (message === last) return [];
    last = message;
    return [failureOf(message)];
  };
  return jsonLines((line) => {
    switch (textAt(line, "type")) {
      case "thread.started":
        return [{ type: "conversation", id: textAt(line, "thread_id") }];
      case "item.started":
        return started(at(line, "item"));
      case "item.completed":
        return completed(at(line, "item"));
      case "error": {
        const message = textAt(line, "message");
        return message.startsWith("Reconnecting") ? [{ type: "notice", text: message }] : failed(message);
      }
      case "turn.failed":
        return [...failed(textAt(line, "error", "message")), { type: "turn-ended" }];
      case "turn.completed":
        return [
          ...usageEvents(at(line, "usage"), "input_tokens", () => ({
            input: countAt(line, "usage", "input_tokens"),
            cached: countAt(line, "usage", "cached_input_tokens"),
            output: countAt(line, "usage", "output_tokens"),
            of: "conversation",
          })),
          { type: "turn-ended" },
        ];
    }
    return [];
  });
}

function started(item: unknown): readonly AgentEvent[] {
  const id = textAt(item, "id");
  switch (textAt(item, "type")) {
    case "command_execution":
      return [{ type: "tool-started", id, name: "command", input: textAt(item, "command") }];
    case "mcp_tool_call": {
      const name = `${textAt(item, "server")}.${textAt(item, "tool")}`;
      return [{ type: "tool-started", id, name, input: inputIn(at(item, "arguments")) }];
    }
    case "web_search":
      return [{ type: "tool-started", id, name: "web search", input: textAt(item, "query") }];
  }
  return [];
}

function completed(item: unknown): readonly AgentEvent[] {
  const id = textAt(item, "id");
  const isOk = textAt(item, "status") !== "failed";
  switch (textAt(item, "type")) {
    case "agent_message":
      return textEvents(textAt(item, "text"));
    case "command_execution":
      return [{ type: "tool-ended", id, isOk, output: textAt(item, "aggregated_output") }];
    case "mcp_tool_call": {
      const parts = listAt(item, "result", "content").map((part) => textAt(part, "text"));
      const output = textAt(item, "error", "message") || parts.join("\n");
      return [{ type: "tool-ended", id, isOk, output: inputIn(output) }];
    }
    case "file_change":
      return isOk
        ? listAt(item, "changes").map((change) => ({ type: "file-changed", path: textAt(change, "path") }))
        : [];
    case "error":
      return [{ type: "notice", text: textAt(item, "message") }];
  }
  return [];
}
