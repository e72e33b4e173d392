/** What every store must do with requests of agents for permission. */

import { expect, test } from "vitest";
import type { Actor, Event } from "../../src/core/model/event.ts";
import { NO_RUN } from "../../src/core/model/run.ts";
import { PERMISSION } from "../../src/engine/ports/journal.ts";
import { append } from "./store-batches.ts";
import type { Open } from "./store-contract.ts";
import { AT, began, entry } from "./store-entries.ts";

export function permissionsContract(open: Open): void {
  test("requests for permission are opened and closed by events, as questions of no workflow", async () => {
    const [one, other] = await open();
    const by: Actor = { type: "agent", role: "worker", slot: "", attempt: 1 };
    const asked: Event = {
      type: "permission-asked",
      by,
      at: AT,
      id: "p-1",
      tool: "fetch",
      input: "http://x",
    };
    const closed = { type: "permission-closed", id: "p-1", tool: "fetch" } as const;
    const say = async (events: readonly Event[]): Promise<void> => {
      const { run = NO_RUN, row: { head } = { head: "" } } = (await one.load("a1")) ?? {};
      await append(one, entry(run, events, { head }));
    };
    await say([...began("a1"), asked, { ...asked, id: "p-2" }]);
    const row = {
      run: "a1",
      ask: PERMISSION,
      openedAt: AT,
      repeats: 0,
      answer: "",
      text: "",
      by: "",
      closedAt: "",
    };
    expect(await other.questions({ open: true })).toEqual([
      { ...row, id: "p-1" },
      { ...row, id: "p-2" },
    ]);
    expect((await other.load("a1"))?.run.permissions?.map(({ id }) => id)).toEqual(["p-1", "p-2"]);
    await say([{ ...closed, answer: "always", by: "anna" }]);
    await say([{ ...closed, id: "p-2", answer: "", by: "engine" }]);
    expect(await other.questions({ run: "a1" })).toMatchObject([
      { id: "p-1", answer: "always", by: "anna", closedAt: AT },
      { id: "p-2", answer: "", by: "engine", closedAt: AT },
    ]);
    expect((await other.load("a1"))?.run).toMatchObject({ permissions: [], granted: ["fetch"] });
  });
}
