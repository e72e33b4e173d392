/** Answers: which question, what counts, and what it was about. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import { shownWord } from "../../src/app/view/decision/shown-digest.ts";
import { workflowOf } from "../../src/app/runs/find.ts";
import { withStandardInput } from "../support/standard-input.ts";
import { outcome, parsed, scene, type Scene } from "./acting-support.ts";

const GATE = `$schema: workflow-1.schema.json
name: gate
title: A question that blocks when it is not understood
counters:
  unclear: { max: 2, per: entry }
states:
  asked: { ask: good }
  blocked: { waits: true, ask: blocked }
  accepted: { final: done }
  dropped: { final: cancelled }
moves:
  - { from: start, to: asked, by: human }
  - { from: asked, to: blocked, by: engine, when: { unclear: spent }, remember: true }
asks:
  good:
    question: good
    reask: unclear
    options:
      yes: { to: accepted }
  blocked:
    question: blocked
    options:
      cancel: { to: dropped }
      back: { to: origin }
projection:
  - file: status.json
    as: json
    data: { answers: { each: run.decisions, give: { from: item.answer } } }
`;

let on: Scene;
beforeEach(async () => {
  on = await scene();
});

async function asked(key: string): Promise<string> {
  const id = await on.begin(key);
  on.write(id, "ESSAY.md", "# What\n\nA thing.\n");
  await on.say(`move ${id} asked`);
  return id;
}

async function state(id: string): Promise<string | undefined> {
  return on.withStore(async (store) => (await store.load(id))?.row.state);
}

test.for<[words: (id: string) => string]>([[() => "answer -"], [(id) => `answer ${id} -`]])(
  "a question is answered by the standard input with %s",
  async ([words]) => {
    const id = await asked("typed");
    const said = withStandardInput("yes\n", () => outcome(on.say(`${words(id)} --json`)));
    expect(await said).toBe("0 ok");
    expect(await state(id)).toBe("accepted");
  },
);

test.for<[words: (id: string) => string]>([
  [() => "answer yes"],
  [() => "answer UD-1 yes"],
  [(id) => `answer ${id} yes`],
  [(id) => `answer ${id}/UD-1 yes`],
  [(id) => `answer ${id.slice(0, 5)} yes`],
])("one open question is known by any of its names", async ([words]) => {
  const id = await asked("one");
  expect(await outcome(on.say(`${words(id)} --json`))).toBe("0 ok");
  expect(await state(id)).toBe("accepted");
});

describe("at a terminal", () => {
  const { stdin, stderr } = Object.getOwnPropertyDescriptors(process);
  afterEach(() => {
    Object.defineProperties(process, { stdin, stderr });
  });

  test.for<[meanwhile: string, said: string, left: string]>([
    ["A thing.", "0 ok", "accepted"],
    ["Another thing.", "6 conflict", "asked"],
  ])("with %j by the time of the answer, it is %s", async ([meanwhile, said, left]) => {
    const id = await asked("typed");
    const [input, output] = [new PassThrough(), new PassThrough()];
    Object.defineProperties(process, { stdin: { get: () => input }, stderr: { get: () => output } });
    const answered = outcome(on.say(["answer", id, "--json"], { isTyped: () => true }));
    await vi.waitUntil(() => String(output.read() ?? "").includes("> "));
    on.write(id, "ESSAY.md", `# What\n\n${meanwhile}\n`);
    await on.say(`submit ${id} essay`);
    input.end("yes\n");
    expect(await answered).toBe(said);
    expect(await state(id)).toBe(left);
  });
});

test("of two with one name, the run must be said", async () => {
  const [first, second] = [await asked("first"), await asked("second")];
  expect(await outcome(on.say("answer UD-1 yes --json"))).toBe("2 which-decision");
  expect(await outcome(on.say("answer yes --json"))).toBe("2 which-decision");
  expect(await outcome(on.say(`answer ${second}/UD-1 yes --json`))).toBe("0 ok");
  expect([await state(first), await state(second)]).toEqual(["asked", "accepted"]);
});

describe("only options count", () => {
  test.for(["approved", "Yes", "yes!", "yes? no", "yes/now", "no"])(
    `"%s" is asked again, and counted`,
    async (said) => {
      const id = await asked("again");
      const printed = await on.say(["answer", id, said, "--json"]);
      expect(await outcome(Promise.resolve(printed))).toBe("3 asked-again");
      expect(parsed(printed)["next"]).toContain(`signalbox answer ${id} yes`);
      expect(await state(id)).toBe("asked");
      const [question] = await on.withStore((store) => store.questions({ run: id, open: true }));
      expect(question?.repeats).toBe(1);
    },
  );

  test("with what it needs, the same word counts", async () => {
    const id = await asked("text");
    expect(await outcome(on.say(["answer", id, "no", "--text", "longer", "--json"]))).toBe("0 ok");
    expect(await state(id)).toBe("writing");
  });

  test("without a terminal nobody is asked for the answer", async () => {
    const id = await asked("silent");
    expect(await outcome(on.say(`answer ${id} --json`))).toBe("2 bad-usage");
  });
});

test("an answer is about what was shown", async () => {
  const id = await asked("shown");
  const word = await on.withStore(async (store) => {
    const kept = await store.load(id);
    if (kept === undefined) throw new Error(id);
    return shownWord(await workflowOf(store, kept.row), kept.run);
  });
  expect(word).toMatch(/^[0-9a-f]{8}$/);
  on.write(id, "ESSAY.md", "# What\n\nAnother thing.\n");
  // Whoever says what they saw is told that somebody was faster, whether the run has taken it in or not.
  expect(await outcome(on.say(`answer ${id} yes --shown ${word} --json`))).toBe("6 conflict");
  expect(await outcome(on.say(`answer ${id} yes --shown ${word} --json`))).toBe("6 conflict");
  expect(await state(id)).toBe("asked");
});

test("the word for what is shown is printed with the question, and in every command", async () => {
  const id = await asked("word");
  const shown = parsed(await on.say(`show ${id} --json`))["question"] as Record<string, unknown>;
  const word = String(shown["shown"]);
  const path = join(runFolders(on.home, id).files, "ESSAY.md");
  expect(word).toMatch(/^[0-9a-f]{8}$/);
  expect(shown["reads"]).toEqual([{ artifact: "essay", path, section: "" }]);
  const typed = `signalbox answer ${id} yes --shown ${word}`;
  for (const command of ["show", "next"])
    expect((await on.say(`${command} ${id}`)).stdout).toMatch(
      new RegExp(`^ {2}read: ${path}\\n[^]*^ {2}${typed} +on to accepted \\(the end\\)$`, "m"),
    );
  expect((await on.say("inbox --verbose")).stdout).toContain(`    read: ${path}\n    ${typed} `);
  expect((await on.say(`show ${id}`)).stdout).toContain(`shown as ${word}`);
  expect(await outcome(on.say(`${typed.slice("signalbox ".length)} --json`))).toBe("0 ok");
});

describe("an answer that is none too often", () => {
  beforeEach(async () => {
    on = await scene({
      ".signalbox/workflows/gate/workflow.yaml": GATE,
      ".signalbox/workflows/gate/prompts/good.md": "Is it good?\n",
      ".signalbox/workflows/gate/prompts/blocked.md": "What now?\n\nSay it.\n",
    });
  });

  test("is told as what it led to", async () => {
    const id = (await on.say("run gate --detach --quiet")).stdout.trim();
    const first = await on.say(`answer ${id} perhaps --json`);
    expect(await outcome(Promise.resolve(first))).toBe("3 asked-again");
    expect(parsed(first)["message"]).toBe(`UD-1 is asked again, 1 of 1 times: "perhaps" is not one of yes`);
    const last = await on.say(`answer ${id} perhaps --json`);
    expect([last.code, parsed(last)]).toMatchObject([
      3,
      {
        code: "asked-too-often",
        to: "blocked",
        message: `"perhaps" is not one of yes; UD-1 was asked often enough: ${id} goes from asked to blocked, and asks UD-2: What now?\n\nSay it.`,
        next: `signalbox answer ${id} back, or: signalbox answer ${id} cancel`,
      },
    ]);
    // For people, each has a line.
    expect((await on.say(`answer ${id} perhaps`)).stderr).toContain(
      `  next: signalbox answer ${id} back\n    or: signalbox answer ${id} cancel\n`,
    );
    expect((await on.say("inbox --verbose")).stdout).toContain("\n    UD-2: What now?\n\n    Say it.\n");
    // That question can be left only by answering it.
    expect(parsed(await on.say(`cancel ${id} --json`))).toMatchObject({
      code: "not-in-map",
      message: "only an answer ends the run early from blocked",
      next: `signalbox answer ${id} cancel`,
    });
    // What was withdrawn was not answered.
    expect((await on.say(`answer ${id} cancel`)).code).toBe(0);
    const status = join(runFolders(on.home, id).files, "status.json");
    expect(JSON.parse(readFileSync(status, "utf8"))).toEqual({ answers: ["cancel"] });
  });

  test("may end the run", async () => {
    on = await scene();
    const id = await asked("spent");
    await on.say(`answer ${id} perhaps`);
    const last = await on.say(`answer ${id} perhaps --json`);
    expect([last.code, parsed(last)]).toMatchObject([
      5,
      { code: "asked-too-often", to: "dropped", next: `signalbox history ${id}` },
    ]);
  });
});

test("the same key answers once", async () => {
  const id = await asked("key");
  const first = await on.say(`answer ${id} yes --key k --json`);
  expect(first.code).toBe(0);
  expect(await on.say(`answer ${id} yes --key k --json`)).toEqual(first);
});

/** One end needs what is not there, the other is open. */
const ENDS = `$schema: workflow-1.schema.json
name: ends
title: Two early ends
artifacts:
  reason: { in: reason.md, file: true, by: human, fresh: run }
states:
  waiting: { waits: true }
  accepted: { final: done }
  dropped: { final: cancelled }
  given-up: { final: failed }
moves:
  - { from: start, to: waiting, by: human }
  - { from: waiting, to: accepted, by: human }
  - { from: waiting, to: dropped, by: human, need: reason }
  - { from: waiting, to: given-up, by: human }
`;

test("cancel takes an early end that is open", async () => {
  on = await scene({ ".signalbox/workflows/ends/workflow.yaml": ENDS });
  const begun = parsed(await on.say("run ends --detach --no-start --json"));
  const id = String(begun["run"]);
  expect(await outcome(on.say(`cancel ${id} --json`))).toBe("0 ok");
  expect(await state(id)).toBe("given-up");
});
