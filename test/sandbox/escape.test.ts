/** Every row of the table of threats, tried by a hostile program: inside of the sandbox, and without one. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isBwrapThere, leftBehind, makeWorld, type World } from "./world.ts";

const PAGE = join(import.meta.dirname, "../../docs/sandbox.md");
const HOSTILE = join(import.meta.dirname, "hostile.ts");
const NODE = process.execPath;

/** Told by what is outside afterwards, whatever the program thinks. */
const OUTSIDE: Readonly<Record<string, (world: World) => boolean>> = {
  "send a signal to a process outside": (world) => !world.isOutsiderAlive(),
  "leave a process behind": (world) => leftBehind(world.targets["mark"]).length > 0,
  "write the journal, or anything else in the state home": (world) =>
    existsSync(join(world.root, "state/planted")) || isPlanted(world, "state/signalbox.db"),
  "change settings that the person's agent programs run hooks from": (world) =>
    isPlanted(world, "person/.claude/settings.json"),
  "leave links for its next turn to mount or write through": ({ root }) =>
    readdirSync(join(root, "outside")).length > 0,
  "change the person's `.gitconfig` or shell profile": (world) =>
    isPlanted(world, "person/.gitconfig") || isPlanted(world, "person/.bashrc"),
};

/** Whether the filter of system calls said no, or anything else. */
const FILTERED: ReadonlySet<string> = new Set([
  "type into the terminal that it is shown in",
  "read the person's kernel key ring",
]);

/** Where agents are started by somebody else than root, the system keeps these back anyway. */
const OF_ROOT: ReadonlySet<string> = new Set([
  "read what only root may read, where root starts agents",
  "mount a disk, or make a device",
  "change settings of the kernel",
]);

function isPlanted({ root }: World, file: string): boolean {
  return readFileSync(join(root, file), "utf8").includes("planted");
}

/** Rows that test/sandbox/calls.test.ts tries. */
const OF_CALLS = "calls.test.ts";

type Row = {
  readonly channel: string;
  readonly inside: string;
  readonly without: string;
  readonly test: string;
};

function rows(): readonly Row[] {
  const [, table = ""] = readFileSync(PAGE, "utf8").split("## Threats");
  return table.split("\n").flatMap((line): readonly Row[] => {
    const [, channel = "", inside = "", without = "", how = ""] = line.split("|").map((cell) => cell.trim());
    return line.startsWith("| ") && inside !== "in the sandbox"
      ? [{ channel, inside: word(inside), without: word(without), test: how }]
      : [];
  });
}

function word(cell: string): string {
  return (
    cell
      .replaceAll("**", "")
      .split(/[:,;(]/)[0]
      ?.trim() ?? ""
  );
}

/** What the page says, as what a hostile program sees. */
const REACHED: Readonly<Record<string, boolean>> = {
  prevented: false,
  refused: false,
  "not covered": true,
  shown: true,
  "not prevented": true,
};

describe.skipIf(!isBwrapThere()).for([true, false])("in a sandbox: %s", (isConfined) => {
  let world: World;
  let results: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    world = await makeWorld();
    // Two turns of one attempt: the first one leaves what the second one may profit from.
    if (isConfined)
      await world.run([NODE, HOSTILE, JSON.stringify({ ...world.targets, plants: "yes" })], { isConfined });
    const { said } = await world.run([NODE, HOSTILE, JSON.stringify(world.targets)], { isConfined });
    // The first process of the namespace ends a moment after bwrap has told how the program ended, and all others with it.
    if (isConfined) await vi.waitUntil(() => leftBehind(world.targets["mark"]).length === 0, 5000);
    try {
      results = JSON.parse(
        readFileSync(join(String(world.targets["work"]), "results.json"), "utf8"),
      ) as typeof results;
    } catch (error) {
      throw new Error(said, { cause: error });
    }
  });
  afterAll(async () => world.close());

  test.for(rows().filter((row) => !row.test.includes(OF_CALLS)))(
    "$channel",
    ({ channel, inside, without }) => {
      const seen = results[channel];
      expect(seen, `${channel} is not tried`).toBeDefined();
      const isReached = FILTERED.has(channel)
        ? seen !== "kept: errno 1"
        : (OUTSIDE[channel]?.(world) ?? seen === "reached");
      const isKeptAnyway = OF_ROOT.has(channel) && process.getuid?.() !== 0;
      expect(isReached, `${seen}`).toBe(!isKeptAnyway && REACHED[isConfined ? inside : without]);
    },
  );

  test("every channel that is tried has a row", () => {
    const known = new Set(rows().map(({ channel }) => channel));
    expect(Object.keys(results).filter((channel) => !known.has(channel))).toEqual([]);
  });
});
