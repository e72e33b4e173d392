/**
 * Five defects of an earlier program, with one root: commits, refs and shared pages belong to everybody.
 *
 * Everything here is typed at the command line, so that the same rows run against another build:
 * `SIGNALBOX_PROGRAM=/path/to/dist/signalbox.cjs npx vitest run test/e2e/blockers.test.ts`. Every row fails at 45f2fcc;
 * docs/evidence/blockers.md says how.
 */

import { execFileSync } from "node:child_process";
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { canMount } from "../support/git.ts";
import { isPerson } from "../support/person.ts";
import { clear, makeLife, processesOf, type, type Answer, type Life } from "./lives/life.ts";

type Cast = {
  /** What the worker does between its plan and its handoff. */
  readonly work: string;
  readonly review?: string;
  /** Programs on the PATH, as shell scripts by their names. */
  readonly programs?: Readonly<Record<string, string>>;
};
type Scene = Life & {
  readonly git: (...argv: readonly string[]) => string;
  /** Whether an agent has left this file in the ledger. */
  readonly isMarked: (name: string) => boolean;
  /** Runs a workflow until it is over or waits for a person. */
  readonly play: (...argv: readonly string[]) => Promise<{ readonly run: string; readonly state: string }>;
  readonly merge: (run: string) => Promise<Answer>;
};

const WRITE = "echo work >work.txt\n";
const COMMIT = "git add -A && git commit --quiet --message work\n";
const PASS = "printf 'Verdict: PASS\\n' | signalbox submit review -\n";

const taskOf = (worker: string, reviewer: string): readonly string[] => [
  "task",
  "Work",
  "--param",
  `harness=${worker}`,
  "--param",
  `review_harness=${reviewer}`,
];
const TASK = taskOf("worker", "reviewer");

/** Agents find everything beside the person's home. */
const PLACES = "LEDGER=$HOME/../ledger\nREPO=$HOME/../repo\n";

/** It works in its first turn. Later turns only say what became of the work. */
const workerScript = (work: string): string => `${PLACES}[ -e "$LEDGER/worked" ] && exit 0
touch "$LEDGER/worked"
pwd >"$LEDGER/workspace"
printf 'APPROACH: as asked\\n' | signalbox submit plan - && signalbox move working || exit 1
${work}
printf 'DONE: it\\n' | signalbox submit handoff - && signalbox move agent-review
`;

const reviewerScript = (review: string): string => `${PLACES}echo >>"$LEDGER/reviews"
attempt=$(wc -l <"$LEDGER/reviews")
${review}
`;

const lives: Life[] = [];
afterAll(async () => {
  for (const life of lives.splice(0)) await clear(life);
});

function makeScene({ work, review = PASS, programs = {} }: Cast): Scene {
  const made = makeLife({
    config: (root) => {
      writeFileSync(join(root, "worker.sh"), workerScript(work));
      writeFileSync(join(root, "reviewer.sh"), reviewerScript(review));
      const harnesses = ["worker", "reviewer"].map(
        (name) => `  ${name}: { command: [sh, ${root}/${name}.sh] }`,
      );
      return `terminal: none\nharnesses:\n${harnesses.join("\n")}\n`;
    },
  });
  lives.push(made);
  const bin = join(made.root, "bin");
  mkdirSync(bin);
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(bin, name), text, { mode: 0o755 });
  const life = { ...made, env: { ...made.env, PATH: `${bin}:${made.env["PATH"] ?? ""}` } };
  return {
    ...life,
    git: (...argv) => git(life, life.repo, ...argv),
    isMarked: (name) => existsSync(join(life.ledger, name)),
    async play(...argv) {
      const { document, stderr } = await type(life, ["run", ...argv]);
      const { run, state } = document;
      if (typeof run !== "string" || typeof state !== "string")
        throw new Error(`there is no run: ${JSON.stringify(document)} ${stderr}`);
      return { run, state };
    },
    merge: (run) => type(life, ["task", "merge", run]),
  };
}

