/** Free worktrees are removed by somebody who is killed over it: what is typed again finds them, and what is in them is kept. */

import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { clearFlows, makeFlow, type Flow } from "../flow-support.ts";
import { sampled } from "../../support/sampled.ts";

let flow: Flow;
beforeAll(async () => {
  if (isPerson) flow = await makeFlow(2);
});
afterAll(clearFlows);

const FEW = ["registry.after-retire", "workspace.before-remove", "registry.after-drop-pool"];
const MORE = [
  "registry.before-retire",
  "workspace.before-detach",
  "workspace.after-remove",
  "registry.before-drop-pool",
];
const PLACES = process.env["SIGNALBOX_DEEP"] === undefined ? FEW.slice(1, 2) : [...FEW, ...MORE];
/** Each with what is typed before it, and the worktrees that the pool has afterwards. */
const WAYS: readonly (readonly [line: string, before: string, stay: readonly string[]])[] = [
  ["workspace gc", "project update --pool-size 1", ["repo--1"]],
  ["project remove", "project list", []],
];

test.runIf(isPerson).for(
  sampled(
    1,
    WAYS.flatMap(([line, before, stay]) => PLACES.map((place) => [line, place, before, stay] as const)),
  ),
)("%s, killed at %s", async ([line, place, before, stay]) => {
  await flow.say("project add --pool-size 2");
  await flow.say("project update --pool-size 2");
  await flow.say("workspace init");
  const [folder, log] = [realpathSync(flow.home.worktrees), join(flow.root, "reached")];
  const said = `${line} at ${place}\n`;
  writeFileSync(join(folder, "repo--2", "IDEA.md"), said);
  await flow.say(before);

  const killed = { SIGNALBOX_FAILPOINT: place, SIGNALBOX_FAILPOINT_LOG: log };
  expect((await flow.say(line, killed)).code).toBeNull();
  expect(readFileSync(log, "utf8")).toContain(place);
  // Nobody is kept from working by what is left of it.
  expect(flow.withStore((store) => store.hasRoom(flow.repo))).toBe(true);
  const again = await flow.say(line);
  expect([again.code, again.document["left"] ?? []]).toEqual([0, []]);

  const known = flow.git("worktree", "list", "--porcelain").match(/(?<=^worktree ).*/gm);
  expect(known).toEqual([realpathSync(flow.repo), ...stay.map((name) => join(folder, name))]);
  expect(existsSync(join(folder, "repo--2"))).toBe(false);
  expect(flow.withStore((store) => store.pool(flow.repo)).map(({ name }) => name)).toEqual(stay);
  expect(`${flow.git("show", "refs/signalbox/salvage/pool-repo--2:IDEA.md")}\n`).toBe(said);
});
