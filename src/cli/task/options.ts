/** Options that several commands about tasks have. */

import type { Option } from "../command.ts";

/** The option that all of them have. */
export const OF_PROJECT: Readonly<Record<string, Option>> = {
  project: { takes: "PROJECT", about: "the project that the task is of, where you are somewhere else" },
};

/** Of those that say what a task waits for. */
export const DEPENDS_ON: Option = {
  takes: "TASK",
  about: "start it when this one is done; may be given several times",
  many: true,
};