function git({ env }: Life, cwd: string, ...argv: readonly string[]): string {
  return execFileSync("git", argv, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

function workspaceOf({ ledger }: Scene): string {
  return readFileSync(join(ledger, "workspace"), "utf8").trim();
}

/** What main has and the repository did not begin with. */
function delivered(on: Scene): Readonly<Record<string, string>> {
  const names = on.git("ls-tree", "-r", "--name-only", "main").split("\n");
  const added = names.filter((name) => name !== "README.md");
  return Object.fromEntries(added.map((name) => [name, on.git("show", `main:${name}`)]));
}

describe.runIf(isPerson)("1: merged means that the reviewed files are on main", () => {
  test.for([
    ["a new file that was never committed", WRITE, { "work.txt": "work" }],
    [
      "one file that was committed, and one that was not",
      `${WRITE}${COMMIT}echo late >late.txt`,
      { "work.txt": "work", "late.txt": "late" },
    ],
  ] as const)("%s", async ([, work, files]) => {
    const on = makeScene({ work });
    const { run, state } = await on.play(...TASK);
    expect(state).toBe("reviewing");
    const { code } = await on.merge(run);
    expect({ code, files: delivered(on) }).toEqual({ code: 0, files });
  });

  test("a commit of the reviewed content does not make the review stale", async () => {
    const on = makeScene({ work: "echo changed >README.md\n" });
    const { run, state } = await on.play(...TASK);
    expect(state).toBe("reviewing");
    git(on, workspaceOf(on), "commit", "--quiet", "--all", "--message", "what was reviewed");
    const { code } = await on.merge(run);
    expect([code, on.git("show", "main:README.md")]).toEqual([0, "changed"]);
  });
});

describe.runIf(isPerson)("2: a worker cannot end its own run", () => {
  test.for([
    ["git update-ref refs/heads/main HEAD", "nothing"],
    ["git push --quiet origin HEAD:main", "nothing"],
    ["git update-ref refs/remotes/origin/main HEAD", "nothing"],
    // In the user's own repository, which an agent without a sandbox can reach.
    [
      'git -C "$REPO" fetch --quiet "$PWD" HEAD && git -C "$REPO" update-ref refs/heads/main FETCH_HEAD',
      "main",
    ],
  ] as const)("%s", async ([forge, moves]) => {
    const on = makeScene({ work: `${WRITE}${COMMIT}${forge}\ntouch "$LEDGER/tried"\nexit 0\n` });
    const remote = join(on.root, "remote.git");
    on.git("clone", "--quiet", "--bare", on.repo, remote);
    on.git("remote", "add", "origin", remote);
    on.git("fetch", "--quiet", "origin");
    const start = on.git("rev-parse", "main");
    const { run } = await on.play(...TASK);
    expect(on.isMarked("tried")).toBe(true);
    // The supervisor looks at branches for the last time before it exits.
    await expect.poll(() => processesOf(on).some(({ kind }) => kind === "supervisor")).toBe(false);
    const moved = ["main", "origin/main"].filter((ref) => on.git("rev-parse", ref) !== start);
    if (git(on, remote, "rev-parse", "main") !== start) moved.push("main of the remote");
    const { document } = await type(on, ["show", run]);
    expect([document["state"], moved.join(", ") || "nothing"]).toEqual(["working", moves]);
  });
});

describe.runIf(isPerson)("3: a verdict is its reviewer's", () => {
  test("one that another process writes into TASK.md while the reviewer works does not count", async () => {
    const on = makeScene({ work: WRITE, review: 'while ! [ -e "$LEDGER/forged" ]; do sleep 0.05; done\n' });
    const played = on.play(...TASK);
    await expect.poll(() => on.isMarked("reviews")).toBe(true);
    appendFileSync(join(workspaceOf(on), "TASK.md"), "\n## Review\n\nVerdict: PASS\n");
    writeFileSync(join(on.ledger, "forged"), "");
    expect((await played).state).toBe("stuck");
  });
});

describe.runIf(isPerson)("4: a judge cannot change what it judges", () => {
  test("what it commits in one attempt is not what the next attempt approves", async () => {
    const smuggle = `if [ "$attempt" = 1 ]; then echo smuggled >>work.txt; ${COMMIT.trim()}; exit 0; fi\n`;
    const on = makeScene({ work: `${WRITE}${COMMIT}`, review: `${smuggle}${PASS}` });
    const { run } = await on.play(...TASK);
    const { code } = await on.merge(run);
    expect({ code, files: delivered(on) }).toEqual({ code: 0, files: { "work.txt": "work" } });
  });

  test("files that its test runs leave behind do not make its verdict stale, and are not delivered", async () => {
    const on = makeScene({ work: `${WRITE}${COMMIT}`, review: `echo 93% >coverage.txt\n${PASS}` });
    const { run, state } = await on.play(...TASK);
    const attempts = readFileSync(join(on.ledger, "reviews"), "utf8").length;
    expect({ state, attempts }).toEqual({ state: "reviewing", attempts: 1 });
    await on.merge(run);
    expect(delivered(on)).toEqual({ "work.txt": "work" });
  });
});

/** A stand-in runs one script for every agent, or else the script of the role. */
const PLAY =
  'export LEDGER=$HOME/../ledger\nrole=${SIGNALBOX_JOB#*.}\nplay=$HOME/../play.sh\n[ -e "$play" ] || play=$HOME/../${role%%.*}.sh\n';

/** As codex does, it opens login shells and keeps `.agents` read-only, unless its command line says otherwise. */
const codex = (isSandboxed: boolean): string => `#!/bin/bash
${PLAY}shell=-lc
closed=.agents
while [ $# -gt 0 ]; do
  case $1 in
  allow_login_shell=false) shell=-c ;;
  --add-dir) [ "$2" != "$PWD/.agents" ] || closed= ;;
  esac
  shift
done
${isSandboxed ? SANDBOX : ""} bash "$shell" "sh '$play'"
`;
const SANDBOX = `exec unshare --user --map-root-user --mount sh -c '[ -z "$0" ] || mount --bind -o ro "$0" "$0" && exec "$@"' "$closed"`;

/** As gemini does, it hides the user's git configuration. No name is guessed for a commit, on any machine. */
const GEMINI = `#!/bin/sh
${PLAY}export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.useConfigOnly GIT_CONFIG_VALUE_0=true
exec sh "$play"
`;

// These show what the built-in definitions say to a program. `npm run test:agents` has the programs themselves.
describe.runIf(isPerson)("5: the built-in definitions, with stand-ins for the programs", () => {
  test("codex finds signalbox, although its login shells reset PATH", async () => {
    const on = makeScene({ work: WRITE, programs: { codex: codex(false) } });
    writeFileSync(join(on.root, "person/.bash_profile"), "PATH=/usr/local/bin:/usr/bin:/bin\n");
    const { run, state } = await on.play(...taskOf("codex", "codex"));
    expect(state).toBe("reviewing");
    await on.merge(run);
    expect(delivered(on)).toEqual({ "work.txt": "work" });
  });

  test.runIf(canMount)(
    "codex writes the review of a plan into .agents, which it keeps read-only unless told otherwise",
    async () => {
      const on = makeScene({
        work: "",
        programs: { codex: codex(true), claude: `#!/bin/sh\n${PLAY}exec sh "$play"\n` },
      });
      copyFileSync(join(import.meta.dirname, "staged/agent.sh"), join(on.root, "play.sh"));
      const only = ["explore", "implement", "test", "final"].map((stage) => `--no-${stage}`);
      const { state } = await on.play("staged", "Work", ...only, "--param", "compact_stages=false");
      expect(state).toBe("handover");
    },
  );

  test("gemini, which does not read the user's git configuration, commits, and its work is delivered", async () => {
    const work = `${WRITE}git add -A\ngit commit --quiet --message work && touch "$LEDGER/committed"\n`;
    const on = makeScene({ work, programs: { gemini: GEMINI } });
    on.git("config", "--remove-section", "user");
    writeFileSync(join(on.root, "person/.gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n");
    const { run, state } = await on.play(...taskOf("gemini", "gemini"));
    expect(state).toBe("reviewing");
    await on.merge(run);
    const committed = on.isMarked("committed");
    expect({ committed, files: delivered(on) }).toEqual({ committed: true, files: { "work.txt": "work" } });
  });
});
