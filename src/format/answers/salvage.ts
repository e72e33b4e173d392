/** What `salvage` and `workspace` print with `--json`. */

import * as z from "zod/mini";
import { Count, Flag, Text, Texts } from "./envelope.ts";

const Size = z.strictObject({ files: Count, bytes: Count, more: Flag });
const Aside = z.strictObject({ path: Text, reason: Text, at: Text });
const Change = z.strictObject({ status: Text, name: Text });
const OF_RUN = { run: Text, at: Text, workflow: Text, goal: Text, status: Text, repo: Text, branch: Text };

const Listed = z.strictObject({
  ...OF_RUN,
  ref: Text,
  commits: Count,
  files: Count,
  kept: Texts,
  keptSize: Size,
  quarantine: z.array(Aside),
});

const Shown = z.strictObject({
  ...OF_RUN,
  base: Text,
  head: Text,
  ref: Text,
  forgotten: Text,
  commits: z.array(z.strictObject({ oid: Text, at: Text, subject: Text })),
  changed: z.array(Change),
  untracked: Texts,
  staged: z.array(Change),
  kept: Texts,
  keptSize: Size,
  operations: Texts,
  snapshots: Texts,
  earlier: Count,
  quarantine: z.array(Aside),
  restore: Text,
});

const Restored = z.strictObject({
  run: Text,
  folder: Text,
  side: Text,
  branch: Text,
  files: Count,
  left: Texts,
});

export const SALVAGE = {
  list: { salvages: z.array(Listed), others: z.array(Aside), more: Count },
  show: { salvage: Shown, diff: z.optional(Text) },
  restore: { restored: Restored },
};

const Known = z.nullable(Count);

const Workspace = z.strictObject({
  name: Text,
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
});

const Done = z.strictObject({ name: Text, path: Text, run: Text, did: Text, salvage: Text, kept: Text });

export const WORKSPACE = {
  list: { workspaces: z.array(Workspace), strange: Texts },
  init: {
    project: Text,
    made: z.array(z.strictObject({ name: Text, path: Text })),
    there: Count,
    left: Texts,
  },
  gc: { done: z.array(Done), left: Texts },
};
