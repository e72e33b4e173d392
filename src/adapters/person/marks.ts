/**
 * What agents leave in the environment of everything they start.
 *
 * Only variables that a program sets by itself are here. What people put into their profiles (CODEX_HOME, AIDER_MODEL,
 * GEMINI_API_KEY, SIGNALBOX_RUN) says nothing about who types, nor do variables of editors whose terminal a person uses.
 */

import type { Env } from "../home/paths.ts";

type Mark = { readonly name: string; readonly of: string; readonly values?: readonly string[] };

const MARKS: readonly Mark[] = [
  // Every process that we start for a run, agent or check, carries these.
  { name: "SIGNALBOX_JOB", of: "a process that Signalbox started" },
  { name: "SIGNALBOX_TOKEN", of: "an agent that Signalbox started" },
  { name: "SIGNALBOX_PROMPT", of: "an agent that Signalbox started" },
  // So do the server of their terminals, which opens windows for whoever asks it to, and what shows them to a person.
  { name: "SIGNALBOX_TERMINALS", of: "the terminals of agents" },
  // Claude Code sets both in every shell it opens; the second also says which of its forms it is.
  { name: "CLAUDECODE", of: "Claude Code" },
  { name: "CLAUDE_CODE_ENTRYPOINT", of: "Claude Code" },
  // Codex names its sandbox, that it has no network, and the conversation.
  { name: "CODEX_SANDBOX", of: "Codex" },
  { name: "CODEX_SANDBOX_NETWORK_DISABLED", of: "Codex" },
  { name: "CODEX_THREAD_ID", of: "Codex" },
  // Set to 1 by the shell tool of each.
  { name: "GEMINI_CLI", of: "Gemini CLI" },
  { name: "QWEN_CODE", of: "Qwen Code" },
  { name: "OPENCODE", of: "OpenCode" },
  { name: "CRUSH", of: "Crush" },
  { name: "PI_CODING_AGENT", of: "pi" },
  { name: "COPILOT_CLI", of: "Copilot CLI" },
  { name: "AUGMENT_AGENT", of: "Auggie" },
  { name: "CLINE_ACTIVE", of: "Cline" },
  { name: "GOOSE_TERMINAL", of: "Goose" },
  // Set in the agent's terminal only; the terminal that a person opens in the editor has other variables.
  { name: "CURSOR_AGENT", of: "Cursor" },
  { name: "ANTIGRAVITY_AGENT", of: "Antigravity" },
  // A name that several agents have agreed on.
  { name: "AI_AGENT", of: "a coding agent" },
  // Too common a word to mean anything by itself; these values are agents.
  { name: "AGENT", of: "a coding agent", values: ["amp", "goose", "crush", "opencode"] },
];

/** In words, who left a mark; undefined where nobody did. */
export function markIn(env: Env): string | undefined {
  for (const { name, of, values } of MARKS) {
    const value = env[name] ?? "";
    if (value !== "" && (values === undefined || values.includes(value))) return `${name} of ${of}`;
  }
  return undefined;
}

/** The environment of another process, as the kernel shows it. */
export function envOfBlock(block: string): Env {
  const env: Record<string, string> = {};
  for (const line of block.split("\0")) {
    const at = line.indexOf("=");
    // The first of two counts, as in libc.
    if (at > 0) env[line.slice(0, at)] ??= line.slice(at + 1);
  }
  return env;
}
