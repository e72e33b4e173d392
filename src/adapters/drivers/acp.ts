/** Any program that speaks the Agent Client Protocol: `signalbox bridge` runs its turn, and prints events of one format for all of them. */

import { basename, dirname, join } from "node:path";
import {
  ANEW_FILE,
  type AgentEvent,
  type Driver,
  type LineReader,
  type ProgramFiles,
  type Turn,
} from "../../engine/ports/drivers.ts";
import { filled, flag } from "./argv.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { failureOf } from "./failures.ts";
import { gemini } from "./gemini.ts";
import { at, countAt, jsonLines, textAt, textEvents } from "./lines.ts";
import { opencode } from "./opencode.ts";

export const acp: Driver = {
  name: "acp",
  program: "",
  argv,
  reader,
  env: [],
  set: {},
  // As what the program offers: one that offers no such choice says so in its log.
  efforts: ["low", "medium", "high", "max"],
  canStay: false,
  // A call of such a tool would ask for permission like any other.
  takesTools: false,
  files,
  version: [],
  login: undefined,
  logIn: "",
};

/** By its name: adapters of a program, such as `codex-acp`, use the files of that program. */
function files(env: Readonly<Record<string, string>>, program: string): ProgramFiles {
  const [name] = basename(program).split("-");
  const known = [claude, codex, gemini, opencode].find((driver) => driver.program === name);
  return known?.files(env, program) ?? { settings: [], credentials: [] };
}

function argv(turn: Turn): readonly string[] {
  const { harness, access, model, effort, conversation, prompt } = turn;
  return [
    "signalbox",
    "bridge",
    "acp",
    ...flag("--access", access),
    ...flag("--permissions", harness.permissions),
    ...flag("--conversation", conversation),
    ...flag("--anew", conversation === "" ? "" : join(dirname(prompt), ANEW_FILE)),
    ...flag("--model", model),
    ...flag("--effort", effort),
    ...harness.folders.flatMap((folder) => ["--folder", folder]),
    "--",
    ...filled(turn, harness.program),
    ...filled(turn, harness.arguments),
  ];
}

function reader(): LineReader {
  return jsonLines(eventsIn);
}

function eventsIn(line: unknown): readonly AgentEvent[] {
  switch (textAt(line, "type")) {
    case "conversation":
      return [{ type: "conversation", id: textAt(line, "id") }];
    case "text":
      return textEvents(textAt(line, "text"));
    case "tool-started":
      return [
        {
          type: "tool-started",
          id: textAt(line, "id"),
          name: textAt(line, "name"),
          input: textAt(line, "input"),
        },
      ];
    case "tool-ended":
      return [
        {
          type: "tool-ended",
          id: textAt(line, "id"),
          isOk: at(line, "isOk") === true,
          output: textAt(line, "output"),
        },
      ];
    case "file-changed":
      return [{ type: "file-changed", path: textAt(line, "path") }];
    case "usage":
      return [{ type: "usage", usage: usageIn(line) }];
    case "refused":
      return [{ type: "refused", tool: textAt(line, "tool"), reason: textAt(line, "reason") }];
    case "notice":
      return [{ type: "notice", text: textAt(line, "text") }];
    case "failure":
      return [failureIn(line)];
    case "turn-ended":
      return [{ type: "turn-ended" }];
  }
  return [];
}

function usageIn(line: unknown): Extract<AgentEvent, { type: "usage" }>["usage"] {
  const cost = at(line, "cost");
  return {
    input: countAt(line, "input"),
    cached: countAt(line, "cached"),
    output: countAt(line, "output"),
    ...(typeof cost === "number" && cost >= 0 ? { cost } : {}),
  };
}

/** What the program says itself comes first; else its status and its words decide. */
function failureIn(line: unknown): AgentEvent {
  const failure = failureOf(textAt(line, "message"), { status: countAt(line, "status") });
  const named = textAt(line, "class");
  return named === "login" || named === "configuration" ? { ...failure, class: named } : failure;
}
