/** Cells as command lines and profiles; what they keep back is tried in test/sandbox. */

import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mergeLayers } from "../../src/adapters/config/read.ts";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { grantsFor } from "../../src/adapters/sandbox/grants.ts";
import { bubblewrapped } from "../../src/adapters/sandbox/bubblewrap.ts";
import { reasonOf, type KernelRules } from "../../src/adapters/sandbox/probe.ts";
import { seatbeltProfile } from "../../src/adapters/sandbox/seatbelt.ts";
import type { ConfigFile } from "../../src/format/settings/config.ts";

const CALM: KernelRules = { apparmor: 0, clone: 1, userNamespaces: 1000, isContainer: false };

test.for<[Partial<KernelRules>, string, string]>([
  [{ apparmor: 1 }, "AppArmor", "/etc/apparmor.d/bwrap"],
  [{ isContainer: true, apparmor: 1 }, "container", "seccomp=unconfined"],
  [{ clone: 0 }, "only root", "kernel.unprivileged_userns_clone=1"],
  [{ userNamespaces: 0 }, "no user namespaces", "user.max_user_namespaces"],
  [{}, "refuses", "bwrap"],
])("%o is explained with %s, and %s mends it", ([rules, why, next]) => {
  const said = reasonOf({ ...CALM, ...rules });
  expect(said.why).toContain(why);
  expect(said.next).toContain(next);
});

const COMMAND = { mounts: [], env: { A: "1", B: undefined }, cwd: "/w", stdin: "/p", argv: ["agent", "-x"] };
const BWRAP = { program: "/usr/bin/bwrap", filter: "/f" };

test.for<[boolean, boolean]>([
  [true, false],
  [false, true],
])("in a terminal (%s) it has no session of its own: window changes arrive", ([hasTerminal, isApart]) => {
  expect(bubblewrapped(BWRAP, { ...COMMAND, hasTerminal }).includes("--new-session")).toBe(isApart);
});

test("root has no capabilities inside, and everybody dies with the shim", () => {
  const line = bubblewrapped(BWRAP, { ...COMMAND, hasTerminal: false }, true).join(" ");
  expect(line).toContain("--unshare-user --cap-drop ALL");
  expect(line).toContain("--die-with-parent");
  expect(line).toContain("--setenv A 1 --unsetenv B --");
});

