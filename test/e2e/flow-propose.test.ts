/** Reviewed work becomes a pull request, for teams whose default branch nobody pushes to. */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeGh, pullRequests, setMood } from "../support/gh.ts";
import { isPerson } from "../support/person.ts";
import { clearFlows, makeFlow, type Flow } from "./flow-support.ts";

afterEach(clearFlows);

const REMOTE = "https://forge.example/o/n.git";

type Forge = {
  readonly flow: Flow;
  readonly user: string;
  readonly bare: string;
  readonly run: string;
  /** A command of the person, whose PATH has gh. */
  readonly say: (line: string) => ReturnType<Flow["say"]>;
};

/** A task that was reviewed, in a project whose remote git finds on this disk. */
async function forge({ remote = REMOTE } = {}): Promise<Forge> {
  const flow = await makeFlow(1);
  const user = join(flow.root, "person");
  const bin = join(flow.root, "bin");
  makeGh(bin, user);
  const bare = join(user, "gh/remote.git");
  execFileSync("git", ["clone", "-q", "--bare", flow.repo, bare]);
  execFileSync("git", ["config", "--global", `url.${bare}.insteadOf`, REMOTE], { env: flow.env });
  if (remote !== "") await flow.say(`project update --remote ${remote}`);
  const run = await flow.create("Write a file");
  await flow.until(run, ["reviewing"]);
  const env = { PATH: `${bin}:${flow.env["PATH"] ?? ""}` };
  return { flow, user, bare, run, say: (line) => flow.say(line, env) };
}

test.runIf(isPerson)(
  "pushed and opened once; the task waits until it is merged, and a person ends it then",
  { timeout: 120_000 },
  async () => {
    const { flow, user, bare, run, say } = await forge();
    const main = flow.git("rev-parse", "main");
    const opened = await say(`accept ${run} --pull-request`);
    expect(opened).toMatchObject({
      code: 0,
      document: {
        how: "pull-request",
        from: "reviewing",
        to: "reviewing",
        into: "main",
        branch: "write-file",
      },
    });
    expect(opened.document["message"]).toBe(
      "pull request https://forge.example/o/n/pull/1: write-file into main",
    );
    expect(await say(`accept ${run} --strategy pull-request`)).toMatchObject({ code: 0 });
    expect(pullRequests(user)).toMatchObject([
      { title: "Write a file", headRefOid: opened.document["work"] },
    ]);
    expect(flow.git("rev-parse", "main")).toBe(main);
    expect(await flow.state(run)).toBe("reviewing");
    const history = await say(`history ${run}`);
    expect(JSON.stringify(history.document).match(/pull request https/g)).toHaveLength(1);

    // Sent back, changed and reviewed again: the same pull request has the new commits.
    const tip = (): string =>
      execFileSync("git", ["rev-parse", "refs/heads/write-file"], { cwd: bare, encoding: "utf8" }).trim();
    writeFileSync(join(flow.ledger, `${run}.half`), "");
    expect((await say(`send-back ${run} "one more file"`)).code).toBe(0);
    await flow.until(run, ["reviewing"]);
    const again = await say(`accept ${run} --pull-request`);
    expect(again.document["work"]).not.toBe(opened.document["work"]);
    expect([tip(), pullRequests(user).length]).toEqual([again.document["work"], 1]);

    execFileSync("git", ["update-ref", "refs/heads/main", "refs/heads/write-file"], { cwd: bare });
    flow.git("pull", "-q", "--ff-only", bare, "main");
    expect(await say(`accept ${run}`)).toMatchObject({ code: 0, document: { how: "already", to: "done" } });
  },
);

test.runIf(isPerson).for<[what: string, mood: string, remote: string, code: number, message: RegExp]>([
  ["no remote", "", "", 5, /the project has no remote/],
  ["gh is not logged in", "logged-out", REMOTE, 5, /gh is not logged in: gh auth login/],
  ["no network", "offline", REMOTE, 1, /error connecting to api\.github\.com/],
])("%s: the reason is said, and the task waits", async ([, mood, remote, code, message]) => {
  const { flow, user, run, say } = await forge({ remote });
  setMood(user, mood);
  const refused = await say(`accept ${run} --pull-request`);
  expect(refused.code).toBe(code);
  expect(refused.document["message"]).toMatch(message);
  expect(refused.document["message"]).toMatch(/Nothing was merged\.$/);
  expect(await flow.state(run)).toBe("reviewing");
});

test.runIf(isPerson)("work that no review passed is not proposed", async () => {
  const { flow, user, run, say } = await forge();
  await say(`send-back ${run} "again"`);
  const refused = await say(`accept ${run} --pull-request`);
  expect(refused.code).not.toBe(0);
  expect(pullRequests(user)).toEqual([]);
  expect((await say(`accept ${run} --squash --pull-request`)).code).toBe(2);
  await flow.until(run, ["reviewing"]);
});
