/**
 * What every process of a job carries in its environment, so that it is found wherever it went.
 *
 * The id names the job to people and to us; the folder is what we look for, since another state home may have the same id.
 */

import type { Env } from "../home/paths.ts";

const JOB = "SIGNALBOX_JOB";
export const FOLDER = "SIGNALBOX_JOB_FOLDER";

export function markerOf(job: {
  readonly id: string;
  readonly folder: string;
}): Readonly<Record<string, string>> {
  return { [JOB]: job.id, [FOLDER]: job.folder };
}

/** The job that a process belongs to, by its environment; empty where it belongs to none. */
export function jobIn(env: Env): string {
  return env[JOB] ?? "";
}

/** For a process that belongs to no job, whoever starts it. */
export function withoutMarker(env: Env): Record<string, string | undefined> {
  const { [JOB]: _job, [FOLDER]: _folder, ...rest } = env;
  return rest;
}
