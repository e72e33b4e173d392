/** What the parts of `task` and `project` print with `--json`. */

import * as z from "zod/mini";
import { ACTED } from "./acted.ts";
import { Count, Flag, Text, Texts, type Shape } from "./envelope.ts";

const BEGUN = {
  run: Text,
  project: Text,
  branch: Text,
  summary: Text,
  state: Text,
  status: Text,
  seq: Count,
  workspace: Text,
  waits: Text,
  dependsOn: Texts,
};

const MERGED = {
  branch: Text,
  work: Text,
  into: Text,
  commit: Text,
  how: z.enum(["already", "ff", "merge", "squash"]),
  files: Count,
  checkout: Text,
  remote: z.enum(["kept", "deleted", "failed"]),
};

/** What was merged is there where accepting delivers. */
export const ACCEPT: Shape = {
  ...ACTED,
  branch: z.optional(MERGED.branch),
  work: z.optional(MERGED.work),
  into: z.optional(MERGED.into),
  commit: z.optional(MERGED.commit),
  how: z.optional(MERGED.how),
  files: z.optional(MERGED.files),
  checkout: z.optional(MERGED.checkout),
  remote: z.optional(MERGED.remote),
};

export const TASK: Readonly<Record<string, Shape>> = {
  create: BEGUN,
  start: BEGUN,
  update: ACTED,
  respawn: ACTED,
  "request-changes": ACTED,
  attach: { run: Text },
  merge: { ...ACTED, ...MERGED },
  cancel: ACTED,
  delete: { run: Text, state: Text, hidden: Flag },
  complete: ACTED,
  stuck: ACTED,
};

const Project = z.strictObject({
  repo: Text,
  name: Text,
  defaultBranch: Text,
  agents: Count,
  remote: Text,
  atWork: Count,
  workspaces: Count,
  queued: Count,
});

export const PROJECT: Readonly<Record<string, Shape>> = {
  add: { project: Project },
  list: { projects: z.array(Project) },
  update: { project: Project },
  remove: { project: Project },
};
