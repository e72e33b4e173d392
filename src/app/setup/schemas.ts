/** What use cases about the machine, settings, projects, workspaces and what runs left take and give. */

import * as z from "zod/mini";
import { told } from "../../format/workflow/schema/primitives.ts";
import { At, Count, Flag, MaybeFlag, MaybeText, Text, Texts } from "../shapes.ts";

const Nothing = z.strictObject({});

const Examined = z.strictObject({
  findings: z.array(
    z.strictObject({
      status: z.enum(["ok", "note", "missing", "problem", "damaged"]),
      name: Text,
      text: Text,
      next: Text,
    }),
  ),
  did: Texts,
  lost: Texts,
});

const HumanKey = z.strictObject({
  exists: Flag,
  path: Text,
  fingerprint: Text,
  tier: z.enum(["", "detected", "prevented"]),
  madeAt: Text,
  /** When a key of yours was replaced without its own word; empty where each named the next. */
  lostAt: Text,
  former: z.array(z.strictObject({ fingerprint: Text, until: Text })),
  /** Where a key that could not be used was put; empty unless a lost one was replaced. */
  aside: Text,
});

const Source = {
  from: z.enum(["built-in", "user", "repository"]),
  at: z.nullable(At),
};
const Literal = z.union([Text, z.number(), Flag]);

const MaybeTexts = z.optional(Texts);
const Plan = z.strictObject({
  harness: Text,
  harnesses: z.record(
    Text,
    z.strictObject({
      driver: MaybeText,
      command: MaybeTexts,
      again: MaybeTexts,
      terminal: MaybeTexts,
      terminal_again: MaybeTexts,
      program: MaybeTexts,
      arguments: MaybeTexts,
      folders: MaybeTexts,
      model: z.optional(z.string()),
      effort: z.optional(z.string()),
      mcp: z.optional(z.boolean()),
      stays: z.optional(z.boolean()),
      env: MaybeTexts,
      set: z.optional(z.record(Text, Text)),
      stdin: MaybeFlag,
      minutes: z.optional(z.number()),
      stall_minutes: z.optional(z.number()),
    }),
  ),
  checks: z.record(Text, Text),
  params: z.record(Text, z.record(Text, z.unknown())),
  env: Texts,
  terminal: z.enum(["", "auto", "none"]),
  workflows: z.array(
    z.strictObject({
      name: Text,
      title: Text,
      checks: z.array(z.strictObject({ artifact: Text, command: Text })),
      roles: z.array(z.strictObject({ role: Text, harness: Text })),
      prompts: Texts,
      commands: Texts,
      problems: Texts,
    }),
  ),
  others: z.array(
    z.strictObject({ path: Text, size: Count, text: told(Text, "Empty where it is no text, or long") }),
  ),
  problems: Texts,
  warnings: Texts,
});

/** `changed`: whether this call changed what is trusted. */
const Trust = z.strictObject({
  repo: Text,
  digest: Text,
  trusted: Flag,
  changed: Flag,
  runs: Plan,
  changes: z.array(
    z.strictObject({
      file: Text,
      key: told(Text, "Empty where the file is no settings file"),
      before: z.nullable(Text),
      after: z.nullable(Text),
      runs: told(Texts, "Runs that began with `before`, and start no process until a person trusts `after`"),
    }),
  ),
  shown: told(Text, "What `trust` takes as `shown`"),
});

const Project = z.strictObject({
  repo: Text,
  name: Text,
  defaultBranch: Text,
  agents: Count,
  remote: Text,
  /** Agents that work now. */
  atWork: Count,
  workspaces: Count,
  /** Tasks that have not begun. */
  queued: Count,
});

/** What a person may set of a project; `none` is a remote, too. */
const WISHES = {
  name: MaybeText,
  agents: z.optional(Count),
  defaultBranch: MaybeText,
  remote: MaybeText,
};

/** Whose: of all repositories, of a project by its name, or of the repository that the caller is in, which must be one with `here`. */
const SCOPE = { all: MaybeFlag, project: MaybeText, here: MaybeFlag };

