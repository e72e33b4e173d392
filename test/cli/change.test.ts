/** The doors of a change: what each does is decided by its phase, and by nothing else. */
import { claim, newFence, settle } from "../support/effects.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { CHANGE_FILES, runOfChange } from "../support/change.ts";
import { copyOf, prepareHome, removeHomes, type Prepared } from "../support/home.ts";

afterAll(removeHomes);

const origin = prepareHome(CHANGE_FILES);
await origin.call("trust");

/** How a change comes to be in a state. */
const WAYS: Readonly<Record<string, readonly string[]>> = {
  drafting: [],
  challenged: ["challenged"],
  rejected: ["rejected"],
  building: ["challenged", "building"],
  halted: ["challenged", "halted"],
  complete: ["challenged", "building", "complete"],
  merging: ["challenged", "building", "complete", "merging"],
  archived: ["challenged", "building", "complete", "merging", "archived"],
};

async function changeIn(state: string): Promise<Prepared> {
  const on = copyOf(origin);
  expect((await on.call(["plan", "x", "something", "--detach"])).stderr).toContain("next");
  for (const to of WAYS[state] ?? []) await on.call(`move ${runOfChange(on.repo, "x")} ${to}`);
  return on;
}

const stateOf = (on: Prepared): Promise<string> =>
  on.withStore(async (store) => (await store.load(runOfChange(on.repo, "x")))?.run.state ?? "");

/** For each state: what each door answers with, and where the change is then. */
const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  drafting: {
    plan: "0 ok drafting",
    impl: "4 not-ready",
    archive: "4 not-ready",
    reopen: "4 not-ready",
  },
  challenged: {
    plan: "3 waiting-for-person challenged",
    impl: "0 ok building",
    archive: "4 not-ready",
    reopen: "4 not-ready",
  },
  rejected: {
    plan: "3 waiting-for-person",
    impl: "4 not-ready",
    archive: "4 not-ready",
    reopen: "0 ok drafting",
  },
  building: {
    plan: "3 waiting-for-person building",
    impl: "0 ok building",
    archive: "4 not-ready",
    reopen: "0 ok building",
  },
  halted: {
    plan: "3 waiting-for-person halted",
    impl: "0 ok halted",
    archive: "4 not-ready",
    reopen: "0 ok building",
  },
  complete: {
    plan: "3 waiting-for-person complete",
    impl: "4 not-ready",
    archive: "0 ok merging",
    reopen: "4 not-ready",
  },
  merging: {
    plan: "3 waiting-for-person merging",
    impl: "4 not-ready",
    archive: "0 ok merging",
    reopen: "4 not-ready",
  },
  archived: {
    plan: "0 ok archived",
    impl: "4 not-ready",
    archive: "4 not-ready",
    reopen: "4 not-ready",
  },
};

describe.for(Object.entries(TABLE))("in %s", ([state, doors]) => {
  test.for(Object.entries(doors))("%s: %s", async ([door, expected]) => {
    const on = await changeIn(state);
    const { code, stdout } = await on.call(`${door} x --detach --json`);
    const document = JSON.parse(stdout) as Record<string, string>;
    const [exit, word, to = state] = expected.split(" ");
    expect([code, document["code"], await stateOf(on)]).toEqual([Number(exit), word, to]);
    const isRefused = word === "not-ready";
    expect(document["message"]?.startsWith(`${door} has nothing to do: x is in ${state}`)).toBe(isRefused);
    expect(document["next"]).toMatch(
      isRefused ? /^signalbox (plan|impl|archive|reopen|show) x$/ : /^(signalbox .*)?$/,
    );
  });
});

describe("followed to its end", () => {
  test.for([
    ["plan", "challenged", 3, "x is in challenged\n"],
    ["impl", "challenged", 3, "Waits for you in building."],
    ["impl", "building", 3, "Waits for you in building."],
    ["impl", "halted", 3, "What now?"],
    ["archive", "merging", 3, "Waits for you in merging."],
  ] as const)("%s in %s", async ([door, state, exit, words]) => {
    const on = await changeIn(state);
    const { code, stdout } = await on.call(`${door} x`);
    expect(code).toBe(exit);
    expect(stdout).toContain(words);
  });
});

test("what the engine could not do is tried again by the door", async () => {
  const on = await changeIn("drafting");
  const id = runOfChange(on.repo, "x");
  const statuses = (): Promise<string[]> =>
    on.withStore(async (store) => (await store.deeds(id)).map(({ status }) => status));
  await on.withStore(async (store) => {
    const fence = await newFence(store);
    for (const { key } of await store.deeds(id)) {
      await claim(store, key, { fence: fence, leaseUntil: Date.now() + 1000 });
      await settle(store, key, {
        fence: fence,
        outcome: { type: "attention", note: "in the way", next: "" },
      });
    }
  });
  expect(await statuses()).toContain("attention");
  const { stderr } = await on.call("plan x --detach");
  expect(stderr).toContain("tried again: ");
  expect(await statuses()).not.toContain("attention");
});

describe("names", () => {
  test.for(["../x", "X", "a_b", "-a", "a-", "a/b", "", "a".repeat(65), "ä", "a b"])(
    "%j is none",
    async (name) => {
      const on = copyOf(origin);
      const { code, stdout } = await on.call(["plan", "--json", "--detach", "--", name, "something"]);
      expect([code, (JSON.parse(stdout) as { code: string }).code]).toEqual([2, "bad-name"]);
    },
  );

  test("a new one needs its description, and a folder of its own", async () => {
    const on = copyOf(origin);
    mkdirSync(join(on.repo, "changes/taken"), { recursive: true });
    writeFileSync(join(on.repo, "changes/taken/proposal.md"), "# Mine\n");
    for (const [line, exit, words] of [
      ["plan y", 2, "say what is wanted"],
      ["impl y", 4, 'has no run "y"'],
      ["plan taken something", 4, "changes/taken/proposal.md exists, and no run made it"],
    ] as const) {
      const { code, stderr } = await on.call(line);
      expect([line, code]).toEqual([line, exit]);
      expect(stderr).toContain(words);
    }
  });

  test("of one that was dropped is free again", async () => {
    const on = await changeIn("drafting");
    await on.call(`move ${runOfChange(on.repo, "x")} dropped`);
    const { stdout } = await on.call("plan x again --detach");
    expect(stdout.trim()).not.toBe(runOfChange(on.repo, "x"));
    const { stdout: same } = await on.call("plan x --detach");
    expect(same).toBe(stdout);
  });
});
