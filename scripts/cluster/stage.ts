/**
 * Several machines on one: a database, a git remote, a person with a checkout, and workers, each with a state home of its own.
 *
 * The agents are scripts, and the person is a stand-in with a key that is thrown away, as in `signalbox demo`.
 */

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run, type Printed } from "../../src/cli/run.ts";
import { STAND_IN } from "../../src/app/demo.ts";

const ROOT = realpathSync(join(import.meta.dirname, "../.."));
export const PROGRAM = join(ROOT, "dist/signalbox.cjs");

/** Writes a file of its run's name, and hands over. `PAUSE` is how long it takes, in seconds. The ledger says which turns began. */
const CODER = `test -z "$SIGNALBOX_DATABASE" || exit 9
echo "coder $SIGNALBOX_JOB" >>"$LEDGER"
sleep "$PAUSE"
echo "$SIGNALBOX_RUN" >"work-$SIGNALBOX_RUN.txt"
printf 'DONE: work-%s.txt\\n' "$SIGNALBOX_RUN" | signalbox submit handoff - >/dev/null
`;
const JUDGE = `echo "judge $SIGNALBOX_JOB" >>"$LEDGER"
sleep "$PAUSE"
test -s "work-$SIGNALBOX_RUN.txt" && verdict=PASS || verdict=FAIL
printf 'Verdict: %s\\n\\n- work-%s.txt:1: seen\\n' "$verdict" "$SIGNALBOX_RUN" | signalbox submit verdict - >/dev/null
`;
const TEST = "ls work-*.txt\n";

export type Worker = {
  readonly name: string;
  /** As PostgreSQL knows its connections. */
  readonly application: string;
  readonly log: string;
  readonly process: ChildProcess;
  /** Resolves with the exit code, or the signal, when the process has ended. */
  readonly ended: Promise<string>;
};

export type Stage = {
  readonly root: string;
  /** The person's checkout. */
  readonly repo: string;
  /** The bare repository that workers clone. */
  readonly remote: string;
  /** A file with a line for each turn of an agent that began. */
  readonly ledger: string;
  /** A command of the person. */
  person(...argv: readonly string[]): Promise<Printed>;
  /** A machine of this name; the same name has the same state home. */
  worker(name: string, more?: readonly string[], variables?: Readonly<Record<string, string>>): Worker;
  env(home: string): Readonly<Record<string, string>>;
  remove(): void;
};

export function makeStage(database: string, pauseSeconds: number): Stage {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "signalbox-cluster-"));
  const [repo, remote, agents] = [join(root, "checkout"), join(root, "remote.git"), join(root, "agents")];
  const config = join(root, "config/signalbox");
  for (const folder of [repo, agents, config, join(root, "person")]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(agents, "coder.sh"), CODER);
  writeFileSync(join(agents, "judge.sh"), JUDGE);
  writeFileSync(
    join(config, "config.yaml"),
    `terminal: none\nsandbox: off\nharness: scripted\nharnesses:\n  scripted: { command: [sh, "${agents}/{role}.sh"], set: { PAUSE: "${pauseSeconds}", LEDGER: "${join(root, "ledger")}" } }\n`,
  );
  const env = (home: string): Readonly<Record<string, string>> => ({
    PATH: process.env["PATH"] ?? "",
    HOME: join(root, "person"),
    USER: "ada",
    LANG: "C.UTF-8",
    TMPDIR: process.env["TMPDIR"] ?? "/tmp",
    XDG_CONFIG_HOME: join(root, "config"),
    SIGNALBOX_HOME: join(root, home),
    SIGNALBOX_DATABASE: database,
  });
  makeRepository({ repo, remote, env: env("state") });
  let started = 0;
  return {
    root,
    repo,
    remote,
    ledger: join(root, "ledger"),
    env,
    person: (...argv) => run(argv, { cwd: repo, env: env("state"), procs: STAND_IN }),
    worker(name, more = [], variables = {}) {
      const log = join(root, `${name}.log`);
      const application = `${name}-${(started += 1)}`;
      const argv = [PROGRAM, "worker", "--database", `${database}?application_name=${application}`, ...more];
      const child = spawn(process.execPath, argv, {
        cwd: root,
        env: { ...env(name), ...variables },
        stdio: ["ignore", "ignore", "pipe"],
      });
      child.stderr?.pipe(createWriteStream(log, { flags: "a" }));
      const ended = new Promise<string>((resolve) =>
        child.once("exit", (code, signal) => resolve(String(signal ?? code))),
      );
      return { name, application, log, process: child, ended };
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function makeRepository(of: {
  readonly repo: string;
  readonly remote: string;
  readonly env: Readonly<Record<string, string>>;
}): void {
  const { repo, remote, env } = of;
  const git = (...argv: readonly string[]): void =>
    void execFileSync("git", argv, { cwd: repo, env: { ...env }, stdio: ["ignore", "ignore", "pipe"] });
  writeFileSync(join(repo, "README.md"), "A project.\n");
  writeFileSync(join(repo, "test.sh"), TEST);
  cpSync(join(import.meta.dirname, "errand"), join(repo, ".signalbox/workflows/errand"), { recursive: true });
  git("init", "--quiet", "--initial-branch=main");
  appendFileSync(join(repo, ".git/config"), "[user]\n\tname = Ada\n\temail = ada@example.org\n");
  git("add", "--all");
  git("commit", "--quiet", "--no-gpg-sign", "--message", "A small project");
  git("clone", "--quiet", "--bare", ".", remote);
}

/** The last lines of a worker's log. */
export function tailOf(log: string, lines = 20): string {
  return readFileSync(log, "utf8").trim().split("\n").slice(-lines).join("\n");
}
