/** `signalbox completion`: what is offered, and that the shells really offer it. */

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { complete, grammarOf, type Lists } from "../../src/cli/completion/complete.ts";
import { groupAs } from "../../src/cli/declared/commands.ts";
import { doorOf } from "../../src/cli/run.ts";
import { SCRIPTS, SHELLS, type Shell } from "../../src/cli/commands/setup/completion.ts";
import { COMPILED } from "../support/compiled.ts";
import { call, document, folderWith, say, tiny } from "./calling.ts";
import { LEAVES } from "./leaves.ts";
import { machine } from "./reading-support.ts";

const door = doorOf({ cwd: import.meta.dirname, env: {} }, {});
const lists: Lists = {
  workflows: () => [
    { word: "task", about: "built in" },
    { word: "tiny", about: "of this repository" },
  ],
  declared: () => Promise.resolve([{ word: "task", about: "" }]),
  declaredAs: (word) => groupAs(word, door),
  commandFor: () => Promise.resolve(undefined),
  demos: () => [{ word: "task", about: "" }],
  runs: () => Promise.resolve([{ word: "r-12", about: "task, working: a goal" }]),
  decisions: () => Promise.resolve([{ word: "UD-1", about: "" }]),
  projects: () => Promise.resolve([{ word: "shop", about: "/srv/shop" }]),
  stages: (workflow) =>
    Promise.resolve(
      workflow === "tiny"
        ? [
            { word: "PLAN", about: "", off: "" },
            { word: "TEST", about: "", off: "--no-test" },
          ]
        : [],
    ),
  states: (run) =>
    Promise.resolve(run === "r-12" ? ["working", "done"].map((word) => ({ word, about: "" })) : []),
  harnesses: () => Promise.resolve(["claude", "codex"].map((word) => ({ word, about: "" }))),
  values: (workflow) =>
    Promise.resolve(
      workflow === "tiny"
        ? [
            { word: "--full", about: "mode is full", param: "mode" },
            { word: "--lean", about: "for what is small", param: "mode" },
            { word: "--long", about: "size is long", param: "size" },
          ]
        : [],
    ),
};

async function offered(line: string): Promise<string> {
  const candidates = await complete(line.split(" "), lists);
  return candidates.map(({ word }) => word).join(" ");
}

test.for<[line: string, offers: string]>([
  ["che", "check"],
  ["--js", "--json"],
  ["--json gra", "graph"],
  ["check ", "task tiny"],
  ["check ti", "tiny"],
  ["check task ", "task tiny"],
  ["graph task ", ""],
  ["graph --exp", "--expanded"],
  ["graph task --exp", "--expanded"],
  ["graph --expanded --exp", ""],
  ["graph --expanded t", "task tiny"],
  ["simulate --people ", "helpful random"],
  ["simulate --people r", "random"],
  ["simulate --seed ", ""],
  ["simulate --seed 7 ti", "tiny"],
  ["simulate -q ti", "tiny"],
  ["graph -- --exp", ""],
  ["completion ", "bash zsh fish"],
  ["demo ", "task"],
  ["demo ti", ""],
  ["demo task ", ""],
  ["help gra", "graph"],
  ["help graph ", ""],
  ["nonsense ", ""],
  ["task cre", "create"],
  ["task --js", "--json"],
  ["task show ", "r-12"],
  ["task show --verb", "--verbose"],
  ["task create --status p", "pending"],
  ["task create --project ", "shop"],
  ["task create --harness c", "claude codex"],
  ["move r-12 ", "working done"],
  ["move r-13 ", ""],
  ["run tiny --no-t", "--no-test"],
  ["run tiny goal --no-p", ""],
  ["run tiny --no-test --no-t", ""],
  ["run --no-t", ""],
  ["run tiny --le", "--lean"],
  ["run tiny goal --l", "--lean --long"],
  ["run tiny --full --l", "--long"],
  ["run task --le", ""],
  ["run --le", ""],
  ["check tiny --le", ""],
  ["task nonsense ", ""],
  ["project update ", "shop"],
  ["toString ", ""],
])("signalbox %s -> %s", async ([line, offers]) => {
  expect(await offered(line)).toBe(offers);
});

