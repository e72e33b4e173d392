/**
 * What every process of a job carries in its environment, so that it is found wherever it went.
 *
 * The id names the job to people and to us; the mark is what we look for, since another state home may have the same id. It is made
 * from the job's folder and does not tell it: no program needs to know where its exit status is kept.
 */

import { sha256 } from "../../format/sha256.ts";
import type { Env } from "../home/paths.ts";

const JOB = "SIGNALBOX_JOB";
export const MARK = "SIGNALBOX_JOB_MARK";
const MARK_DIGITS = 32;

export function markOf(folder: string): string {
  return sha256(folder).slice(0, MARK_DIGITS);
}

export function markerOf(job: {
  readonly id: string;
  readonly folder: string;
}): Readonly<Record<string, string>> {
  return { [JOB]: job.id, [MARK]: markOf(job.folder) };
}

/** The job that a process belongs to, by its environment; empty where it belongs to none. */
export function jobIn(env: Env): string {
  return env[JOB] ?? "";
}
