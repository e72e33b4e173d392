/** Work that takes git long, that it cannot read, or that the disk has no room for. */
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { gitWorkspaces } from "../../src/adapters/git/workspace/workspaces.ts";
import { apart, canMount, put, removeSites, site } from "../support/git.ts";

afterAll(removeSites);

const ARTIFACTS = ["TASK.md"];

async function prepared() {
  const of = site();
  const wanted = { run: "r1", repo: of.repo, branch: "signalbox/r1", base: of.base, artifacts: ARTIFACTS };
  const { path } = await of.workspaces.prepare(wanted);
  return { of, path, digest: () => of.workspaces.digest(path, ARTIFACTS) };
}

test.for<[string, string, Readonly<Record<string, string>>]>([
  [
    "a file in another encoding than its attribute says",
    "bad.u16",
    { ".gitattributes": "*.u16 text working-tree-encoding=UTF-16\n", "bad.u16": "no mark" },
  ],
  ["a file in a folder that git takes for its own", "x/.GIT/config", { "x/.GIT/config": "[core]\n" }],
])("%s is refused by its name, and release keeps it", async ([, file, files]) => {
  const { of, path, digest } = await prepared();
  put(path, { ...files, "late.txt": "late\n" });
  await expect(digest()).rejects.toMatchObject({
    name: "UserError",
    code: "unreadable-work",
    message: expect.stringContaining(`Git cannot read ${file} in ${path}: `) as string,
    next: `fix or remove ${join(path, file)}`,
  });
  const keep = join(of.root, "keep");
  await of.workspaces.release({ run: "r1", repo: of.repo, path, keep });
  for (const [name, text] of Object.entries({ ...files, "late.txt": "late\n" }))
    expect(readFileSync(join(keep, "workspace", name), "utf8")).toBe(text);
});

test.runIf(canMount)("a full disk is reported as such, and leaves no half of a file", async () => {
  const { of, path } = await prepared();
  put(path, { "big.bin": randomBytes(6 * 2 ** 20) });
  const copy = join(of.root, "copy");
  renameSync(of.home.root, copy);
  mkdirSync(of.home.root);
  // Room for the workspace, and for half of the object. What is left afterwards is counted in the same file system.
  const mount = `mount -t tmpfs -o size=10m none '${of.home.root}' && cp -a '${copy}/.' '${of.home.root}'
"$0" --disable-warning=ExperimentalWarning "$1" || find '${of.home.root}' -name 'tmp_*' | wc -l; exit 0`;
  const release = { run: "r1", repo: of.repo, path, keep: join(of.root, "keep") };
  const { out, err } = await apart(of, { do: "release", with: release, mount });
  expect(err).toContain(`no room is left on the disk of ${mirrorOf(of.home, of.repo)}`);
  expect(out.trim()).toBe("0");
});

test("a git that takes long is given its time, and is not started again", { timeout: 60_000 }, async () => {
  const { of, path } = await prepared();
  const bin = join(of.root, "bin");
  // A git that takes its time with `add`, and counts how often it is called.
  put(bin, {
    git: `#!/bin/sh\ncase " $* " in *" add "*) echo x >>'${join(of.root, "adds")}'; sleep 6 ;; esac\nPATH='${of.env["PATH"] ?? ""}' exec git "$@"\n`,
  });
  chmodSync(join(bin, "git"), 0o755);
  put(path, { "new.txt": "new\n" });
  const env = { ...of.env, PATH: `${bin}${delimiter}${of.env["PATH"] ?? ""}` };
  await gitWorkspaces({ home: of.home, env }).digest(path, ARTIFACTS);
  expect(readFileSync(join(of.root, "adds"), "utf8")).toBe("x\n");
});
