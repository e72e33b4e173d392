/** What each use case takes and gives. A client and a handler need no more of it than the types. */

import * as z from "zod/mini";
import { ACTS } from "./act/schemas.ts";
import { SETUP } from "./setup/schemas.ts";
import { Text, Texts } from "./shapes.ts";
import { LOOKS } from "./story/schemas.ts";
import { WORKFLOWS } from "./workflows/schemas.ts";

/** What agents are told about their task. */
const TASKS = {
  "get-task": {
    about: "What an agent needs to begin or to go on",
    input: z.strictObject({}),
    output: z.strictObject({
      run: Text,
      role: Text,
      slot: Text,
      attempt: z.number(),
      workflow: Text,
      goal: Text,
      state: Text,
      title: Text,
      folder: Text,
      /** Rounds and the like: how often, of how many times. */
      counters: z.record(Text, z.strictObject({ is: z.number(), max: z.number() })),
      instructions: Text,
      told: Text,
      files: Texts,
    }),
  },
  "list-context": {
    about: "The files that belong to an agent's task",
    input: z.strictObject({}),
    output: z.strictObject({
      files: z.array(z.strictObject({ file: Text, bytes: z.number(), is: Text })),
    }),
  },
  "read-context": {
    about: "A file of an agent's task, in parts",
    input: z.strictObject({ file: Text, offset: z.number() }),
    output: z.strictObject({
      file: Text,
      text: Text,
      offset: z.number(),
      characters: z.number(),
      next_offset: z.nullable(z.number()),
    }),
  },
} as const;

export const SCHEMAS = { ...ACTS, ...LOOKS, ...TASKS, ...WORKFLOWS, ...SETUP } as const;

/** Data of a call is never changed by the code that gets it. */
type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

export type UseName = keyof typeof SCHEMAS;
export type InputOf<Name extends UseName> = Frozen<z.output<(typeof SCHEMAS)[Name]["input"]>>;
export type DataOf<Name extends UseName> = Frozen<z.output<(typeof SCHEMAS)[Name]["output"]>>;
