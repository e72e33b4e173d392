/** `signalbox simulate`: the end of a walk says what the workflow can take at most, where that is found in a moment. */
import { expect, test } from "vitest";
import { call, folderWith } from "./calling.ts";

test.for<[workflow: string, said: string]>([
  ["task", "  Worst case before a person must act:\n"],
  [
    "orchestrated-task",
    "  What it can take at most takes a while to find: signalbox check orchestrated-task\n",
  ],
])("simulate %s", async ([workflow, said]) => {
  const { code, stdout } = await call(`simulate ${workflow} --seed 1`, folderWith());
  expect([code, stdout.includes(said)]).toEqual([0, true]);
});
