/** The prompt of a turn, and that of the first turn of the same agent. */

import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { textIn } from "../app/text-input.ts";

const FIRST = "turn-1";

/** The folders of an agent's turns lie next to each other, and each holds its prompt. */
export function promptsOf({
  cwd,
  env,
}: {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): { readonly prompt: string; readonly task: string } {
  const prompt = textIn(cwd, "-");
  const file = env["SIGNALBOX_PROMPT"] ?? "";
  const folder = dirname(file);
  const first = join(dirname(folder), FIRST, basename(file));
  const isLater = file !== "" && basename(folder) !== FIRST && existsSync(first);
  return { prompt, task: isLater ? readFileSync(first, "utf8") : "" };
}
