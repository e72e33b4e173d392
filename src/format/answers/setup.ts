/** What the commands that set things up print with `--json`. */

import * as z from "zod/mini";
import { At, Count, Flag, Text, Texts } from "./envelope.ts";
import { Happening } from "./runs.ts";

export const doctor = {
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
};

export const key = {
  exists: Flag,
  path: Text,
  fingerprint: Text,
  tier: z.enum(["", "detected", "prevented"]),
  madeAt: Text,
  lostAt: Text,
  former: z.array(z.strictObject({ fingerprint: Text, until: Text })),
  aside: Text,
};

export const init = {
  folder: Text,
  files: z.array(z.strictObject({ path: Text, status: z.enum(["written", "kept", "changed"]) })),
};

const Source = {
  from: z.enum(["built-in", "user", "repository"]),
  at: z.nullable(At),
};
const Literal = z.union([Text, z.number(), Flag]);

export const config = {
  workflow: Text,
  settings: z.array(z.strictObject({ key: Text, value: z.union([Literal, Texts]), ...Source })),
  params: z.array(
    z.strictObject({ param: Text, key: Text, takes: Text, default: Literal, value: Literal, ...Source }),
  ),
  files: Texts,
  trusted: Flag,
  problems: Texts,
};

const Plan = z.strictObject({
  harness: Text,
  harnesses: z.record(Text, z.record(Text, z.unknown())),
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
      problems: Texts,
    }),
  ),
  others: z.array(z.strictObject({ path: Text, size: Count })),
  problems: Texts,
  warnings: Texts,
});

export const trust = { repo: Text, digest: Text, trusted: Flag, changed: Flag, runs: Plan };

export const completion = {
  shell: z.optional(Text),
  script: z.optional(Text),
  candidates: z.optional(z.array(z.strictObject({ word: Text, about: Text }))),
};

/** What it is told comes line by line. */
export const demo = {};

/** What became of a task of a run, as it becomes so. */
const TaskHappening = z.strictObject({
  run: Text,
  task: Text,
  child: Text,
  at: Text,
  status: Text,
  what: Text,
});

/** What happens, what is asked, what was answered, and at the end how it ended. */
export const DemoLine = z.union([
  Happening,
  TaskHappening,
  z.strictObject({ run: Text, asks: Text }),
  z.strictObject({ run: Text, answer: Text, by: Text }),
  z.strictObject({
    exit: Count,
    code: Text,
    runs: z.array(
      z.strictObject({ name: Text, run: Text, code: Text, message: Text, state: Text, status: Text }),
    ),
    repository: Text,
    kept: Flag,
  }),
]);
