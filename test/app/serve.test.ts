/** Which calls the supervisor carries out, and which it leaves to the client. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { homeAt } from "../../src/adapters/home/paths.ts";
import type { NoticeHandler } from "../../src/adapters/supervisor/listen.ts";
import { PROTOCOL } from "../../src/adapters/supervisor/wire.ts";
import { isSent } from "../../src/app/client.ts";
import { serving } from "../../src/app/serve.ts";
import type { Box } from "../../src/engine/box.ts";
import { callingProcess, type CallingProcess } from "../support/calling-process.ts";

const isLinux = process.platform === "linux";

/** An input that the declaration refuses is answered before anything of the box is needed. */
const WRONG = { to: 1 };

function answering({ root, program }: CallingProcess, box = {} as Box): NoticeHandler {
  return serving({ home: homeAt(root), box, env: {}, programs: [program], ring: () => undefined });
}

/** After the process has started: its program is written then, and another one is not served. */
async function asked(given: (on: CallingProcess) => unknown, box?: Box): Promise<unknown> {
  const on = callingProcess();
  const notice = await on.hold(given(on));
  return answering(on, box)(notice);
}

test.runIf(isLinux)("a call that is as it should be is carried out, anything else is not", async () => {
  expect(await asked(({ request }) => ({ ...request, input: WRONG }))).toEqual({
    type: "failed",
    failure: { exit: 2, code: "bad-usage", message: "move cannot use to", next: "signalbox --help" },
  });
  const others: readonly ((on: CallingProcess) => unknown)[] = [
    ({ request }) => ({ ...request, protocol: PROTOCOL + 1 }),
    ({ request }) => ({ ...request, version: `${request.version}.1` }),
    ({ request }) => ({ ...request, use: "answer", input: { words: [], parts: [] } }),
    ({ request }) => ({ ...request, use: "get-task", input: {} }),
    ({ request }) => ({ ...request, use: "nothing" }),
    ({ request }) => ({ ...request, use: "constructor" }),
    ({ request }) => ({ ...request, use: "update", input: { branch: "x" } }),
    () => "hello",
  ];
  for (const other of others)
    expect([other.toString(), await asked(other)]).toEqual([other.toString(), undefined]);
});

test.runIf(isLinux)(
  "a bug of the supervisor is not the client's: it carries the call out itself",
  async () => {
    const store = {
      byToken: () => {
        throw new Error("a bug");
      },
    };
    expect(await asked(({ request }) => request, { store } as unknown as Box)).toBeUndefined();
  },
);

test.runIf(isLinux)(
  "another database or program in the place of ours: the client finds it itself",
  async () => {
    for (const name of ["signalbox.db", "program.cjs"]) {
      const on = callingProcess();
      const notice = await on.hold({ ...on.request, input: WRONG });
      const answer = answering(on);
      expect(await answer(notice)).toMatchObject({ type: "failed" });
      writeFileSync(join(on.root, name), "other");
      expect(await answer(notice)).toBeUndefined();
    }
  },
);

test.for<[use: string, input: unknown, is: boolean]>([
  ["move", { to: "working" }, true],
  ["submit", { artifact: "plan" }, true],
  ["review-create", {}, true],
  ["ask-questions", {}, true],
  ["complete", {}, true],
  ["update", { status: "working" }, true],
  ["update", { branch: undefined, status: "working" }, true],
  ["update", { branch: "", status: "working" }, false],
  ["update", { branch: "x" }, false],
  ["answer", {}, false],
  ["stop", {}, false],
  ["get-task", {}, false],
  ["", null, false],
])("%s %j is for the supervisor: %s", ([use, input, is]) => {
  expect(isSent(use, input)).toBe(is);
});