test("a profile for macOS shows what a cell shows, and the rules for reading come last", () => {
  const grants = [
    { type: "read", from: "/usr", to: "/usr" },
    { type: "write", from: '/w "x"', to: '/w "x"' },
    { type: "read", from: '/w "x"/.git', to: '/w "x"/.git' },
    { type: "mask", to: "/etc/shadow", isFolder: false },
  ] as const;
  const lines = seatbeltProfile({ mounts: grants }).split("\n");
  expect(lines.slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
  expect(lines).toContain(String.raw`(allow file-write* (subpath "/w \"x\""))`);
  expect(lines.indexOf(String.raw`(deny file-write* (subpath "/w \"x\"/.git"))`)).toBeGreaterThan(
    lines.indexOf(String.raw`(allow file-write* (subpath "/w \"x\""))`),
  );
  expect(lines.join("\n")).not.toContain("shadow");
});

describe("settings", () => {
  const merged = (...configs: readonly ConfigFile[]) =>
    mergeLayers(
      configs.map((config, i) => ({
        config,
        folder: "/home/ada/shop",
        from: i === 0 ? ("user" as const) : ("repository" as const),
        placeOf: (path: readonly string[]) => ({ file: path.join("."), line: 1, col: 1 }),
      })),
      { home: "/home/ada", repo: "/home/ada/shop", kept: ["/home/ada/.config/signalbox", "/home/ada/state"] },
    );

  test.for<[ConfigFile["sandbox"], ConfigFile["sandbox"], string]>([
    [undefined, undefined, "auto"],
    ["off", undefined, "off"],
    ["off", "auto", "auto"],
    ["required", "off", "required"],
    [undefined, "off", "auto"],
    [undefined, "required", "required"],
  ])("a person says %s and a repository %s: %s", ([own, repository, expected]) => {
    const of = (sandbox: ConfigFile["sandbox"]): ConfigFile => (sandbox === undefined ? {} : { sandbox });
    expect(merged(of(own), of(repository)).settings.sandbox).toBe(expected);
  });

  test("what a person opens is opened for all projects, or for one", () => {
    const reach = {
      "*": { read: ["~/a"] },
      "~/shop": { write: ["/s"] },
      "~/other": { devices: ["/dev/kvm"] },
    };
    expect(merged({ reach }).settings.reach).toEqual({ read: ["/home/ada/a"], write: ["/s"], devices: [] });
  });

  test.for<[string, "user" | "repository", boolean]>([
    ["~/.ssh", "user", true],
    ["~/.config/pip", "user", true],
    ["~/.config", "user", false],
    ["~/.config/signalbox/human.key", "user", false],
    ["~/state/workspaces", "user", false],
    ["/", "user", false],
    ["~/.ssh", "repository", false],
    ["../other", "repository", false],
    [".", "repository", false],
    [".git/hooks", "repository", false],
    [".signalbox", "repository", false],
    ["build/../../other", "repository", false],
    ["build/cache", "repository", true],
  ])("the folder %s of a %s's harness: %s", ([folder, from, isOpen]) => {
    const own: ConfigFile = { harnesses: { claude: { folders: [folder] } } };
    const { problems } = from === "user" ? merged(own) : merged({}, own);
    const at = { file: "harnesses.claude.folders", message: expect.stringContaining(folder) as string };
    expect(problems).toMatchObject(isOpen ? [] : [at]);
  });

  test("nobody opens the folder of the human key by reach", () => {
    const { problems } = merged({
      reach: { "*": { read: ["~/.config/signalbox"], write: ["/home", "/srv"] } },
    });
    expect(problems.map(({ file }) => file)).toEqual(["reach.*.read", "reach.*.write"]);
  });

  test("files in command lines: a person's are shown, a repository's where they are its own", () => {
    const command = (...more: readonly string[]): ConfigFile => ({
      harnesses: { own: { command: ["sh", ...more] } },
    });
    const { settings } = merged(
      command("/home/ada/bin/x"),
      command(".signalbox/y", "--z=/home/ada/.ssh", "/home/ada/shop/../.aws", "/home/ada/shop/.git/config"),
    );
    expect(settings.harness("own")?.files).toEqual(["/home/ada/bin/x", "/home/ada/shop/.signalbox/y"]);
  });
});

test("what is named is not shown where a link leads out of the repository, or to what is kept", () => {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "sbx-named-"));
  const at = (path: string): string => join(root, path);
  for (const name of ["repo/build", "state", "config/signalbox", "ssh"])
    mkdirSync(at(name), { recursive: true });
  for (const name of ["agent.sh", "human.key"]) writeFileSync(at(`config/signalbox/${name}`), "");
  symlinkSync(at("ssh"), at("repo/planted"));
  symlinkSync(at("config"), at("harmless"));
  const { mounts } = grantsFor(
    { id: "j", dir: at("d"), argv: ["/bin/true"], cwd: root, env: { HOME: at("person") }, stdin: "" },
    {
      repo: at("repo"),
      kind: "check",
      writable: [],
      readable: [],
      keep: at("state/keep"),
      files: { settings: [], credentials: [] },
      named: {
        read: [at("ssh"), at("config/signalbox/human.key"), at("config/signalbox/agent.sh")],
        write: [at("repo/build"), at("repo/planted")],
      },
      reach: { read: [at("harmless"), at("config/signalbox")], write: [root, at("state")], devices: [] },
    },
    {
      home: homeAt(at("state")),
      person: { HOME: at("person"), XDG_CONFIG_HOME: at("config") },
      cache: at("state/caches"),
      socket: "",
    },
  );
  const named = mounts.flatMap((mount) => ("from" in mount && mount.from === mount.to ? [mount.to] : []));
  expect(named.filter((path) => path.startsWith(root))).toEqual([
    at("repo/build"),
    at("config/signalbox/agent.sh"),
    at("ssh"),
  ]);
});
