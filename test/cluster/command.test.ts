/** `npm run cluster`: twelve tasks on two workers, and nothing is left of it, also after Ctrl-C. */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { isPerson } from "../support/person.ts";
import { NO_POSTGRES } from "../support/postgres.ts";

const SCRIPT = fileURLToPath(new URL("../../scripts/cluster.ts", import.meta.url));

test.skipIf(NO_POSTGRES !== undefined || !isPerson).for([
  ["to its end", undefined, 0, "12 done"],
  ["until Ctrl-C, while agents work", /^12 running\n12 running\n12 running$/m, 130, "Interrupted"],
] as const)("%s", async ([, interruptAt, exit, said]) => {
  const folder = mkdtempSync(join(dirname(realpathSync(tmpdir())), "signalbox-tests-"));
  // The database server runs as another user.
  chmodSync(folder, 0o711);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // A group of its own: Ctrl-C goes to all processes of the terminal.
  const child = spawn(process.execPath, [SCRIPT], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let text = "";
  let isInterrupted = false;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      if (interruptAt?.test(text) !== true || isInterrupted || child.pid === undefined) return;
      isInterrupted = true;
      process.kill(-child.pid, "SIGINT");
    });
  const [code] = (await once(child, "close")) as [number | null];
  expect({ code, text }).toEqual({ code: exit, text: expect.stringContaining(said) as string });
  expect(readdirSync(folder)).toEqual([]);
  // Agents notice within a moment that their machine is gone.
  await expect.poll(() => processesIn(folder)).toEqual([]);
});

function processesIn(folder: string): readonly string[] {
  const all = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
  return all.split("\n").filter((line) => line.includes(folder));
}