const Size = z.strictObject({
  files: Count,
  bytes: Count,
  /** There is more than was counted. */
  more: Flag,
});
const OF_RUN = {
  run: Text,
  at: Text,
  workflow: Text,
  goal: Text,
  status: Text,
  repo: Text,
  branch: Text,
  /** The commit of work that no handover has; empty where there is none. */
  left: Text,
};

const SalvageRow = z.strictObject({
  ...OF_RUN,
  /** How many files are different in it. */
  files: Count,
  /** Handovers that are on no branch of the repository, where the newest is not. */
  commits: Count,
  /** Folders of files that git does not hold. */
  kept: Texts,
  /** Without the `.git` of the workspace. */
  keptSize: Size,
  /** The `.git` of the workspace was kept: it holds something that the mirror does not. */
  git: Flag,
});

const SalvageView = z.strictObject({
  ...OF_RUN,
  mirror: Text,
  /** Where the run began. */
  base: Text,
  /** Its latest handover. */
  head: Text,
  changed: z.array(z.strictObject({ status: Text, name: Text })),
  /** Handovers, and agents' commits under them, that are on no branch of the repository. */
  commits: z.array(z.strictObject({ oid: Text, at: Text, subject: Text })),
  /** At the top of the folders of files that git does not hold. */
  kept: Texts,
  keptSize: Size,
  /** The `.git` of the workspace, where it holds something that the mirror does not. */
  git: Texts,
  /** The git operation that was interrupted in the workspace; empty where there is none. */
  operation: Text,
  /** A command that makes a branch of the commits; empty where there are none. */
  fetch: Text,
  restore: Text,
});

const Known = z.nullable(Count);

const AGENT = {
  name: Text,
  driver: Text,
  program: Text,
  place: told(Text, "Empty where the program is not installed"),
  version: told(Text, "Empty where the program does not say"),
  login: z.enum(["yes", "no", "unknown"]),
};

const INSTALL = z.enum(["completion", "skill", "mcp", "agents-md"]);

const WISH = {
  agent: told(MaybeText, "the agent that every workflow uses; without it, the present one, or the only one"),
  reviewer: told(MaybeText, "the agent of roles that write a verdict; without it, the same"),
  install: told(z.array(INSTALL), "what else is set up"),
};

const SetupPlan = z.strictObject({
  agent: Text,
  reviewer: Text,
  files: z.array(
    z.strictObject({
      what: z.enum(["settings", "completion", "skill", "mcp", "agents-md"]),
      path: Text,
      isNew: Flag,
      diff: Text,
    }),
  ),
  kept: told(Texts, "What you have set yourself, and stays"),
  shown: told(Text, "What `setup` takes as `shown`"),
});

