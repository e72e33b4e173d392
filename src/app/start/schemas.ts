/** What commands that begin runs, and `attach` and `delete`, print with `--json`. */

import { Count, Flag, Text, Texts, type Shape } from "../shapes.ts";

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

export const BEGINNING: Readonly<Record<string, Shape>> = {
  create: BEGUN,
  start: BEGUN,
  attach: { run: Text },
  delete: { run: Text, state: Text, hidden: Flag },
};
