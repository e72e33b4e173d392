/**
 * What a person types about tasks, killed at every named place of its own and typed again: nothing is lost, nothing done twice.
 *
 * The lives of `failpoints.test.ts` never get there: nobody merges, asks for changes, or takes back what was kept.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { diceOf } from "../../../src/app/workflows/simulate.ts";
import { isPerson } from "../../support/person.ts";
import { clearFlows, makeFlow, type Flow } from "../flow-support.ts";
import { processesOf } from "./life.ts";

afterEach(clearFlows);

const PLACES = [
  ...["project", "depends", "drop-project"].flatMap((what) => around("registry", what)),
  ...["note", "files", "ref", "forget", "delete"].flatMap((what) => around("merge", what)),
  ...around("salvage", "restore"),
  ...around("stop", "halt"),
  ...around("resume", "go-on"),
  ...around("texts", "show"),
];
/** Who was killed after the last step, and types it again, is told that it is there already, or gone. */
const REFUSED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "salvage.after-restore": { restore: 6 },
  "registry.after-drop-project": { remove: 2 },
  // The move is in the journal, and its words with it.
  "texts.before-show": { changes: 4 },
  "texts.after-show": { changes: 4 },
};
const dice = diceOf(Number(process.env["SIGNALBOX_SEED"]));
const chosen =
  process.env["SIGNALBOX_DEEP"] === undefined ? [PLACES[Math.floor(dice() * PLACES.length)] ?? ""] : PLACES;

test.runIf(isPerson).for(chosen)("killed at %s", async (place) => {
  const flow = await makeFlow(1);
  const log = join(flow.root, "failpoints");
  /** Typed again by somebody whose command was killed. Gives the exit code. */
  const insist = async (line: string): Promise<number | null> => {
    const { code } = await flow.say(line, { SIGNALBOX_FAILPOINT: place, SIGNALBOX_FAILPOINT_LOG: log });
    return code ?? (await flow.say(line)).code;
  };
  const remote = join(flow.root, "remote.git");
  execFileSync("git", ["clone", "-q", "--bare", flow.repo, remote]);
  const said: Record<string, unknown> = {};
  said["project update"] = await insist(`project update --agents 1 --remote ${remote}`);

  const first = await flow.create("the first");
  await flow.until(first, ["reviewing"]);
  const second = await flow.create("the second", "--no-start");
  said["depends"] = await insist(`task update ${second} --depends-on ${first}`);
  // Its worker has been told of the review, and takes a turn for that.
  await quiet(flow);
  said["changes"] = await insist(`task request-changes ${first} "once more"`);
  // A person whose command is refused looks why: that wakes the supervisor.
  await flow.say(`show ${first}`);
  await flow.until(first, ["reviewing"]);
  await quiet(flow);
  said["stop"] = await insist(`stop ${first}`);
  said["resume"] = await insist(`resume ${first}`);
  const branch = await flow.withStore(async (store) => (await store.workspace(first))?.branch ?? "");
  flow.git("push", "-q", remote, branch);
  said["merge"] = await insist(`task merge ${first} --delete-remote`);
  await flow.until(first, ["done"]);

  await flow.say(`task start ${second}`);
  await flow.until(second, ["reviewing"]);
  await quiet(flow);
  const workspace = await flow.withStore(async (store) => (await store.workspace(second))?.path ?? "");
  // The nested repository keeps the cancellation from handing anything over: the release keeps all of it.
  writeFileSync(join(workspace, "IDEA.md"), "half a thought\n");
  execFileSync("git", ["init", "-q", join(workspace, "nested")]);
  writeFileSync(join(workspace, "nested/NOTE.md"), "kept\n");
  await flow.say(`task cancel ${second} --yes`);
  await expect
    .poll(() => flow.withStore(async (store) => (await store.workspace(second))?.status), { timeout: 60_000 })
    .toBe("released");
  const found = join(flow.root, "found");
  said["restore"] = await insist(`salvage restore ${second} ${found}`);
  said["remove"] = await insist("project remove");

  expect(said).toEqual({
    ...Object.fromEntries(Object.keys(said).map((what) => [what, 0])),
    ...REFUSED[place],
  });
  expect(existsSync(log) ? readFileSync(log, "utf8").trim() : "never reached").toBe(place);
  expect(await stateOf(flow, { first, found, remote, branch })).toEqual({
    merged: first,
    kept: ["kept\n", "half a thought\n"],
    remote: "",
    checkout: "",
    worktrees: 1,
    verified: 0,
    notes: false,
  });
});

async function quiet(flow: Flow): Promise<void> {
  await expect.poll(() => processesOf(flow).length, { timeout: 60_000 }).toBe(0);
}

async function stateOf(
  flow: Flow,
  of: { first: string; found: string; remote: string; branch: string },
): Promise<unknown> {
  return {
    merged: flow.git("show", `main:work-${of.first}.txt`),
    kept: ["nested/NOTE.md", "IDEA.md"].map((name) => readFileSync(join(of.found, name), "utf8")),
    remote: flow.git("ls-remote", of.remote, `refs/heads/${of.branch}`),
    checkout: flow.git("status", "--porcelain"),
    worktrees: flow.git("worktree", "list").split("\n").length,
    verified: (await flow.say("verify --all")).code,
    notes: flow.git("fsck").includes("missing"),
  };
}

function around(area: string, what: string): string[] {
  return [`${area}.before-${what}`, `${area}.after-${what}`];
}
