/** Paths in messages are shown as people would type them where they are, and what is shown can be typed. */
import { expect, test } from "vitest";
import { UserError } from "../../src/adapters/user-error.ts";
import { failureOf } from "../../src/app/failure.ts";

test.for<[string, cwd: string, text: string, shown: string]>([
  ["a path below", "/home/ada", "look at /home/ada/a.md", "look at a.md"],
  ["in quotes", "/home/ada", "'/home/ada/a b.md' (/home/ada/c)", "'a b.md' (c)"],
  ["twice", "/home/ada", "/home/ada/a and /home/ada/b", "a and b"],
  ["the folder itself", "/home/ada", "in /home/ada", "in /home/ada"],
  ["the name in the middle of another path", "/tmp", "/var/tmp/x and /tmp/y", "/var/tmp/x and y"],
  ["the root", "/", "look at /a", "look at /a"],
  [
    "a command for another folder",
    "/w",
    "git -C '/r/lib' fetch '/w/lib' HEAD",
    "git -C '/r/lib' fetch '/w/lib' HEAD",
  ],
])("%s", async ([, cwd, text, shown]) => {
  const { next } = await failureOf(new UserError("no", "No.", text), { cwd, env: {} });
  expect(next).toBe(shown);
});
