/** Cells as command lines and profiles; what they keep back is tried in test/sandbox. */

import { describe, expect, test } from "vitest";
import { mergeLayers } from "../../src/adapters/config/read.ts";
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
      configs.map((config) => ({ config, folder: "/", placeOf: () => ({ file: "f", line: 1, col: 1 }) })),
      { home: "/home/ada", repo: "/home/ada/shop" },
    ).settings;

  test.for<[ConfigFile["sandbox"], ConfigFile["sandbox"], string]>([
    [undefined, undefined, "auto"],
    ["off", undefined, "off"],
    ["off", "auto", "auto"],
    ["required", "off", "required"],
    [undefined, "off", "auto"],
    [undefined, "required", "required"],
  ])("a person says %s and a repository %s: %s", ([own, repository, expected]) => {
    const of = (sandbox: ConfigFile["sandbox"]): ConfigFile => (sandbox === undefined ? {} : { sandbox });
    expect(merged(of(own), of(repository)).sandbox).toBe(expected);
  });

  test("what a person opens is opened for all projects, or for one", () => {
    const reach = {
      "*": { read: ["~/a"] },
      "~/shop": { write: ["/s"] },
      "~/other": { devices: ["/dev/kvm"] },
    };
    expect(merged({ reach }).reach).toEqual({ read: ["/home/ada/a"], write: ["/s"], devices: [] });
  });
});
