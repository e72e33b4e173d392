/** Gemini CLI. */

import { isObject } from "../../format/json/shape.ts";
import type { AgentEvent, Driver, LineReader, Turn } from "../../engine/ports/drivers.ts";
import { words, called, fileIn, flag, promptOf } from "./argv.ts";
import { failureOf } from "./failures.ts";
import {
  at,
  countAt,
  inputIn,
  jsonLines,
  modelEvents,
  TEXT_MAX,
  textAt,
  textEvents,
  usageEvents,
} from "./lines.ts";

const WRITERS: ReadonlySet<string> = new Set(["write_file", "replace"]);
const WRITES_MAX = 100;

export const gemini: Driver = {
  name: "gemini",
  program: "gemini",
  argv,
  reader,
  env: [
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GOOGLE_APPLICATION_CREDENTIALS",
  ],
  set: { NO_BROWSER: "true", GEMINI_CLI_TRUST_WORKSPACE: "true" },
  efforts: [],
  canStay: true,
  // Only files name its servers.
  takesTools: false,
  files: (env) => {
    const home = fileIn(env, ".gemini");
    return {
      settings: ["settings.json", "GEMINI.md", "commands", "extensions", "trustedFolders.json"].map(
        (name) => `${home}/${name}`,
      ),
      credentials: [`${home}/oauth_creds.json`, `${home}/google_accounts.json`],
    };
  },
  version: ["--version"],
  login: undefined,
  logIn: "gemini",
};

function argv(turn: Turn): readonly string[] {
  const { harness, model, seat, isFirst, session, conversation } = turn;
  const stays = seat === "resident";
  return called(
    turn,
    [
      ...(stays ? [] : ["--output-format", "stream-json"]),
      // Without yolo its shell tool is not even offered.
      ...words("--approval-mode yolo"),
      ...flag("--model", model),
      ...harness.folders.flatMap((folder) => ["--include-directories", folder]),
    ],
    stays
      ? [isFirst ? "--session-id" : "--resume", session, "--prompt-interactive", promptOf(turn)]
      : flag("--resume", conversation),
  );
}

function reader(): LineReader {
  // Its answer comes in pieces of a few words.
  let pieces = "";
  const writes = new Map<string, string>();
  const flush = (): readonly AgentEvent[] => {
    const text = pieces;
    pieces = "";
    return textEvents(text);
  };
  const read = (line: unknown): readonly AgentEvent[] => {
    switch (textAt(line, "type")) {
      case "init":
        return [
          { type: "conversation", id: textAt(line, "session_id") },
          ...modelEvents(textAt(line, "model")),
        ];
      case "tool_use": {
        const id = textAt(line, "tool_id");
        const name = textAt(line, "tool_name");
        const input = inputIn(at(line, "parameters"));
        if (WRITERS.has(name) && writes.size < WRITES_MAX) writes.set(id, input);
        return [{ type: "tool-started", id, name, input }];
      }
      case "tool_result":
        return toolEnded(line, writes);
      case "error":
        return [{ type: "notice", text: textAt(line, "message") }];
      case "result":
        return result(line);
    }
    return [];
  };
  const lines = jsonLines((line) => {
    const isPiece = textAt(line, "type") === "message" && textAt(line, "role") === "assistant";
    if (!isPiece) return [...flush(), ...read(line)];
    const full = pieces.length >= TEXT_MAX / 2 ? flush() : [];
    pieces += textAt(line, "content").slice(0, TEXT_MAX / 2);
    return full;
  }, flush);
  return {
    ...lines,
    take(line) {
      if (!LOGGED_OUT.test(line)) return lines.take(line);
      return [...flush(), { type: "failure", class: "login", message: line.trim() }];
    },
  };
}

/** It says this as plain text, before it prints any JSON. */
const LOGGED_OUT =
  /^(?:When using Gemini API, you must specify the \w+ environment variable|Please set an Auth method)[^\n]{0,300}$/;

function toolEnded(line: unknown, writes: Map<string, string>): readonly AgentEvent[] {
  const id = textAt(line, "tool_id");
  const isOk = textAt(line, "status") === "success";
  const output = textAt(line, "output") || textAt(line, "error", "message");
  const path = writes.get(id);
  writes.delete(id);
  const ended: AgentEvent = { type: "tool-ended", id, isOk, output };
  return path === undefined || !isOk ? [ended] : [ended, { type: "file-changed", path }];
}

function result(line: unknown): readonly AgentEvent[] {
  const count = (name: string): number => countAt(line, "stats", name);
  const usage = usageEvents(at(line, "stats"), "input_tokens", () => ({
    input: count("input_tokens"),
    cached: count("cached"),
    output: count("output_tokens"),
  }));
  const model = modelEvents(modelsIn(at(line, "stats", "models")));
  if (textAt(line, "status") !== "error") return [...model, ...usage, { type: "turn-ended" }];
  return [...model, ...usage, failureOf(textAt(line, "error", "message")), { type: "turn-ended" }];
}

/** Its router may have chosen another model than the one it began with, or several: these together have no price. */
function modelsIn(models: unknown): string {
  if (!isObject(models)) return "";
  return Object.keys(models)
    .filter((name) => countAt(models, name, "total_tokens") > 0)
    .join("+");
}
