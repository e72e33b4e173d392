/**
 * A guide that is typed from top to bottom in one shell: every block of shell must do what it is for, and every console block must
 * print what it shows. A line `...` stands for any number of lines. What stands for the id of a run is that of the first one.
 */

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { isSupervisorAlive } from "../../src/adapters/supervisor/lock.ts";
import { GITCONFIG, stepsOf, type Step } from "./steps.ts";

export type Walk = {
  readonly steps: readonly Step[];
  /** Types all of it, as somebody called Ada. */
  type(): void;
  /** What was said at a step, and how it ended. */
  said(index: number): { readonly lines: readonly string[]; readonly exit: string };
  end(): Promise<void>;
};

const root = join(import.meta.dirname, "../..");

/** As pages call a run. */
const ID = "k3d9m2xp";

export function walkThrough(section: string): Walk {
  const steps = stepsOf(section);
  const place = mkdtempSync(join(realpathSync(tmpdir()), "signalbox-walk-"));
  const home = join(place, "home");
  const outOf = (index: number): string => join(place, "out", String(index));
  const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
  return {
    steps,
    type() {
      for (const folder of ["out", "home/.config/signalbox"])
        mkdirSync(join(place, folder), { recursive: true });
      writeFileSync(join(home, ".gitconfig"), GITCONFIG);
      // Nobody looks at windows here.
      writeFileSync(join(home, ".config/signalbox/config.yaml"), "terminal: none\n");
      const env = {
        PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}`,
        HOME: home,
        TMPDIR: home,
        USER: "ada",
      };
      const input = steps.map((step, index) => scriptOf(step, outOf(index))).join("\n");
      spawnSync("bash", { cwd: home, env, input, stdio: ["pipe", "ignore", "ignore"] });
    },
    said(index) {
      const text = read(outOf(index)).replaceAll(home, "~");
      return {
        lines: text.split("\n").filter((line) => line !== ""),
        exit: read(`${outOf(index)}.exit`).trim(),
      };
    },
    async end() {
      // Nothing is removed under somebody who still clears away.
      const state = homeAt(join(home, ".local/state/signalbox"));
      while (isSupervisorAlive(state)) await pause(20);
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** Of a block, every command must succeed. */
function scriptOf({ command, shown }: Step, out: string): string {
  const [before, after] =
    shown === undefined ? ["bad=0; trap bad=1 ERR", "trap - ERR; code=$bad"] : ["", "code=$?"];
  const typed = command.replaceAll(ID, "$id");
  return [
    before,
    `{\n${typed}\n} >'${out}' 2>&1 </dev/null`,
    after,
    `echo $code >'${out}.exit'`,
    `id=\${id:-$(grep -xE '[a-z0-9]{8}' '${out}' | head -n 1)}`,
  ].join("\n");
}
