/** What commands that begin runs and tasks, and `attach` and `delete`, print with `--json`. */

import { Acknowledgement, Count, Flag, Text, Texts, type Shape } from "../shapes.ts";

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

export const TASK: Readonly<Record<string, Shape>> = {
  create: BEGUN,
  start: BEGUN,
  attach: { run: Text },
  delete: { run: Text, state: Text, hidden: Flag },
  stuck: Acknowledgement.shape,
};

/** The commands of a change: as `run`, in words of its phases. */
export const PHASE: Shape = { change: Text, run: Text, phase: Text, state: Text, status: Text, ways: Texts };
