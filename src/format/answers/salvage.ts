/** What `salvage` and `workspace` print with `--json`. */

import * as z from "zod/mini";
import { Count, Flag, Text, Texts } from "./envelope.ts";

const Size = z.strictObject({ files: Count, bytes: Count, more: Flag });
const Aside = z.strictObject({ path: Text, reason: Text, at: Text });
const Change = z.strictObject({ status: Text, name: Text });
const OF_RUN = { run: Text, at: Text, workflow: Text, goal: Text, status: Text, repo: Text, branch: Text };

const Listed = z.strictObject({
  ...OF_RUN,
  left: Text,
  files: Count,
  commits: Count,
  kept: Texts,
  keptSize: Size,
  git: Flag,
});

const Shown = z.strictObject({
  ...OF_RUN,
  mirror: Text,
  base: Text,
  head: Text,
  left: Text,
  changed: z.array(Change),
  commits: z.array(z.strictObject({ oid: Text, at: Text, subject: Text })),
  kept: Texts,
  keptSize: Size,
  git: Texts,
  operation: Text,
  fetch: Text,
  restore: Text,
});

const Restored = z.strictObject({ run: Text, folder: Text, files: Count, left: Texts });

export const SALVAGE = {
  list: { salvages: z.array(Listed), quarantine: z.array(Aside), more: Count },
  show: { salvage: Shown, diff: z.optional(Text) },
  restore: { restored: Restored },
};

const Known = z.nullable(Count);

const Workspace = z.strictObject({
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

const Done = z.strictObject({ path: Text, run: Text, did: Text, salvage: Text, kept: Text });

export const WORKSPACE = {
  list: { workspaces: z.array(Workspace), strange: Texts },
  gc: { done: z.array(Done), left: Texts },
};
