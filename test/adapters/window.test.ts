/** The first program of a window hands on nothing that the terminal's server has, whichever shell it is. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const WINDOW = join(import.meta.dirname, "../../bin/window.sh");

/** As they begin in one that is called `sh`. */
const SHELLS = ["/bin/sh", "/bin/dash", "/bin/bash", "/bin/zsh"].filter((path) => existsSync(path));

/** Shells give these to whatever they start. */
const OF_SHELLS = /^(?:PWD|OLDPWD|SHLVL|OPTIND|_)=/;

test.for(SHELLS)("%s", (shell) => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-window-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(shell, join(folder, "sh"));
  const file = join(folder, "errand");
  writeFileSync(file, "export KEY='a b'\nexec /usr/bin/env\n");
  const own = { TERM: "screen", TMUX: "/tmp/a b,1,0", TMUX_PANE: "%1" };
  const env = {
    ...own,
    SECRET: "one\nexport TERM\nexport TMUX='two'\n",
    IFS: ",",
    SHELLOPTS: "xtrace:errexit",
    UID: "7",
    OPTIND: "3",
    "a.b": "1",
    "BASH_FUNC_git%%": "() { echo somebody; }",
  };
  const { stdout } = spawnSync(join(folder, "sh"), [WINDOW, file], { env, cwd: "/", encoding: "utf8" });
  const left = stdout.split("\n").filter((line) => line !== "" && !OF_SHELLS.test(line));
  expect(left.toSorted()).toEqual(["KEY=a b", "TERM=screen", "TMUX=/tmp/a b,1,0", "TMUX_PANE=%1"]);
});
