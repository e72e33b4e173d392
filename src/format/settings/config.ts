/**
 * Parses `config.yaml` of a person or a repository into settings, or a list of all its problems.
 *
 * Keys that only a person may set for their machine are dropped from a repository's file, with a warning.
 */

import * as z from "zod/mini";
import { closest } from "../../core/text/closest.ts";
import { EFFORTS } from "../../core/model/vocabulary.ts";
import type { SourcePlace } from "../../core/model/workflow.ts";
import { PLACEHOLDERS, placeholdersIn, wordsInBraces } from "./argv.ts";
import { saysNothing } from "../blank.ts";
import { sortProblems, type Problem } from "../problem.ts";
import { findingsOf, IN_OWN_WORDS, isConsequence, problemOf } from "../workflow/schema/issues.ts";
import { Name, Scalar, Text, told } from "../workflow/schema/primitives.ts";
import type { SettingTree } from "./workflow-settings.ts";
import { loadYaml } from "../yaml.ts";
import { isWithheld } from "./withheld.ts";

const MINUTES_MAX = 10_080;

const Variable = z
  .string()
  .check(
    z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable has letters, digits and _"),
    z.regex(/^(?!SIGNALBOX_)/, "variables that begin with SIGNALBOX_ are set by signalbox alone"),
  );
/** Signalbox sets these variables itself: setting them would have no effect, or a wrong one. */
const SetVariable = Variable.check(
  z.regex(/^(?!PATH$)/, "PATH cannot be set: agents get yours, with signalbox first"),
);
const Argument = z.string().check(z.regex(/^[^\0]*$/, "an argument cannot hold a NUL byte"));
const Argv = z.array(Argument).check(z.minLength(1, "must at least name a program"));
const Minutes = z
  .number()
  .check(
    z.gt(0, "must be more than 0"),
    z.lte(MINUTES_MAX, `must be at most ${MINUTES_MAX}, which is a week`),
  );

/** The programs that Signalbox knows. *acp*: any that speaks that protocol. *command*: any other one, with command lines of the person. */
const DriverName = z.enum(["claude", "codex", "gemini", "opencode", "acp", "command"]);
export type DriverName = z.infer<typeof DriverName>;

/** Keys with command lines, which only the driver `command` has. */
export const LINE_KEYS = ["command", "again", "terminal", "terminal_again"] as const;

const Permissions = z.enum(["ask", "allow"]);
export type Permissions = z.infer<typeof Permissions>;

const HarnessFile = z.strictObject({
  driver: z.optional(
    told(
      DriverName,
      "The program, with all that Signalbox knows about it; acp: any that speaks the Agent Client Protocol; command: any other one; default: that of the built-in harness, or command",
    ),
  ),
  program: z.optional(
    told(Argv, "How the driver's program is called, where its name is not enough: a path, or a wrapper"),
  ),
  arguments: z.optional(told(z.array(Argument), "More arguments for the driver's program")),
  model: z.optional(told(Text, "The model of roles that do not ask for another one")),
  effort: z.optional(told(z.enum(EFFORTS), "How hard the model thinks, for roles that do not say it")),
  folders: z.optional(
    told(z.array(Argument), "More folders that the tools of the driver's program may read and write"),
  ),
  mcp: z.optional(
    told(
      z.boolean(),
      "Whether the driver's program starts `signalbox mcp`, the tools of agents; default: false",
    ),
  ),
  permissions: z.optional(
    told(
      Permissions,
      "For the driver acp: whether a person is asked where the program asks for permission, or all of it is allowed; default: ask",
    ),
  ),
  stays: z.optional(
    told(
      z.boolean(),
      "Whether the driver's program has a terminal for all turns of a persistent role; default: false",
    ),
  ),
  command: z.optional(told(Argv, "For the driver command: the program and its arguments, with placeholders")),
  again: z.optional(told(Argv, "The same for the second and later turns of one attempt; default: command")),
  terminal: z.optional(told(Argv, "The command for a program with a terminal that stays until its run ends")),
  terminal_again: z.optional(
    told(Argv, "The same for an agent that continues after it was stopped; default: terminal"),
  ),
  stdin: z.optional(
    told(z.boolean(), "For the driver command: whether the prompt comes on standard input; default: true"),
  ),
  env: z.optional(
    told(
      z.array(Variable),
      "Variables that are passed on, besides those that every agent and its driver get",
    ),
  ),
  set: z.optional(told(z.record(SetVariable, Argument), "Variables with a fixed value")),
  minutes: z.optional(told(Minutes, "A turn is ended after this time")),
  stall_minutes: z.optional(told(Minutes, "A turn is ended after this time without output")),
});

