/**
 * The ways in which an agent tries to act as a person, with real processes.
 *
 * Each is started from a process that carries the marker of a job, as every process of an agent does. What detaches itself
 * completely, into a session of its own with an empty environment, is not told apart: its act is signed with what it can read, and
 * a passphrase is what keeps it from that.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { hashToken } from "../../src/adapters/person/token.ts";
import { openStore } from "../../src/adapters/store/open.ts";
import { programOf } from "../support/compiled.ts";
import { isPerson } from "../support/person.ts";

const MAIN = programOf(fileURLToPath(import.meta.resolve("../support/main.ts")));
const CALL = `"${process.execPath}" --no-warnings "${MAIN}" key --new`;
const hasScript = spawnSync("script", ["--version"]).status === 0;

type Printed = { readonly code: number | null; readonly printed: string };

/** Runs a line of shell in a session of its own, without a terminal; each of `lines` is typed when it is asked for. */
function shell(
  line: string,
  env: Readonly<Record<string, string>>,
  lines: readonly string[] = [],
): Promise<Printed> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", line], { env, cwd: env["HOME"], detached: true, stdio: "pipe" });
    let printed = "";
    let typed = 0;
    const take = (chunk: Buffer): void => {
      printed += chunk.toString();
      for (; typed < printed.split(/(?:key|again): /).length - 1; typed += 1)
        child.stdin.write(`${lines[typed] ?? ""}\n`);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, printed }));
    // Whoever ends early does not read.
    child.stdin.on("error", () => undefined);
    if (lines.length === 0) child.stdin.end();
  });
}

/** As an agent would, under its shim. */
async function asAgent(line: string): Promise<Printed & { readonly home: string }> {
  const home = mkdtempSync(join(tmpdir(), "signalbox-channel-"));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    SIGNALBOX_JOB: "r.worker.1.1",
    SIGNALBOX_RUN: "r",
  };
  return { ...(await shell(line, env)), home };
}

describe.runIf(process.platform === "linux")("an agent is refused", () => {
  test.for<[string, string]>([
    ["as it is", CALL],
    ["without the marker in its environment", `env -u SIGNALBOX_JOB -u SIGNALBOX_RUN ${CALL}`],
    ["with an empty environment", `env -i HOME="$HOME" ${CALL}`],
    [
      "through other programs",
      `env -i HOME="$HOME" sh -c 'sh -c "env ${CALL.replaceAll('"', "")}; exit \\$?"'`,
    ],
    [
      "from a hook of git",
      `git init -q . && mkdir -p .git/hooks && printf '#!/bin/sh\\nenv -i HOME="%s" %s\\n' "$HOME" '${CALL}' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x || exit 4`,
    ],
    [
      "when its parent is gone",
      `sh -c 'env -i HOME="$HOME" sh -c "${CALL.replaceAll('"', '\\"')}; echo \\$? > code" > out 2>&1 &'; while ! [ -s code ]; do sleep 0.05; done; cat out; exit $(cat code)`,
    ],
  ])("%s", async ([, line]) => {
    const { code, printed, home } = await asAgent(line);
    expect(printed).toMatch(/this takes a person, and .*SIGNALBOX_JOB/);
    expect(code).toBe(4);
    expect(existsSync(join(home, ".config/signalbox/human.key"))).toBe(false);
  });

  test.runIf(hasScript)("at a terminal that it opened for itself", async () => {
    const { printed, home } = await asAgent(
      `env -i HOME="$HOME" PATH="$PATH" script -qec '${CALL}' /dev/null`,
    );
    // A terminal has lines of 80 columns.
    expect(printed.replaceAll(/\s+/g, " ")).toMatch(/this takes a person, and .*SIGNALBOX_JOB/);
    expect(existsSync(join(home, ".config/signalbox/human.key"))).toBe(false);
  });
});

describe.runIf(process.platform === "linux")("the token of another agent", async () => {
  const home = mkdtempSync(join(tmpdir(), "signalbox-channel-"));
  const token = "the reviewer's own";
  const row = { run: "r", slot: "", attempt: 1, dir: "", startedAt: 0 };
  const job = {
    ...row,
    kind: "turn",
    artifact: "",
    tree: "",
    endsBy: 0,
    stallMs: 0,
    killed: "",
    seat: "",
  } as const;
  const store = openStore(homeAt(home));
  await store.commit([
    {
      type: "put-agent",
      agent: { ...row, role: "reviewer", token: hashToken(token), turn: 1, status: "running", entry: 0 },
    },
  ]);
  for (const role of ["worker", "reviewer"])
    await store.commit([{ type: "put-job", job: { ...job, id: `r.${role}.1.1`, role, status: "live" } }]);
  await store.close();
  const call = `"${process.execPath}" --no-warnings "${MAIN}" submit r review`;
  const under = (role: string, line: string): Promise<Printed> =>
    shell(line, {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      SIGNALBOX_HOME: home,
      SIGNALBOX_JOB: `r.${role}.1.1`,
    });

  test.for<[string, string]>([
    ["as it is", `SIGNALBOX_TOKEN="${token}" ${call}`],
    ["with the other's mark", `SIGNALBOX_JOB=r.reviewer.1.1 SIGNALBOX_TOKEN="${token}" ${call}`],
    ["without any mark", `env -u SIGNALBOX_JOB SIGNALBOX_TOKEN="${token}" ${call}`],
  ])("is refused: %s", async ([, line]) => {
    const { code, printed } = await under("worker", `${line}; exit $?`);
    expect(printed).toMatch(
      /that of "reviewer" of run r, attempt 1, and this is a process of the job r\.worker/,
    );
    expect(code).toBe(4);
  });

  test("counts for its owner", async () => {
    const { printed } = await under("reviewer", `SIGNALBOX_TOKEN="${token}" ${call}; exit $?`);
    expect(printed).toMatch(/there is no run "r"/);
  });
});

describe.runIf(isPerson && process.platform === "linux" && hasScript)("a passphrase", () => {
  const home = mkdtempSync(join(tmpdir(), "signalbox-channel-"));
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  const key = (option: string): string => `"${process.execPath}" --no-warnings "${MAIN}" key ${option}`;
  const atTerminal = (option: string, ...typed: readonly string[]): Promise<Printed> =>
    shell(`script -qec '${key(option)}' /dev/null`, env, typed);

  test("is typed at the terminal, and shown nowhere", async () => {
    const { printed } = await atTerminal("--passphrase", "open sesame", "open sesame");
    expect(printed).toMatch(/prevented: nothing is signed with this key without the passphrase/);
    expect(printed).not.toContain("sesame");
  });

  test("is not taken from a pipe, an argument or a variable: who detached itself completely has none", async () => {
    const file = join(home, ".config/signalbox/human.key");
    const before = readFileSync(file, "utf8");
    const line = `printf 'open sesame\\n' | ${key("--no-passphrase")}`;
    const { code, printed } = await shell(line, { ...env, PASSPHRASE: "open sesame" });
    expect([code, printed]).toEqual([4, expect.stringMatching(/no terminal to type it at/)]);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("opens the key again", async () => {
    const { printed } = await atTerminal("--no-passphrase", "open sesame");
    expect(printed).toMatch(/detected:/);
  });
});
