/** What somebody writes straight into the database is found: a changed record, a forged act, a decision that nobody made. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { procsOf } from "../support/procs.ts";
import { apply } from "../../src/core/step/apply.ts";
import type { Actor, Event } from "../../src/core/model/event.ts";
import type { Proof } from "../../src/engine/ports/journal.ts";
import type { ChainPlace } from "../../src/engine/submit/write.ts";
import { answered, AT, handedIn, machine, PERSON, type Machine } from "./reading-support.ts";

const ID = "abcd1234";

async function asked(): Promise<Machine> {
  const on = await machine();
  await on.begin(ID);
  await on.happen(ID, handedIn);
  return on;
}

/** As an agent would that has the code of this program: the chain holds, the row fits. */
async function forge(
  on: Machine,
  events: readonly Event[],
  { prove, ...how }: { readonly by: Actor; readonly prove?: (link: ChainPlace) => Proof },
): Promise<void> {
  const kept = await on.store.load(ID);
  if (kept === undefined) throw new Error("no run");
  let after = kept.run;
  for (const event of events) after = apply(after, event);
  await on.store.commit([
    {
      type: "append",
      entry: {
        run: ID,
        seq: kept.run.seq,
        head: kept.row.head,
        at: AT,
        events,
        after,
        status: "done",
        deeds: [],
        ...how,
        ...(prove === undefined ? {} : { proof: prove({ seq: kept.run.seq + 1, prev: kept.row.head }) }),
      },
    },
  ]);
}

const ANSWER: Event = {
  type: "answered",
  by: PERSON,
  at: AT,
  ask: "send",
  answer: "send",
  shown: `letter=d-${ID}`,
};
const CLOSED: Event = {
  type: "question-closed",
  ask: "send",
  id: "UD-1",
  answer: "send",
  text: "",
  by: "ann",
};
const WAIVED: Event = {
  type: "waiver-given",
  artifact: "letter",
  reason: "good enough",
  tree: "t1",
  by: "ann",
};
const LOOKED: Event = { type: "observed", at: AT };
const WORKER: Actor = { type: "agent", role: "worker", slot: "", attempt: 1 };
const ENGINE: Actor = { type: "engine" };

function moved(rule: number, [from, to]: readonly [string, string], by: string): Event {
  return { type: "moved", rule, from, to, by, remember: false, reset: [], renew: [] };
}

/** Numbers of moves in the definition. */
const SEND = 4;
const TO_SENDING = 1;

