/**
 * The ways in which an agent tries to act as a person, with real processes.
 *
 * Each is started from a process that carries the marker of a job, as every process of an agent does. What detaches itself
 * completely, into a session of its own with an empty environment, is not told apart: its act is signed with what it can read, and
 * a passphrase is what keeps it from that.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");
const CALL = `"${process.execPath}" --no-warnings "${MAIN}" key --new`;
const hasScript = spawnSync("script", ["--version"]).status === 0;

/** Runs a line of shell as an agent would, and gives what it printed and its exit code. */
function asAgent(
  line: string,
): Promise<{ readonly code: number | null; readonly printed: string; readonly home: string }> {
  const home = mkdtempSync(join(tmpdir(), "signalbox-channel-"));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    SIGNALBOX_JOB: "r.worker.1.1",
    SIGNALBOX_RUN: "r",
  };
  return new Promise((resolve, reject) => {
    // A session of its own, as under a shim.
    const child = spawn("sh", ["-c", line], {
      env,
      cwd: home,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    const take = (chunk: Buffer): void => void (printed += chunk.toString());
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, printed, home }));
  });
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
    expect(printed).toMatch(/this takes a person, and .*SIGNALBOX_JOB/);
    expect(existsSync(join(home, ".config/signalbox/human.key"))).toBe(false);
  });

  test("with a key that is under a passphrase, also where it detached itself completely", () => {
    const home = mkdtempSync(join(tmpdir(), "signalbox-channel-"));
    mkdirSync(join(home, ".config/signalbox"), { recursive: true });
    const sealed = {
      cost: 65_536,
      salt: "AAAA",
      nonce: "AAAAAAAAAAAAAAAA",
      tag: "AAAAAAAAAAAAAAAAAAAAAA",
      data: "AAAA",
    };
    const file = join(home, ".config/signalbox/human.key");
    const text = JSON.stringify({ version: 1, public: "AAAA", madeAt: "", secret: sealed, former: [] });
    writeFileSync(file, text, { mode: 0o600 });
    // No marker anywhere, and no terminal: nobody to type a passphrase.
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--no-warnings", MAIN, "key", "--no-passphrase"],
      {
        env: { HOME: home },
        detached: true,
        encoding: "utf8",
      },
    );
    expect(status).toBe(4);
    expect(stderr).toMatch(/no terminal to type it at|this takes a person/);
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});
