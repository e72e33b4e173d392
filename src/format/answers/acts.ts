/** What the commands that change a run print with `--json`. */

import * as z from "zod/mini";
import { ACTED } from "./acted.ts";
import { Text, Texts, Count } from "./envelope.ts";
import { Choice, Read } from "./runs.ts";

/** Without --detach it comes when the run has ended, or waits for a person. */
export const run = {
  run: Text,
  workflow: Text,
  state: Text,
  status: Text,
  seq: Count,
  ways: Texts,
  choices: z.array(Choice),
  reads: z.array(Read),
};

/** As `run` ends. */
export const follow = { ...run };

/** The doors of a change: as `run`, in words of its phases. */
const DOOR = { change: Text, run: Text, phase: Text, state: Text, status: Text, ways: Texts };
export const plan = DOOR;
export const impl = DOOR;
export const archive = DOOR;
export const reopen = DOOR;

export const retry = ACTED;
export const answer = ACTED;
export const move = ACTED;
export const submit = ACTED;
export const waive = ACTED;
export const cancel = ACTED;

export { resume, stop } from "./acted.ts";

export const supervise = {};

/** It prints nothing of its own: what it says is for the program that started it. */
export const mcp = {};
