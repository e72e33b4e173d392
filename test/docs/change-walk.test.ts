/**
 * The guide to changes, typed from top to bottom in one shell: every block of shell must do what it is for, and every console block
 * must print what it shows. Ids, dates and ages are masked; a line `...` stands for any number of lines.
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
import { afterAll, beforeAll, expect, test } from "vitest";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { isSupervisorAlive } from "../../src/adapters/supervisor/lock.ts";
import { isPerson } from "../support/person.ts";
import { shortened } from "./shortened.ts";

type Step = { readonly command: string; readonly shown?: readonly string[] };

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/change.md"), "utf8");
const [, walk = ""] = page.split("\n## From nothing to archived\n");
const steps = stepsOf(walk.split("\n## Phases\n")[0] ?? "");
const place = mkdtempSync(join(realpathSync(tmpdir()), "signalbox-change-"));
const home = join(place, "home");
const outOf = (index: number): string => join(place, "out", String(index));

beforeAll(() => {
  if (!isPerson) return;
  for (const folder of ["out", "home/.config/signalbox"]) mkdirSync(join(place, folder), { recursive: true });
  writeFileSync(
    join(home, ".gitconfig"),
    "[user]\n\tname = Ada\n\temail = ada@localhost\n[init]\n\tdefaultBranch = main\n[commit]\n\tgpgSign = false\n",
  );
  // Nobody looks at windows here.
  writeFileSync(join(home, ".config/signalbox/config.yaml"), "terminal: none\n");
  const env = { PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}`, HOME: home, USER: "ada" };
  spawnSync("bash", {
    cwd: home,
    env,
    input: steps.map(scriptOf).join("\n"),
    stdio: ["pipe", "ignore", "ignore"],
  });
}, 120_000);

afterAll(async () => {
  // Nothing is removed under somebody who still clears away.
  const state = homeAt(join(home, ".local/state/signalbox"));
  while (isSupervisorAlive(state)) await pause(20);
  rmSync(place, { recursive: true, force: true });
});

test("there is a walk", () => {
  expect(steps.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(10);
});

test
  .runIf(isPerson)
  .for(steps.map((step, index) => [index, step.command.trim().split("\n")[0] ?? ""] as const))(
  "step %i: %s",
  ([index]) => {
    const { shown } = steps[index] ?? {};
    const said = existsSync(outOf(index)) ? readFileSync(outOf(index), "utf8") : "";
    const exit = existsSync(`${outOf(index)}.exit`)
      ? readFileSync(`${outOf(index)}.exit`, "utf8").trim()
      : "";
    const promised = (shown ?? []).filter((line) => line !== "").map(mask);
    const lines = said.split("\n").filter((line) => line !== "");
    const silent = exit === "0" ? [] : lines;
    expect(shown === undefined ? silent : shortened(lines.map(mask), promised)).toEqual(promised);
  },
);

function stepsOf(section: string): Step[] {
  return [...section.matchAll(/```(sh|console)\n([^]*?)```/g)].flatMap(([, kind, text = ""]) =>
    kind === "sh" ? [{ command: text }] : dialogue(text),
  );
}

function dialogue(text: string): Step[] {
  const parts = text.split(/^\$ /m).slice(1);
  return parts.map((part) => {
    const [command = "", ...shown] = part.trimEnd().split("\n");
    return { command, shown };
  });
}

/** Of a block, every command must succeed. */
function scriptOf({ command, shown }: Step, index: number): string {
  const [before, after] =
    shown === undefined ? ["bad=0; trap bad=1 ERR", "trap - ERR; code=$bad"] : ["", "code=$?"];
  const out = outOf(index);
  return [before, `{\n${command}\n} >'${out}' 2>&1 </dev/null`, after, `echo $code >'${out}.exit'`].join(
    "\n",
  );
}

function mask(line: string): string {
  return line
    .replace(/^(greet is run )\w{8}$/, "$1RUN")
    .replace(/^\w{8}( {2}change .*) \d+ s {2,}/, "RUN$1 AGE  ")
    .replace(/^## \d{4}-\d\d-\d\d /, "## DATE ");
}
