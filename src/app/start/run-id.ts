/** The same key in the same repository is the same run, whoever asks and however often. */

import { newRunId } from "../../adapters/home/run-id.ts";
import { sha256 } from "../../format/sha256.ts";

export function idOf(repo: string, key: string): string {
  const bytes = Buffer.from(sha256(`${repo}\0${key}`), "hex");
  return newRunId((length) => bytes.subarray(0, length));
}
