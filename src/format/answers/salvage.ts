/** What `salvage` prints with `--json`: one key for each of its commands. */

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

export const salvage = {
  salvages: z.optional(z.array(Listed)),
  others: z.optional(z.array(Aside)),
  more: z.optional(Count),
  salvage: z.optional(Shown),
  diff: z.optional(Text),
  restored: z.optional(Restored),
};
