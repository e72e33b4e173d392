/** Answers: which question, what counts, and what it was about. */
import { beforeEach, describe, expect, test } from "vitest";
import { shownWord } from "../../src/cli/shown.ts";
import { workflowOf } from "../../src/cli/box.ts";
import { outcome, parsed, scene, type Scene } from "./acting-support.ts";

let on: Scene;
beforeEach(() => {
  on = scene();
});

async function asked(key: string): Promise<string> {
  const id = await on.begin(key);
  on.write(id, "ESSAY.md", "# What\n\nA thing.\n");
  await on.say(`move ${id} asked`);
  return id;
}

function state(id: string): string | undefined {
  return on.withStore((store) => store.load(id)?.row.state);
}

test.for<[words: (id: string) => string]>([
  [() => "answer yes"],
  [() => "answer UD-1 yes"],
  [(id) => `answer ${id} yes`],
  [(id) => `answer ${id}/UD-1 yes`],
  [(id) => `answer ${id.slice(0, 5)} yes`],
])("one open question is known by any of its names", async ([words]) => {
  const id = await asked("one");
  expect(await outcome(on.say(`${words(id)} --json`))).toBe("0 ok");
  expect(state(id)).toBe("accepted");
});

test("of two with one name, the run must be said", async () => {
  const [first, second] = [await asked("first"), await asked("second")];
  expect(await outcome(on.say("answer UD-1 yes --json"))).toBe("2 which-decision");
  expect(await outcome(on.say("answer yes --json"))).toBe("2 which-decision");
  expect(await outcome(on.say(`answer ${second}/UD-1 yes --json`))).toBe("0 ok");
  expect([state(first), state(second)]).toEqual(["asked", "accepted"]);
});

describe("only options count", () => {
  test.for(["approved", "Yes", "yes!", "yes? no", "yes/now", "no"])(
    `"%s" is asked again, and counted`,
    async (said) => {
      const id = await asked("again");
      const printed = await on.say(["answer", id, said, "--json"]);
      expect(await outcome(Promise.resolve(printed))).toBe("3 asked-again");
      expect(parsed(printed)["next"]).toContain(`signalbox answer ${id} yes`);
      expect(state(id)).toBe("asked");
      const [question] = on.withStore((store) => store.questions({ run: id, open: true }));
      expect(question?.repeats).toBe(1);
    },
  );

  test("with what it needs, the same word counts", async () => {
    const id = await asked("text");
    expect(await outcome(on.say(["answer", id, "no", "--text", "longer", "--json"]))).toBe("0 ok");
    expect(state(id)).toBe("writing");
  });

  test("without a terminal nobody is asked for the answer", async () => {
    const id = await asked("silent");
    expect(await outcome(on.say(`answer ${id} --json`))).toBe("2 bad-usage");
  });
});

test("an answer is about what was shown", async () => {
  const id = await asked("shown");
  const word = on.withStore((store) => {
    const kept = store.load(id);
    if (kept === undefined) throw new Error(id);
    return shownWord(workflowOf(store, kept.row), kept.run);
  });
  expect(word).toMatch(/^[0-9a-f]{8}$/);
  on.write(id, "ESSAY.md", "# What\n\nAnother thing.\n");
  await on.say(`submit ${id} essay`);
  expect(await outcome(on.say(`answer ${id} yes --shown ${word} --json`))).toBe("5 stale");
  expect(state(id)).toBe("asked");
});

test("the same key answers once", async () => {
  const id = await asked("key");
  const first = await on.say(`answer ${id} yes --key k --json`);
  expect(first.code).toBe(0);
  expect(await on.say(`answer ${id} yes --key k --json`)).toEqual(first);
});