export const SETUP = {
  agents: {
    about: "List the agents of this machine, their version and login, and the roles that use them",
    input: Nothing,
    output: z.strictObject({
      agents: z.array(
        z.strictObject({
          ...AGENT,
          usual: told(Flag, "Roles that name no harness have it"),
          roles: told(Texts, "WORKFLOW: ROLE, for runs that begin now"),
          trouble: told(
            z.nullable(z.strictObject({ class: Text, message: Text, until: z.number() })),
            "Why its turns are held up now",
          ),
        }),
      ),
    }),
  },
  "try-agents": {
    about: "Have agents answer one short prompt, as a turn of a run would be started",
    input: z.strictObject({
      agents: told(z.optional(Texts), "without it, every installed one that has a driver"),
      seconds: z.optional(z.number().check(z.gt(0), z.lte(3600))),
    }),
    output: z.strictObject({
      trials: z.array(
        z.strictObject({
          agent: Text,
          result: z.enum([
            "works",
            "not-installed",
            "login",
            "trust",
            "quota",
            "configuration",
            "provider",
            "no-answer",
            "other",
            "interrupted",
          ]),
          message: told(
            Text,
            "Its answer, or why there was none, in the words of the program or its provider",
          ),
          ms: Count,
          next: Text,
        }),
      ),
    }),
  },
  "setup-plan": {
    about: "Show which files the setup of this machine would change, and how",
    input: z.strictObject(WISH),
    output: SetupPlan,
  },
  setup: {
    about: "Make agents the ones that every workflow uses, and install what was asked for",
    input: z.strictObject({
      ...WISH,
      shown: told(MaybeText, "what the person has seen, as `setup-plan` says it: anything else is refused"),
    }),
    output: SetupPlan,
  },
  init: {
    about: "Write a `.signalbox` folder to begin with",
    input: Nothing,
    output: z.strictObject({
      folder: Text,
      files: z.array(z.strictObject({ path: Text, status: z.enum(["written", "kept", "changed"]) })),
    }),
  },
  settings: {
    about: "The effective settings, and where each comes from",
    input: z.strictObject({ workflow: MaybeText }),
    output: z.strictObject({
      /** Empty where none was named. */
      workflow: Text,
      /** Without a workflow. */
      settings: z.array(z.strictObject({ key: Text, value: z.union([Literal, Texts]), ...Source })),
      /** Of the workflow that was named. */
      params: z.array(
        z.strictObject({ param: Text, key: Text, takes: Text, default: Literal, value: Literal, ...Source }),
      ),
      files: Texts,
      /** Where it is not, nothing of the repository's file counts. */
      trusted: Flag,
      problems: Texts,
    }),
  },
  "trust-plan": {
    about: "What the repository would run, and whether a person trusts it",
    input: Nothing,
    output: Trust,
  },
  trust: {
    about: "Trust exactly what the repository would run now, or trust nothing of it",
    input: z.strictObject({
      revoke: Flag,
      shown: told(MaybeText, "what the person has seen, as `trust-plan` says it: anything else is refused"),
    }),
    output: Trust,
  },
  key: { about: "The key that people sign with", input: Nothing, output: HumanKey },
  "change-key": {
    about: "Set or remove the passphrase of the key, or replace the key",
    input: z.strictObject({
      how: z.enum(["passphrase", "no-passphrase", "new", "new-lost", "lost"]),
    }),
    output: HumanKey,
  },
  doctor: {
    about: "Examine the machine, the state home, every run, settings and agents",
    input: Nothing,
    output: Examined,
  },
  repair: {
    about: "Restore what the history allows, then examine everything",
    input: Nothing,
    output: Examined,
  },
  projects: {
    about: "List the projects of this machine",
    input: Nothing,
    output: z.strictObject({ projects: z.array(Project) }),
  },
  "add-project": {
    about: "Make a repository a project",
    input: z.strictObject({ folder: MaybeText, ...WISHES }),
    output: z.strictObject({ project: Project }),
  },
  "update-project": {
    about: "Change name, number of agents, branch or remote of a project",
    input: z.strictObject({ project: MaybeText, ...WISHES }),
    output: z.strictObject({ project: Project }),
  },
  "remove-project": {
    about: "Forget a project; the repository stays as it is",
    input: z.strictObject({ project: MaybeText }),
    output: z.strictObject({ project: Project }),
  },
  workspaces: {
    about: "List workspaces, the run of each, and what is odd about it",
    input: z.strictObject(SCOPE),
    output: z.strictObject({
      workspaces: z.array(
        z.strictObject({
          project: Text,
          repo: Text,
          path: Text,
          run: Text,
          state: Text,
          status: Text,
          branch: Text,
          ahead: Known,
          added: Known,
          removed: Known,
          odd: Texts,
        }),
      ),
      strange: Texts,
    }),
  },
  "release-workspaces": {
    about: "Release the workspaces of runs that are over or unknown",
    input: z.strictObject(SCOPE),
    output: z.strictObject({
      done: z.array(z.strictObject({ path: Text, run: Text, did: Text, salvage: Text, kept: Text })),
      left: Texts,
    }),
  },
  salvages: {
    about: "List what runs left when their workspaces were released",
    input: z.strictObject({ ...SCOPE, limit: Count }),
    output: z.strictObject({
      salvages: z.array(SalvageRow),
      quarantine: z.array(z.strictObject({ path: Text, reason: Text, at: Text })),
      more: Count,
    }),
  },
  salvage: {
    about: "Show what one run left",
    input: z.strictObject({ run: Text, diff: Flag }),
    output: z.strictObject({ salvage: SalvageView, diff: MaybeText }),
  },
  "restore-salvage": {
    about: "Restore all that a run left, in a new folder",
    input: z.strictObject({ run: Text, folder: MaybeText }),
    output: z.strictObject({
      restored: z.strictObject({ run: Text, folder: Text, files: Count, left: Texts }),
    }),
  },
} as const;