const WorkspaceFile = z.strictObject({
  author: z.optional(
    told(
      z.string().check(z.regex(/^[^<>\n]+ <[^<>\s]+>$/)),
      "The author of the engine's commits, as NAME <EMAIL>; default: your git identity",
    ),
  ),
  message: z.optional(
    told(
      Text,
      "The message of the engine's commits: {goal}, {run}, {workflow} and {state} are replaced; default: {goal} ({state})",
    ),
  ),
  setup: z.optional(
    told(
      z.union([Text, Argv]),
      "Run in every new workspace before the first agent, and in every checkout of a judge: a command line, or a program and its arguments",
    ),
  ),
  fetch: z.optional(
    told(
      z.boolean(),
      "Whether the default branch of a project with a remote is fetched before work begins; default: true",
    ),
  ),
  max: z.optional(
    told(z.int().check(z.minimum(1)), "The maximum number of workspaces of the repository; default: 100"),
  ),
  min_free_mb: z.optional(
    told(
      z.int().check(z.minimum(0)),
      "No workspace is created while the disk of the state home has fewer free megabytes; default: 1024",
    ),
  ),
});

const Folder = z.string().check(z.regex(/^(?:\/|~\/)[^\0]*$/, "must be a path that begins with / or ~/"));

const ReachFile = z.strictObject({
  read: z.optional(told(z.array(Folder), "Files and folders that are shown read-only")),
  write: z.optional(told(z.array(Folder), "Files, folders and sockets that are shown as they are")),
  devices: z.optional(told(z.array(Folder), "Devices, such as /dev/kvm")),
});

/** The workflow decides whether its keys exist and its values fit: src/format/settings/workflow-settings.ts. */
const Settings: z.ZodMiniType<SettingTree> = z.lazy(() =>
  z.record(z.string(), z.union([Scalar, z.array(Scalar), Settings])),
);

const Dollars = z.number().check(z.gte(0, "must not be less than 0"));
const PriceFile = z.strictObject({
  input: told(Dollars, "Tokens that the model reads"),
  cached: z.optional(told(Dollars, "Those of them that come from a cache; default: as all others")),
  output: told(Dollars, "Tokens that the model writes"),
});

export const ConfigFile = z.strictObject({
  harness: z.optional(told(Name, "The harness of roles that do not name one")),
  harnesses: z.optional(told(z.record(Name, HarnessFile), "How agents are called, by name")),
  checks: z.optional(told(z.record(Name, Text), "Command lines of checks, by name")),
  env: z.optional(told(z.array(Variable), "Variables that are passed on to every agent and check")),
  minutes: z.optional(told(Minutes, "The time limit if neither role nor harness has one")),
  stall_minutes: z.optional(told(Minutes, "The limit for silence if neither role nor harness has one")),
  terminal: z.optional(
    told(z.enum(["auto", "none"]), "auto: agents have terminals if tmux is installed; none: they never do"),
  ),
  pin: z.optional(
    told(
      z.enum(["note", "strict"]),
      "Whether an agent program that was updated since the run began is noted in the history, or stops the run; default: note",
    ),
  ),
  sandbox: z.optional(
    told(
      z.enum(["off", "auto", "required"]),
      "auto: agents and checks run in a sandbox where one works; required: or not at all; off: never. A repository can only make it stricter",
    ),
  ),
  reach: z.optional(
    told(
      z.record(z.string(), ReachFile),
      'Only in a person\'s own file: what the sandbox shows besides the workspace, by the path of the project, or "*" for all',
    ),
  ),
  workspace: z.optional(told(WorkspaceFile, "What workspaces need besides the files in git")),
  workflows: z.optional(
    told(
      z.record(Name, Settings),
      "Parameters of workflows, by the name of the workflow: a tree of keys, as the workflow names them",
    ),
  ),
  workflow: z.optional(told(Name, "The workflow that `signalbox create` begins a run of")),
  prices: z.optional(
    told(
      z.record(Text, PriceFile),
      "Only in a person's own file: dollars for a million tokens, by the model's name, for programs that say nothing of money",
    ),
  ),
  notify: z.optional(
    told(Argv, "Only in a person's own file: the program that is run when a person is asked"),
  ),
});

export type ConfigFile = z.infer<typeof ConfigFile>;
export type HarnessFile = z.infer<typeof HarnessFile>;

export type ConfigScope = "user" | "repository";

