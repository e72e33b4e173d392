/** The limits of an agent while a person is asked for permission, and after the answer. */
import { expect, test } from "vitest";
import type { Event } from "../../src/core/model/event.ts";
import type { Works } from "../../src/engine/box.ts";
import type { JobRow } from "../../src/engine/ports/registry.ts";
import type { Hands } from "../../src/engine/supervise/in-progress.ts";
import { Watch } from "../../src/engine/supervise/watch.ts";

const MINUTE = 60_000;
const WORKER = { role: "worker", slot: "", attempt: 1 };
/** Began at 0, may work for 60 minutes, and be silent for 10. */
const JOB: JobRow = {
  id: "a.worker.1.1",
  run: "a",
  kind: "turn",
  ...WORKER,
  artifact: "",
  tree: "",
  dir: "",
  startedAt: 0,
  endsBy: 60 * MINUTE,
  stallMs: 10 * MINUTE,
  killed: "",
  status: "live",
  seat: "",
};

type Asked = readonly [id: string, from: number, until?: number | undefined, by?: typeof WORKER];

/** Whether the agent is ended at this minute, when it last printed something at that one. */
async function isEnded(now: number, heard: number, asked: readonly Asked[]): Promise<boolean> {
  const at = (minute: number): string => new Date(minute * MINUTE).toISOString();
  const events: { at: string; event: Event }[] = asked.flatMap(([id, from, until, by = WORKER]) => [
    {
      at: at(from),
      event: {
        type: "permission-asked",
        by: { type: "agent", ...by },
        at: at(from),
        id,
        tool: "t",
        input: "",
      },
    },
    ...(until === undefined
      ? []
      : [
          {
            at: at(until),
            event: { type: "permission-closed", id, tool: "t", answer: "allow", by: "ada" },
          } as const,
        ]),
  ]);
  events.sort((a, b) => (a.at < b.at ? -1 : 1));
  const open = asked.filter(([, , until]) => until === undefined);
  const permissions = open.map(([id, , , by = WORKER]) => ({ ...by, id, tool: "t", input: "", at: "" }));
  let ended = false;
  const works = {
    clock: { now: () => now * MINUTE, mono: () => now * MINUTE },
    processes: {
      reported: () => [],
      probe: () => ({ type: "alive", pid: 1, outputAt: heard * MINUTE }),
      rotate: () => undefined,
    },
    store: {
      haltedJobs: () => Promise.resolve([]),
      jobs: () => Promise.resolve([JOB]),
      behind: () => Promise.resolve([]),
      load: () => Promise.resolve({ run: { seq: events.length, permissions } }),
      events: (_run: string, from: number, count: number) =>
        Promise.resolve(events.slice(from - 1, from - 1 + count)),
    },
  } as unknown as Works;
  const hands = { isBusyWith: () => false, take: () => (ended = true) } as unknown as Hands;
  await new Watch(works, 1000).look(hands);
  return ended;
}

test.for<[what: string, now: number, heard: number, asked: readonly Asked[], isEnded: boolean]>([
  ["silent for long", 20, 5, [], true],
  ["silent while a person is asked", 500, 5, [["p", 6]], false],
  [
    "silent while a person is asked by another agent",
    20,
    5,
    [["p", 6, undefined, { ...WORKER, attempt: 2 }]],
    true,
  ],
  ["silent since, shortly after the answer", 105, 5, [["p", 6, 100]], false],
  ["silent for long after the answer", 111, 5, [["p", 6, 100]], true],
  ["at work for less than its time without the waiting", 150, 149, [["p", 6, 100]], false],
  ["at work for longer than its time without the waiting", 155, 154, [["p", 6, 100]], true],
  [
    "two requests at once count once",
    155,
    154,
    [
      ["p", 6, 100],
      ["q", 7, 90],
    ],
    true,
  ],
  [
    "two requests one after the other count both",
    155,
    154,
    [
      ["p", 6, 100],
      ["q", 101, 140],
    ],
    false,
  ],
  ["a wait before the turn counts nothing", 61, 60, [["p", -100, -50]], true],
])("%s", async ([, now, heard, asked, ended]) => {
  expect(await isEnded(now, heard, asked)).toBe(ended);
});