test("every command is offered, and with it every one of its options", async () => {
  const names = Object.keys(COMMANDS);
  expect((await offered("")).split(" ")).toEqual([...names, "help", "task"]);
  const missing = await Promise.all(
    [...LEAVES].map(async ([name, command]) => {
      const offers = (await offered(`${name} --`)).split(" ");
      return Object.keys(command.options).filter((option) => !offers.includes(`--${option}`));
    }),
  );
  expect(missing.flat()).toEqual([]);
});

test.for<[usage: string, slots: string]>([
  ["", ""],
  ["WORKFLOW [--expanded]", "workflows"],
  ["WORKFLOW...", "workflows..."],
  ["[RUN]", "runs"],
  ["RUN STATE [--note TEXT]", "runs states"],
  ["DECISION VALUE [--text TEXT | --file FILE]", "decisions anything"],
  ["WORKFLOW GOAL [PARAM=VALUE...] [--detach]", "workflows anything anything..."],
  ["bash|zsh|fish", "one-of"],
  ["RUN --from-phase PHASE FILE", "runs anything"],
])("the words of '%s': %s", ([usage, slots]) => {
  const grammar = grammarOf({ usage });
  expect(`${grammar.slots.map(({ type }) => type).join(" ")}${grammar.repeats ? "..." : ""}`).toBe(slots);
});

const MODES = tiny("modes").replace(
  "states:",
  `params:
  mode: { enum: [full, lean, both, json, a, no-tests, two words, a=b], default: full, about: { lean: for what is small } }
  size: { enum: [both], default: both }
states:`,
);

describe("as a command", () => {
  const withModes = folderWith({ ".signalbox/workflows/modes/workflow.yaml": MODES });
  const cwd = folderWith({ ".signalbox/workflows/tiny/workflow.yaml": tiny("tiny") });

  test("of workflows only those are offered as a demo that have one, and another one is told which they are", async () => {
    const { stdout } = await call(["completion", "--line", "--", "demo", ""], cwd);
    expect(stdout).toBe("change\norchestrated\nstaged\ntask\n");
    const told = "only of change, orchestrated, staged, task";
    expect(await document("demo tiny", cwd)).toMatchObject({
      code: "no-demo",
      message: `there is no demo of "tiny", ${told}`,
    });
    expect(await document("demo stage", cwd)).toMatchObject({
      message: `there is no demo of "stage", ${told}; did you mean "staged"?`,
      next: "signalbox demo staged",
    });
  });

  test("workflows of this repository are offered, with where they come from", async () => {
    expect(await say("completion --line -- check ti", cwd)).toBe("0\ntiny\tof this repository\n");
  });

  test("the word that is being typed may be empty", async () => {
    const { stdout } = await call(["completion", "--line", "--", "check", ""], cwd);
    expect(stdout).toContain("tiny\t");
    expect(stdout).toContain("task\t");
  });

  test("options in the line are completed, not obeyed", async () => {
    expect(await say(["completion", "--line", "--", "graph", "--json", "--exp"], cwd)).toBe(
      "0\n--expanded\tshow what stages expand to\n",
    );
    expect(await say(["completion", "--line", "--", "graph", "--help", "ti"], cwd)).toContain("tiny\t");
  });

  test("words of the workflow's parameters are offered that can be typed alone, with what it says about them", async () => {
    const { stdout } = await call(["completion", "--line", "--", "run", "modes", "goal", "--"], withModes);
    const words = ["--full", "--lean", "--both", "--json", "--a", "--no-tests", "--two words", "--a=b"];
    const offers = stdout.split("\n").filter((line) => words.some((word) => line.split("\t")[0] === word));
    expect(offers).toEqual([
      "--json\tprint exactly one JSON document, also on failure",
      "--full\tmode is full",
      "--lean\tfor what is small",
    ]);
  });

  test("a state home in which nothing ever began offers no runs and is not made", async () => {
    const home = join(cwd, "nowhere");
    const { code, stdout } = await call(["completion", "--line", "--", "show", ""], cwd, { HOME: home });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(spawnSync("ls", [home]).status).not.toBe(0);
  });

  test("runs are offered by id, with what they are about", async () => {
    const there = await machine();
    await there.begin("quiet-owl", { goal: "A letter\tto\nsomebody" });
    expect(await there.say("completion --line -- show qui")).toBe(
      "0\nquiet-owl\tletter, writing: A letter to somebody\n",
    );
    expect(await there.say("completion --line -- show x")).toBe("0\n");
  });

  test("--json", async () => {
    expect(await document("completion bash", cwd)).toMatchObject({
      ok: true,
      shell: "bash",
      script: SCRIPTS.bash,
    });
  });

  test("another shell is refused", async () => {
    expect(await say("completion bsh", cwd)).toBe(
      `2\nsignalbox: signalbox completion takes one of bash, zsh, fish, not "bsh"; did you mean "bash"?\n  next: signalbox completion --help\n`,
    );
    expect((await call("completion bash zsh", cwd)).code).toBe(2);
  });
});