/** Keys that run commands outside of any run, widen the sandbox or say what a person pays: a repository cannot set them, trusted or not. */
const USER_ONLY = ["notify", "reach", "prices"] as const;

export type ParsedConfig = {
  readonly config: ConfigFile;
  /** The file cannot be used if this list is not empty. */
  readonly problems: readonly Problem[];
  /** Dropped keys, with the reason. */
  readonly warnings: readonly Problem[];
  /** The position of a key, for problems that are found later. */
  placeOf(path: readonly string[]): SourcePlace;
  /** The position of its value. */
  valuePlaceOf(path: readonly string[]): SourcePlace;
};

/** The JSON Schema that editors use. */
export function configSchema(): unknown {
  return z.toJSONSchema(ConfigFile, { target: "draft-2020-12" });
}

export function parseConfig(source: { file: string; bytes: Uint8Array; scope: ConfigScope }): ParsedConfig {
  const { file, bytes, scope } = source;
  const placeOf = () => ({ file, line: 1, col: 1 });
  const nothing = { config: {}, problems: [], warnings: [], placeOf, valuePlaceOf: placeOf };
  if (saysNothing(bytes)) return nothing;
  const loaded = loadYaml(file, bytes);
  if (!loaded.ok) return { ...nothing, problems: loaded.problems };
  const parsed = ConfigFile.safeParse(loaded.data, IN_OWN_WORDS);
  if (!parsed.success) {
    const findings = findingsOf(ConfigFile, parsed.error.issues);
    const causes = findings.filter((finding) => !isConsequence(finding, findings));
    return { ...nothing, problems: sortProblems(causes.map((finding) => problemOf(finding, loaded))) };
  }
  const config = { ...parsed.data };
  const warnings: Problem[] = [];
  for (const key of USER_ONLY) {
    if (scope === "user" || config[key] === undefined) continue;
    delete config[key];
    const message = `"${key}" is ignored in a repository: only your own config.yaml may set it`;
    warnings.push({ ...loaded.keyPlaceOf([key]), code: "user-only", message });
  }
  if (scope === "repository" && config.sandbox === "off") {
    delete config.sandbox;
    const message = `"sandbox: off" is ignored in a repository: only your own config.yaml may set it`;
    warnings.push({ ...loaded.keyPlaceOf(["sandbox"]), code: "user-only", message });
  }
  const problems = argvsOf(config).flatMap(({ argv, path }) =>
    argv.flatMap((argument, index) =>
      argumentRefused(argument, index).map((problem) => ({
        ...loaded.placeOf([...path, index]),
        ...problem,
      })),
    ),
  );
  const withheld = Object.entries(config.harnesses ?? {}).flatMap(([name, { set = {} }]) =>
    Object.keys(set)
      .filter(isWithheld)
      .map((variable) => ({
        ...loaded.keyPlaceOf(["harnesses", name, "set", variable]),
        code: "bad-value" as const,
        message: `${variable} cannot be set: it would make programs outside of the sandbox load other code, too`,
      })),
  );
  return {
    config,
    problems: sortProblems([...problems, ...withheld]),
    warnings,
    placeOf: (path) => loaded.keyPlaceOf(path),
    valuePlaceOf: (path) => loaded.placeOf(path),
  };
}

type CommandLine = { readonly argv: readonly string[]; readonly path: readonly string[] };

function argvsOf({ harnesses = {}, notify = [] }: ConfigFile): CommandLine[] {
  const ofHarnesses = Object.entries(harnesses).flatMap(([name, harness]) =>
    [...LINE_KEYS, "program" as const].map((key) => ({
      argv: harness[key] ?? [],
      path: ["harnesses", name, key],
    })),
  );
  return [...ofHarnesses, { argv: notify, path: ["notify"] }];
}

function argumentRefused(
  argument: string,
  index: number,
): Pick<Problem, "code" | "message" | "suggestion">[] {
  if (index === 0 && (argument === "" || placeholdersIn(argument).length > 0)) {
    return [{ code: "bad-value", message: "the program must be named, without placeholders" }];
  }
  // Other words in braces belong to the program, such as awk scripts; a word close to a placeholder is probably a typing error.
  return wordsInBraces(argument).flatMap((word) => {
    const near = PLACEHOLDERS.some((known) => known === word) ? undefined : closest(word, PLACEHOLDERS);
    if (near === undefined) return [];
    return [
      { code: "unknown-placeholder", message: `unknown placeholder {${word}}`, suggestion: `{${near}}` },
    ];
  });
}
