/**
 * Harnesses that work without settings for a person who has the program installed.
 *
 * Each is one process for each turn: a program that ends is noticed at once, whereas one that waits at a dialog in a terminal
 * looks like one that works. None asks anything, and each prints as it works, so that silence means something. None may do more
 * than a worker in its own workspace needs; docs/harnesses.md says where a program offers no such middle way.
 */

import type { HarnessFile } from "../../format/settings/config.ts";

const CLAUDE =
  "claude -p --output-format stream-json --verbose --permission-mode acceptEdits --allowedTools Bash,Edit,Write --model {model}";
// A login shell reads /etc/profile, which on Debian replaces the PATH, and `signalbox` would not be found.
const CODEX =
  "codex exec --json --skip-git-repo-check -c allow_login_shell=false --sandbox workspace-write --model {model}";
const GEMINI = "gemini --output-format stream-json --approval-mode yolo --model {model}";
// Without --auto a request for permission is refused, and the refusal ends the turn.
const OPENCODE = "opencode run --format json --auto --model {model}";

/** `home` is the state home: a sandbox of the program's own must let `signalbox` write there. */
export function builtInHarnesses(home: string): Readonly<Record<string, HarnessFile>> {
  return {
    claude: {
      driver: "claude",
      command: words(`${CLAUDE} --session-id {session}`),
      again: words(`${CLAUDE} --resume {session}`),
      env: words(
        "ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CONFIG_DIR",
      ),
      set: { DISABLE_AUTOUPDATER: "1" },
    },
    codex: {
      driver: "codex",
      command: [...words(CODEX), ...writable(home), "-"],
      again: [...words(CODEX), ...writable(home), ...words("resume {conversation} -")],
      env: words("OPENAI_API_KEY OPENAI_BASE_URL CODEX_API_KEY CODEX_HOME"),
    },
    gemini: {
      driver: "gemini",
      command: words(`${GEMINI} --session-id {session}`),
      again: words(`${GEMINI} --resume {session}`),
      env: words(
        "GEMINI_API_KEY GOOGLE_API_KEY GOOGLE_GEMINI_BASE_URL GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_LOCATION",
      ),
      set: { NO_BROWSER: "true", GEMINI_CLI_TRUST_WORKSPACE: "true" },
    },
    opencode: {
      driver: "opencode",
      command: words(OPENCODE),
      again: words(`${OPENCODE} --session {conversation}`),
      env: words("ANTHROPIC_API_KEY OPENAI_API_KEY OPENCODE_CONFIG OPENCODE_CONFIG_CONTENT"),
      set: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
    },
  };
}

/** What codex keeps read-only unless it is named: the state home, `.agents`, where workflows keep artifacts, and `.git`. */
function writable(home: string): string[] {
  const folders = [...(home === "" ? [] : [home]), "{workspace}/.agents", "{git}"];
  return folders.flatMap((folder) => ["--add-dir", folder]);
}

function words(line: string): string[] {
  return line.split(" ");
}
