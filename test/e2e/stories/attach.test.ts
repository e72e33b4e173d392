/** A person looks into the terminals of a task, from a terminal or from somewhere else. */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { hasTmux } from "../../support/tmux.ts";
import { inTheatre, type Theatre } from "./theatre.ts";

const ROOT = realpathSync(join(import.meta.dirname, "../../.."));
const PROGRAM = [join(ROOT, "node_modules/node/bin/node"), join(ROOT, "dist/signalbox.cjs")];

/** A terminal of the person's own: another tmux, with a server of its own. */
function terminalOf({ root, repo, env }: Theatre) {
  const socket = join(root, "p");
  const call = (...argv: readonly string[]): string =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...argv], {
      encoding: "utf8",
      env,
      cwd: repo,
    }).trim();
  return {
    types(...argv: readonly string[]): void {
      const line = [...PROGRAM, ...argv];
      call("new-session", "-d", "-x", "100", "-y", "20", ";", "set", "-g", "remain-on-exit", "on");
      call("respawn-pane", "-k", "--", "/bin/sh", "-c", '"$@"; echo "it ended with $?"', "sh", ...line);
    },
    screen: () => call("capture-pane", "-p", "-t", ":"),
    close: () => void spawnSync("tmux", ["-S", socket, "kill-server"], { stdio: "ignore" }),
  };
}

describe.runIf(hasTmux).concurrent("task attach", () => {
  test.runIf(isPerson)("at a terminal it shows the worker until the person leaves", async ({ expect }) => {
    await inTheatre(async (on) => {
      const run = await on.task();
      const terminal = terminalOf(on);
      try {
        terminal.types("task", "attach", run, "--role", "worker");
        await on.until(() => on.tmux("list-clients", "-F", "#{session_name}").includes(run));
        on.tmux("send-keys", "-t", on.tmux("list-panes", "-a", "-F", "#{pane_id}"), "hello there", "Enter");
        await on.until(() => on.heard(run, 1).includes("hello there"));
        on.tmux("detach-client", "-s", on.tmux("list-sessions", "-F", "#{session_id}"));
        await on.until(() => terminal.screen().includes("it ended with 0"));
        expect(terminal.screen()).toContain(`you have left the terminals of ${run}; its agents go on`);
        await on.plans(run);
      } finally {
        terminal.close();
      }
    });
  });

  test.runIf(isPerson)("whoever comes out of the terminals of agents is no person", async ({ expect }) => {
    await inTheatre(async (on) => {
      const run = await on.task();
      const out = join(on.root, "out");
      const env = Object.entries(on.env).map(([name, value]) => `${name}=${value}`);
      const line = 'out=$1; shift; env -i "$@" >"$out" 2>&1; echo "it ended with $?" >>"$out"';
      // As an agent would that wants to be taken for somebody at a terminal: nothing of its own is left.
      const clean = ["/bin/sh", "-c", line, "sh", out, ...env, ...PROGRAM];
      on.tmux("new-window", "-d", "--", ...clean, "move", run, "cancelled");
      const said = await on.until(() => {
        const text = existsSync(out) ? readFileSync(out, "utf8") : "";
        return text.includes("it ended with") && text;
      });
      expect(said).toMatch(/this takes a person.*SIGNALBOX_TERMINALS of the terminals of agents/);
      expect(said).toContain("it ended with 4");
    });
  });

  test.runIf(isPerson)(
    "nor is what the server has the terminal of whoever looks become",
    async ({ expect }) => {
      await inTheatre(async (on) => {
        const run = await on.task();
        const terminal = terminalOf(on);
        const out = join(on.root, "out");
        const env = Object.entries(on.env).map(([name, value]) => `${name}=${value}`);
        const line = `env -i ${[...env, ...PROGRAM].map((word) => `'${word}'`).join(" ")} move ${run} cancelled`;
        try {
          terminal.types("task", "attach", run, "--role", "worker");
          const client = await on.until(() => on.tmux("list-clients", "-F", "#{client_name}") || undefined);
          // The client is the person's own process, and is replaced by this.
          on.tmux(
            "detach-client",
            "-t",
            client,
            "-E",
            `${line} >'${out}' 2>&1; echo "it ended with $?" >>'${out}'`,
          );
          const said = await on.until(() => {
            const text = existsSync(out) ? readFileSync(out, "utf8") : "";
            return text.includes("it ended with") && text;
          });
          expect(said).toMatch(/this takes a person.*SIGNALBOX_TERMINALS of the terminals of agents/);
          expect(said).toContain("it ended with 4");
        } finally {
          terminal.close();
        }
      });
    },
  );

  test("a person who wants to look where there is nothing, or no terminal to look from", async ({
    expect,
  }) => {
    await inTheatre(async (on) => {
      const run = await on.task();
      const here = await on.types("task", "attach", run);
      expect(here.code).toBe(1);
      expect(here.stderr).toMatch(/this takes a terminal/);
      await expect(on.says(run, "worker", "task", "attach", run)).rejects.toThrow(/ended with 4/);
      const role = await on.types("task", "attach", run, "--role", "nobody");
      expect(role.code).toBe(2);
      expect(role.stderr).toMatch(/there is no role "nobody"; there are worker, reviewer/);
      await on.person("move", run, "cancelled");
      await on.in(run, "cancelled");
      const over = await on.types("task", "attach", run);
      expect(over.code).toBe(1);
      expect(over.stderr).toMatch(new RegExp(`${run} has no terminal: it is over\\n.*signalbox logs ${run}`));
    });
  });
});
