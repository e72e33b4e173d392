/**
 * Harnesses that work without settings, for whoever has the program installed.
 *
 * Each works without anybody to ask and prints as it goes, so that silence means something. None may do more than a worker
 * in its own worktree needs; where a program knows no such middle way, docs/harnesses.md says so.
 */

import type { HarnessFile } from "../../format/config.ts";

const CLAUDE =
  "claude -p --output-format stream-json --verbose --permission-mode acceptEdits --allowedTools Bash,Edit,Write --model {model}";
const CODEX = "codex exec --json --skip-git-repo-check --sandbox workspace-write --model {model}";
const GEMINI = "gemini --output-format stream-json --approval-mode yolo --model {model}";
const OPENCODE = "opencode run --format json --model {model}";

/** In a terminal, where the prompt is an argument: only its file is named, so that no text becomes part of a command line. */
const CLAUDE_THERE =
  "claude --permission-mode acceptEdits --allowedTools Bash,Edit,Write,Read --model {model}";
const CODEX_THERE = "codex --sandbox workspace-write --ask-for-approval never --model {model}";
const GEMINI_THERE = "gemini --approval-mode yolo --model {model}";
const TASK = "Read the file {prompt} and do what it says.";

/** `home` is the state home: a sandbox of the program's own must let `signalbox` write there. */
export function builtInHarnesses(home: string): Readonly<Record<string, HarnessFile>> {
  return {
    claude: {
      command: words(`${CLAUDE} --session-id {session}`),
      again: words(`${CLAUDE} --resume {session}`),
      terminal: [...words(`${CLAUDE_THERE} --session-id {session}`), TASK],
      terminal_again: [...words(`${CLAUDE_THERE} --resume {session}`), TASK],
      env: words(
        "ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CONFIG_DIR",
      ),
      set: { DISABLE_AUTOUPDATER: "1" },
    },
    codex: {
      command: [...words(CODEX), ...addDir(home), "-"],
      terminal: [...words(CODEX_THERE), ...addDir(home), TASK],
      env: words("OPENAI_API_KEY OPENAI_BASE_URL CODEX_API_KEY CODEX_HOME"),
    },
    gemini: {
      command: words(`${GEMINI} --session-id {session}`),
      again: words(`${GEMINI} --resume {session}`),
      terminal: [...words(`${GEMINI_THERE} --session-id {session} --prompt-interactive`), TASK],
      terminal_again: [...words(`${GEMINI_THERE} --resume {session} --prompt-interactive`), TASK],
      env: words(
        "GEMINI_API_KEY GOOGLE_API_KEY GOOGLE_GEMINI_BASE_URL GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_LOCATION",
      ),
      set: { NO_BROWSER: "true", GEMINI_CLI_TRUST_WORKSPACE: "true" },
    },
    opencode: {
      command: words(OPENCODE),
      terminal: [...words("opencode --model {model} --prompt"), TASK],
      env: words("ANTHROPIC_API_KEY OPENAI_API_KEY OPENCODE_CONFIG OPENCODE_CONFIG_CONTENT"),
      set: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
    },
  };
}

function addDir(home: string): string[] {
  return home === "" ? [] : ["--add-dir", home];
}

function words(line: string): string[] {
  return line.split(" ");
}
