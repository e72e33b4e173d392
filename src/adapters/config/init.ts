/** Writes the files of a new `.signalbox`. What is there is never touched; each file appears whole or not at all. */

import { linkSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { whyNotWritten } from "../home/reasons.ts";
import { codeOf } from "../files/errno.ts";
import { UserError } from "../user-error.ts";

/**
 * What `init` writes: every key of config.yaml with an example, all of it commented out, so that it changes nothing and
 * nothing has to be trusted. A test takes the comments away and reads it.
 */
export const CONFIG_TEMPLATE = `# Signalbox: settings of this repository. Everything here is optional and commented out.
# Your own settings, for all repositories, are in ~/.config/signalbox/config.yaml; what stands here comes before them.
# Nothing in .signalbox is used before somebody has looked at it with: signalbox trust
# More words about every key: docs/configuration.md and docs/harnesses.md of Signalbox.

# The harness of roles that do not name one. Built in: claude, codex, gemini, opencode.
#harness: codex

# How agents are called: a driver knows its program, and what stands here are its options. Each is changed alone.
#harnesses:
#  claude:
#    # Of roles that do not ask for another one. The effort is low, medium, high or max.
#    model: opus
#    effort: high
#    # Arguments that come after those of Signalbox.
#    arguments: [--setting-sources, user]
#    # Variables of yours that it is given, beyond PATH, HOME, its own keys and the like.
#    env: [AWS_PROFILE]
#    set: { BASH_DEFAULT_TIMEOUT_MS: "600000" }
#    # Its tools come from \`signalbox mcp\`, which it starts: the same as the commands. For claude and codex.
#    mcp: true
#    # In a terminal, where it stays until its run is over, and what it is told is typed: needs tmux. Not for codex and opencode.
#    stays: true
#    # A turn is ended after this time, or after this time without output.
#    minutes: 60
#    stall_minutes: 15
#  codex:
#    # How the program is called: a path, or a wrapper that gets its arguments.
#    program: [/opt/codex/bin/codex]
#    # More folders that it may write, below this one. Others are named in your own config.yaml.
#    folders: [build/cache]
#  # The same program a second time, with other options.
#  quick:
#    driver: claude
#    model: haiku
#  # Any program will do: then the command lines are yours. A path is taken from the root of the repository. The prompt comes on
#  # standard input, and as a file. Filled in: {prompt} {workspace} {run} {role} {access} {model} {effort} {session}; an option without
#  # a value is left out.
#  script:
#    driver: command
#    command: [.signalbox/agents/script.sh, "{role}", "{prompt}"]
#    # For the second and later turns of one attempt.
#    again: [.signalbox/agents/script.sh, --continue, "{session}", "{prompt}"]
#    # In a terminal, where it stays until its run is over.
#    terminal: [.signalbox/agents/script.sh, --stay, "{prompt}"]
#    # For an agent that was stopped and goes on.
#    terminal_again: [.signalbox/agents/script.sh, --stay, --continue, "{session}", "{prompt}"]
#    # Whether the prompt comes on standard input.
#    stdin: false

# Command lines of checks, by the name that a workflow uses for them.
#checks:
#  test: npm test
#  lint: npm run lint

# What runs of a workflow begin with, by its name. \`signalbox config WORKFLOW\` names the keys there are, and what each takes.
#workflows:
#  task:
#    harness: claude
#    review_harness: codex

# The workflow that \`signalbox create\` begins a run of.
#workflow: task

# Variables of yours that every agent and check is given.
#env: [AWS_PROFILE, DOCKER_HOST]

# auto: agents have terminals where tmux is installed. none: they never do.
#terminal: auto

# note: the history says when an agent program was updated while a run was under way. strict: that run stops until: signalbox trust
#pin: note

# auto: agents, checks and set-up commands run in a sandbox where one works. required: or not at all. off is for your own config.yaml alone.
#sandbox: auto

# What workspaces need besides the files in git: a command that runs in each before the first agent, and in the checkout of each judge,
# with a folder that all of them share; whether the default branch is fetched first where the project has a remote; and how many workspaces there
# may be, and how many megabytes must be free on the disk, for another one to be made.
# The commits that the engine makes of the work have your git identity and this message unless you say otherwise.
#workspace:
#  author: Release Bot <bot@example.org>
#  message: "{goal} ({state})"
#  setup: npm ci --cache "$SIGNALBOX_CACHE/npm"
#  fetch: true
#  max: 100
#  min_free_mb: 1024

# Limits where neither a role nor its harness has one.
#minutes: 120
#stall_minutes: 30
`;

const WORKFLOWS_README = `# Workflows of this repository

Each folder here is a workflow: \`NAME/workflow.yaml\` with \`NAME/prompts/*.md\`. It comes before a built-in one of the same name.

    signalbox workflows         # the available ones
    signalbox eject task        # copy a built-in one to here, to change it
    signalbox check NAME        # show that it can end, or what is wrong
    signalbox trust             # allow what it runs
`;

export type Initialised = {
  /** Relative to the repository. *kept*: as we would write it. *changed*: somebody's own, which stays as it is. */
  readonly files: readonly { readonly path: string; readonly status: "written" | "kept" | "changed" }[];
};

const FILES: Readonly<Record<string, string>> = {
  ".signalbox/config.yaml": CONFIG_TEMPLATE,
  ".signalbox/workflows/README.md": WORKFLOWS_README,
};

export function initialise(tree: string): Initialised {
  const folders = [".signalbox", ".signalbox/workflows"].map((folder) => join(tree, folder));
  for (const folder of folders) requireFolder(folder);
  try {
    for (const folder of folders) makeFolder(folder);
    const files = Object.entries(FILES).map(([path, text]) => ({
      path,
      status: put(join(tree, path), text),
    }));
    return { files };
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const reason = whyNotWritten(code);
    throw new UserError("not-written", `${tree}/.signalbox cannot be written: ${reason}`, `ls -ld ${tree}`);
  }
}

function put(file: string, text: string): "written" | "kept" | "changed" {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats !== undefined) return stats.isFile() && readFileSync(file, "utf8") === text ? "kept" : "changed";
  const draft = `${file}.${process.pid}.draft`;
  failpoint("init.before-write");
  try {
    writeFileSync(draft, text, { flag: "wx" });
    publish(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  failpoint("init.after-write");
  return "written";
}

/** One by one: Node gives another reason than the true one where it makes several. */
function makeFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) mkdirSync(path);
}

/** A link fails where somebody else was faster; a rename would replace their file. */
function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return;
    // Some file systems have no links.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP") throw error;
    renameSync(draft, file);
  }
}

/** Nothing is written through a link, and what lies behind one could not be trusted anyway. */
function requireFolder(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return;
  const what = stats.isSymbolicLink() ? "a link" : "no folder";
  throw new UserError("no-folder", `${path} is ${what}; nothing was written`, `mv ${path} ${path}~`);
}