describe("verify", () => {
  test("a run as it was made is whole", async () => {
    const on = await asked();
    await on.happen(ID, answered("again", "warmer"));
    await on.happen(ID, {
      type: "agent-ended",
      at: AT,
      role: "worker",
      slot: "",
      attempt: 2,
      cause: "exited",
    });
    expect(await on.data("verify abcd")).toMatchObject({
      ok: true,
      runs: [{ run: ID, ok: true, notices: [] }],
    });
    expect((await on.call("verify --all")).code).toBe(0);
    expect((await on.call(`verify ${ID} --all`)).code).toBe(2);
  });

  test.for<[string, Actor, readonly Event[], RegExp]>([
    [
      "an answer that is not signed",
      PERSON,
      [ANSWER, CLOSED, moved(SEND, ["sending", "sent"], "human")],
      /event 9: .*without a signature/,
    ],
    [
      "a person's move that is not signed",
      PERSON,
      [{ type: "move-asked", by: PERSON, at: AT, to: "dropped" }],
      /without a signature/,
    ],
    ["an answer in an agent's name", WORKER, [ANSWER, CLOSED], /without a signature/],
    [
      "an answer that nobody gave",
      ENGINE,
      [LOOKED, CLOSED],
      /event 10: the answer send to UD-1, which nobody gave/,
    ],
    [
      "the move of an answer that nobody gave",
      ENGINE,
      [LOOKED, moved(SEND, ["sending", "sent"], "human")],
      /for which nobody gave the answer send/,
    ],
    [
      "a person's move that nobody asked for",
      ENGINE,
      [LOOKED, moved(3, ["sending", "dropped"], "human")],
      /for which nobody asked/,
    ],
    [
      "a move of a person by the engine",
      ENGINE,
      [LOOKED, moved(SEND, ["sending", "sent"], "engine")],
      /for whom it is not/,
    ],
    [
      "a move that is not in the workflow",
      ENGINE,
      [LOOKED, moved(TO_SENDING, ["sending", "sent"], "worker")],
      /not in its workflow/,
    ],
    [
      "a move of no number",
      ENGINE,
      [LOOKED, moved(99, ["sending", "sent"], "engine")],
      /not in its workflow/,
    ],
    ["a waiver that nobody gave", ENGINE, [LOOKED, WAIVED], /a waiver of letter, which nobody gave/],
    [
      "an agent's act in another's name",
      ENGINE,
      [{ type: "submitted", by: WORKER, at: AT }],
      /in the name of somebody else/,
    ],
  ])("finds %s", async ([, by, events, expected]) => {
    const on = await asked();
    await forge(on, events, { by });
    const said = await on.say("verify abcd");
    expect(said).toMatch(/^8\n/);
    expect(said).toMatch(expected);
  });

  test("finds a signature that was made for something else", async () => {
    const on = await asked();
    const proof = (await on.store.events(ID, 1, 1))[0]?.proof;
    if (proof === undefined) throw new Error("no proof");
    await forge(on, [ANSWER, CLOSED], { by: PERSON, prove: () => proof });
    expect(await on.say("verify abcd")).toMatch(/^8\n.*event 9: a wrong signature/);
  });

  test("finds a signature of another key", async () => {
    const [on, other] = [await asked(), await asked()];
    await other.happen(ID, answered("send"));
    const proof = (await other.store.events(ID, 9, 1))[0]?.proof;
    if (proof === undefined) throw new Error("no proof");
    await forge(on, [ANSWER, CLOSED], { by: PERSON, prove: () => proof });
    expect(await on.say("verify abcd")).toMatch(/^8\n.*event 9: signed with another key/);
  });

  test("says nothing of a key that named the next one", async () => {
    const on = await asked();
    expect((await on.call("key --new")).code).toBe(0);
    expect(await on.say("verify abcd")).toMatch(/^0\nabcd1234: whole, 8 events\n$/);
    expect(await on.data("key")).toMatchObject({
      lostAt: "",
      former: [{ until: expect.any(String) as string }],
    });
  });

  test("tells what was signed with a key that came in without the one before it; so does history", async () => {
    const on = await asked();
    expect((await on.call("key --new --lost")).code).toBe(0);
    expect((await on.call(`move ${ID} dropped`)).code).toBe(0);
    const said = await on.say("verify abcd");
    expect(said).toMatch(/^0\n.*whole[^]*notice at event 9: .* by "key --lost", not named/);
    expect(said).not.toMatch(/notice at event 1:/);
    expect(await on.say("history abcd")).toMatch(/moved it to dropped\. \(with a key that nobody named\)/);
    expect(await on.data("key")).toMatchObject({ lostAt: expect.stringMatching(/^20/) as string });
  });

  test("finds another key in the place of the one that signed here", async () => {
    const [on, other] = [await asked(), await machine()];
    expect((await on.call("verify abcd")).code).toBe(0);
    const file = (of: Machine): string => join(of.env["HOME"] ?? "", ".config/signalbox/human.key");
    const mine = JSON.parse(readFileSync(file(on), "utf8")) as { public: string };
    const evil = JSON.parse(readFileSync(file(other), "utf8")) as object;
    const former = [{ public: mine.public, until: "2026-02-01T00:00:00Z", named: "" }];
    writeFileSync(file(on), JSON.stringify({ ...evil, former }));
    const told = await on.say("verify abcd");
    expect(told).toMatch(
      /^8\n.*whole[^]*key forged, or exchanged: .*\n {2}next: put the key .* key --lost\n$/,
    );
    const refused = await on.call(`move ${ID} dropped --json`);
    expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([8, { code: "other-key" }]);
    // What to do if it was really you.
    expect((await on.call("key --lost")).code).toBe(0);
    expect((await on.call("verify abcd")).code).toBe(0);
  });

  test.for<[string, Parameters<typeof procsOf>, string, boolean]>([
    ["at a terminal", [[{ pid: 50, name: "bash" }], { terminal: (136 << 8) | 3 }], "", false],
    ["from a script", [[{ pid: 50, name: "bash" }]], " (no terminal, while worker was running)", true],
    [
      "below init alone",
      [[{ pid: 1, name: "systemd" }], { terminal: (136 << 8) | 3 }],
      " (nothing above it but init, while worker was running)",
      true,
    ],
  ])("tells an act while an agent was running, %s", async ([, procs, words, isTold]) => {
    const on = await asked();
    await on.agent(ID);
    const world = {
      cwd: on.home.root,
      env: on.env,
      procs: procsOf(...procs),
      startSupervisor: () => undefined,
    };
    const { code } = await run(["move", ID, "dropped"], world);
    expect(code).toBe(0);
    expect(await on.say("history abcd")).toContain(`moved it to dropped.${words}\n`);
    expect(await on.say("show abcd")).toContain(`moved it to dropped.${words}\n`);
    const verified = await on.say("verify abcd");
    expect(verified).toMatch(/^0\n/);
    expect(verified.includes("notice at event 9: signed with ")).toBe(isTold);
  });

  test.for<[string, string]>([
    [
      "a changed event",
      `UPDATE events SET body = replace(body, 'worker', 'wicked') WHERE run = '${ID}' AND seq = 3`,
    ],
    ["a missing event", `DELETE FROM events WHERE run = '${ID}' AND seq = 4`],
    ["a changed row", `UPDATE runs SET state = 'sent' WHERE id = '${ID}'`],
    ["a missing row", `DELETE FROM runs WHERE id = '${ID}'`],
  ])("finds %s", async ([, sql]) => {
    const on = await asked();
    on.store.database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
    expect(await on.data(`verify ${ID}`)).toMatchObject({
      ok: false,
      code: "damaged",
      next: "signalbox doctor --repair",
    });
    expect((await on.call("verify --all")).code).toBe(8);
  });
});