/** A folder with a `signalbox` that runs these sources: what the scripts find on the PATH. */
function pathWithSignalbox(): string {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bin-"));
  const file = join(folder, "signalbox");
  const main = fileURLToPath(import.meta.resolve("../support/main.ts"));
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' --no-warnings '${main}' "$@"\n`);
  chmodSync(file, 0o755);
  return `${folder}:${process.env["PATH"] ?? ""}`;
}

const isInstalled = (shell: Shell): boolean => spawnSync(shell, ["-c", "true"]).error === undefined;

/** Types a line into each shell, as far as that can be done without a terminal. */
const TYPED: Readonly<Record<Shell, (line: string) => string>> = {
  bash: (line) =>
    `eval "$(signalbox completion bash)"; COMP_WORDS=(${line.replace(/ $/, ' ""')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _signalbox; printf '%s ' "\${COMPREPLY[@]}"`,
  // Without an editor, what would be shown is handed to the function that shows it.
  zsh: (line) =>
    `compdef() { :; }; _describe() { local -a found; found=("\${(@P)4}"); print -r -- "\${(@)found%%:*}"; }; _files() { print files; }; eval "$(signalbox completion zsh)"; words=(${line.replace(/ $/, ' ""')}); CURRENT=$#words; _signalbox`,
  fish: (line) => `signalbox completion fish | source; complete -C '${line}' | cut -f 1 | tr '\\n' ' '`,
};

describe.for([...SHELLS])("%s", (shell) => {
  const PATH = pathWithSignalbox();
  const cwd = folderWith({ ".signalbox/workflows/tiny/workflow.yaml": tiny("tiny") });
  const type = (line: string): string =>
    execFileSync(shell, ["-c", TYPED[shell](line)], {
      cwd,
      env: { PATH, HOME: cwd, ...COMPILED },
      encoding: "utf8",
    }).trim();

  test.skipIf(!isInstalled(shell))(`${shell} reads the script`, () => {
    const file = join(cwd, `completion.${shell}`);
    writeFileSync(file, SCRIPTS[shell]);
    const { status, stderr } = spawnSync(shell, ["-n", file], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test.skipIf(!isInstalled(shell)).for<[line: string, offers: string]>([
    ["signalbox che", "check"],
    ["signalbox check ti", "tiny"],
    ["signalbox simulate --people ", "helpful random"],
    ["signalbox graph task --exp", "--expanded"],
  ])(`${shell}: %s -> %s`, ([line, offers]) => {
    expect(type(line)).toBe(offers);
  });
});
