/** What each use case takes and gives. A client and a handler need no more of it than the types. */

import * as z from "zod/mini";
import { ACTED, resume, stop } from "../format/answers/acted.ts";

const Text = z.optional(z.string());
/** The run that is meant, by name; without it, that of the agent, of the folder, or the only one. */
const Run = { run: Text };
/** The same, where a task may also be known by its branch, or by its project. */
const Task = { run: Text, project: Text };
/** Used twice, it acts once and gives the same answer. */
const Key = { key: Text };
/** A file as the caller has read it. */
const GivenText = z.strictObject({
  name: z.string(),
  text: Text,
  problem: z.optional(z.strictObject({ code: z.string(), message: z.string(), next: z.string() })),
});

const Acknowledgement = z.strictObject(ACTED);

export const SCHEMAS = {
  submit: {
    input: z.strictObject({
      ...Run,
      ...Key,
      artifact: z.string(),
      file: z.optional(GivenText),
      /** `artifact` may be the name of the run, and the name of the file that of the artifact. */
      either: z.optional(z.boolean()),
    }),
    output: Acknowledgement,
  },
  "review-create": {
    input: z.strictObject({ ...Run, ...Key, artifact: Text, file: GivenText }),
    output: Acknowledgement,
  },
  move: {
    input: z.strictObject({
      ...Run,
      ...Key,
      to: z.string(),
      note: Text,
      from: Text,
      seq: z.optional(z.number()),
    }),
    output: Acknowledgement,
  },
  update: {
    input: z.strictObject({
      ...Task,
      ...Key,
      status: Text,
      note: Text,
      summary: Text,
      branch: Text,
      dependsOn: z.optional(z.array(z.string())),
    }),
    output: Acknowledgement,
  },
  complete: {
    input: z.strictObject({ ...Task, ...Key, note: Text }),
    output: Acknowledgement,
  },
  "ask-questions": {
    input: z.strictObject({ ...Key, questions: z.array(z.string()) }),
    output: Acknowledgement,
  },
  waive: {
    input: z.strictObject({ ...Run, ...Key, artifact: z.string(), reason: z.string() }),
    output: Acknowledgement,
  },
  stop: {
    input: z.strictObject({ ...Run, now: z.boolean() }),
    output: z.strictObject(stop),
  },
  resume: {
    input: z.strictObject({
      ...Run,
      back: z.optional(
        z.strictObject({
          how: z.enum(["from-phase", "retry-failed", "restart-stage", "restart-previous"]),
          phase: z.string(),
        }),
      ),
    }),
    output: z.strictObject(resume),
  },
  cancel: {
    input: z.strictObject({ ...Run, ...Key, note: Text }),
    output: Acknowledgement,
  },
  respawn: {
    input: z.strictObject({
      ...Key,
      project: Text,
      /** The run, the role, or both. */ words: z.array(z.string()),
    }),
    output: Acknowledgement,
  },
  "get-task": {
    input: z.strictObject({}),
    output: z.strictObject({
      run: z.string(),
      role: z.string(),
      slot: z.string(),
      attempt: z.number(),
      workflow: z.string(),
      goal: z.string(),
      state: z.string(),
      title: z.string(),
      folder: z.string(),
      counters: z.record(z.string(), z.strictObject({ is: z.number(), max: z.number() })),
      instructions: z.string(),
      told: z.string(),
      files: z.array(z.string()),
    }),
  },
  "list-context": {
    input: z.strictObject({}),
    output: z.strictObject({
      files: z.array(z.strictObject({ file: z.string(), bytes: z.number(), is: z.string() })),
    }),
  },
  "read-context": {
    input: z.strictObject({ file: z.string(), offset: z.number() }),
    output: z.strictObject({
      file: z.string(),
      text: z.string(),
      offset: z.number(),
      characters: z.number(),
      next_offset: z.nullable(z.number()),
    }),
  },
} as const;

/** Data of a call is never changed by the code that gets it. */
type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

export type UseName = keyof typeof SCHEMAS;
export type InputOf<Name extends UseName> = Frozen<z.output<(typeof SCHEMAS)[Name]["input"]>>;
export type DataOf<Name extends UseName> = Frozen<z.output<(typeof SCHEMAS)[Name]["output"]>>;
