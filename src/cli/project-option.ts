/** The option of commands that name a run. */

import type { Option } from "./command.ts";

export const OF_PROJECT: Readonly<Record<string, Option>> = {
  project: { takes: "PROJECT", about: "the project that the run is of, where you are elsewhere" },
};
