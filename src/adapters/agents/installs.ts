/** Files outside of Signalbox that `signalbox setup` adds something to: the shell, the skill of Claude Code, AGENTS.md. */

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { unless, unreadable } from "../files/errno.ts";
import type { Env } from "../home/paths.ts";
import { packageRoot } from "../library/package.ts";
import { UserError } from "../user-error.ts";

type InstallName = "completion" | "skill" | "mcp" | "agents-md";

export type FileChange = {
  readonly what: "settings" | InstallName;
  readonly path: string;
  /** Undefined where there is no file yet. */
  readonly before: string | undefined;
  readonly after: string;
};

export function textOf(path: string): string | undefined {
  try {
    return unless(["ENOENT", "ENOTDIR"], () => readFileSync(path, "utf8"));
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The line that loads completion, at the end of the file that the user's shell reads. */
export function completionChange(env: Env): FileChange {
  const home = env["HOME"] ?? "";
  const shell = basename(env["SHELL"] ?? "");
  if (shell === "fish") {
    const config = env["XDG_CONFIG_HOME"] ?? join(home, ".config");
    const path = join(config, "fish/completions/signalbox.fish");
    return { what: "completion", path, before: textOf(path), after: "signalbox completion fish | source\n" };
  }
  if (shell !== "bash" && shell !== "zsh")
    throw new UserError(
      "unknown-shell",
      `there is no completion for ${shell === "" ? "a shell that SHELL does not name" : shell}`,
      "signalbox completion --help",
    );
  const path = shell === "bash" ? join(home, ".bashrc") : join(env["ZDOTDIR"] ?? home, ".zshrc");
  const line = `eval "$(signalbox completion ${shell})"`;
  const before = textOf(path);
  return {
    what: "completion",
    path,
    before,
    after: withLine(before ?? "", line, `signalbox completion ${shell}`),
  };
}

function withLine(text: string, line: string, sign: string): string {
  if (text.includes(sign)) return text;
  const above = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `${above}# Completion of signalbox\n${line}\n`;
}

/** As this version of Signalbox has it: an older one is replaced. */
export function skillChange(env: Env): FileChange {
  const root = env["CLAUDE_CONFIG_DIR"] ?? join(env["HOME"] ?? "", ".claude");
  const path = join(root, "skills/signalbox/SKILL.md");
  const after = readFileSync(join(packageRoot(), "skills/signalbox/SKILL.md"), "utf8");
  return { what: "skill", path, before: textOf(path), after };
}

const BEGIN = "<!-- signalbox: begin -->";
const END = "<!-- signalbox: end -->";
const SECTION = `${BEGIN}
## Signalbox

Work for several agents, or for the background, goes to Signalbox: \`signalbox create "what to do"\` queues a task, which an agent plans and
implements in a clone of its own, another one reviews, and a person accepts. \`signalbox list\` and \`signalbox show RUN\` say how it stands.
If \`SIGNALBOX_RUN\` is set, you are the agent of a run: \`signalbox next\` says what you can submit.
${END}`;

/** Between two marks, so that the rest of the file stays as it is. */
export function agentsMdChange(repo: string): FileChange {
  const path = join(repo, "AGENTS.md");
  const before = textOf(path);
  const text = before ?? "";
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  const above = text === "" ? "" : `${text.trimEnd()}\n\n`;
  const after =
    from >= 0 && to > from
      ? `${text.slice(0, from)}${SECTION}${text.slice(to + END.length)}`
      : `${above}${SECTION}\n`;
  return { what: "agents-md", path, before, after };
}
