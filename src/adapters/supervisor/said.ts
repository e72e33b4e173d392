/** What the supervisor says about itself: a line with its pid and start time, and one with the world it lives in. */

import { textOfOwn } from "../home/own-file.ts";
import type { Home } from "../home/paths.ts";

export type SupervisorNote = {
  readonly pid: string;
  /** With the pid, this names a process. */
  readonly start: string;
  /** Its namespaces of pids and users; empty where nobody said so. */
  readonly world: string;
};

export function saidFile({ root }: Home): string {
  return `${root}/supervisor.pid`;
}

export function sayOf({ pid, start, world }: SupervisorNote): string {
  return `${pid} ${start}\n${world}\n`;
}

/** By the last supervisor, which may be gone. */
export function supervisorSaid(home: Home): SupervisorNote {
  const [first = "", world = ""] = (textOfOwn(saidFile(home)) ?? "").split("\n");
  const [pid = "", ...start] = first.split(" ");
  return { pid, start: start.join(" "), world };
}
