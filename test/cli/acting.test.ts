/** What acting commands have in common: who may, what is refused and how, what happens twice, and who is woken. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { AGENT_ABOVE, outcome, parsed, scene, type Scene } from "./acting-support.ts";

let on: Scene;
beforeAll(async () => {
  on = await scene();
});

const GOOD = "# What\n\nA thing.\n";

/** A run in this state, by the commands that lead there. */
async function runIn(state: "waiting" | "writing" | "asked" | "dropped", key: string): Promise<string> {
  const id = await on.begin(key, state === "waiting" ? "--no-start" : "");
  if ((await on.withStore(async (store) => (await store.load(id))?.row.state)) === state) return id;
  if (state === "asked") {
    on.write(id, "ESSAY.md", GOOD);
    await on.say(`move ${id} asked`);
  }
  if (state === "dropped") await on.say(`cancel ${id}`);
  return id;
}

describe("every refusal has its exit code", () => {
  test.for<[what: string, state: Parameters<typeof runIn>[0], who: string, line: string, expected: string]>([
    ["a move that is not in the map", "writing", "person", "move RUN accepted", "4 not-in-map"],
    ["a state that there is not", "writing", "person", "move RUN acepted", "4 not-in-map"],
    ["a move of somebody else", "writing", "agent", "move RUN dropped", "4 not-your-role"],
    ["a gate", "writing", "person", "move RUN asked", "5 gate-not-met"],
    ["an earlier attempt", "writing", "old agent", "move RUN asked", "5 stale"],
    ["an answer instead of a move", "asked", "person", "move RUN accepted", "3 waiting-for-person"],
    ["a finished run", "dropped", "person", "move RUN writing", "4 finished"],
    ["a waiver of what nobody needs", "writing", "person", "waive RUN idea --reason x", "2 invalid"],
    ["where it is already", "writing", "person", "move RUN writing", "6 conflict"],
    ["where it has ended already", "dropped", "person", "move RUN dropped", "6 conflict"],
    ["another sequence number", "writing", "person", "move RUN dropped --seq 1", "6 conflict"],
    ["another state", "writing", "person", "move RUN dropped --from asked", "6 conflict"],
    ["an artifact of somebody else", "writing", "agent", "submit RUN idea good.md", "4 not-your-role"],
    ["an artifact that there is not", "writing", "person", "submit RUN esay", "2 unknown-artifact"],
    ["an artifact that is missing", "writing", "person", "submit RUN essay", "5 gate-not-met"],
    ["a text that is not what is wanted", "writing", "person", "submit RUN essay bad.md", "5 gate-not-met"],
    ["a waiver by an agent", "writing", "agent", "waive RUN essay --reason x", "4 not-a-person"],
    ["a waiver without a reason", "writing", "person", "waive RUN essay", "2 bad-usage"],
    ["an end by an agent", "writing", "agent", "cancel RUN", "4 not-a-person"],
    ["the end of what has ended", "dropped", "person", "cancel RUN", "4 finished"],
    ["a halt by an agent", "writing", "agent", "stop RUN", "4 not-a-person"],
    ["a halt of what has ended", "dropped", "person", "stop RUN", "4 finished"],
    ["going on by an agent", "writing", "agent", "resume RUN", "4 not-a-person"],
    ["an answer by an agent", "asked", "agent", "answer RUN yes", "4 not-a-person"],
    ["an answer to nothing", "writing", "person", "answer RUN yes", "4 not-in-map"],
    ["a decision of no name", "asked", "person", "answer UD-99 yes", "2 unknown-decision"],
    ["an answer to what was not shown", "asked", "person", "answer RUN yes --shown 00000000", "6 conflict"],
    ["a new start of what has not crashed", "writing", "person", "task respawn RUN writer", "2 invalid"],
    ["a detail that nobody may change", "writing", "person", "task update RUN --summary x", "2 invalid"],
    ["a word of no meaning", "writing", "person", "task updat RUN", "2 unknown-command"],
    ["a run by an agent", "writing", "agent", "run essay", "4 not-a-person"],
    ["a person below an agent", "writing", "disguised", "move RUN dropped", "4 not-a-person"],
    ["a run of no name", "writing", "person", "move zzzzzzzz dropped", "2 unknown-run"],
  ])("%s: %s, %s, %s", async ([_what, state, who, line, expected]) => {
    // One run for each state serves all of them: what is refused changes nothing.
    const id = await runIn(state, state);
    const before = await on.withStore(async (store) => (await store.load(id))?.row.seq);
    const words = `${line} --json`.replaceAll("RUN", id);
    const call = {
      person: () => on.say(words),
      agent: async () => (await on.agent(id))(words),
      "old agent": async () => (await on.agent(id, 0))(words),
      disguised: () => on.say(words, { procs: AGENT_ABOVE }),
    }[who];
    if (call === undefined) throw new Error(who);
    expect(await outcome(call())).toBe(expected);
    expect(await on.withStore(async (store) => (await store.load(id))?.row.seq)).toBe(before);
  });

  test("a budget that is spent", async () => {
    const id = await runIn("writing", "budget");
    const agent = await on.agent(id);
    expect((await agent("move pause")).code).toBe(0);
    expect((await agent("move writing")).code).toBe(0);
    expect(await outcome(agent("move pause --json"))).toBe("5 budget-spent");
  });

  test("an agent speaks in its own run only", async () => {
    const [own, other] = [await runIn("writing", "own"), await runIn("writing", "other")];
    expect(await outcome((await on.agent(own))(`move ${other} pause --json`))).toBe("4 not-your-role");
  });

  test("a failure says where, and the one next thing to do", async () => {
    const id = await runIn("writing", "where");
    on.write(id, "ESSAY.md", "Nothing.\n");
    const failed = parsed(await on.say(`move ${id} asked --json`));
    expect(failed).toMatchObject({ ok: false, code: "gate-not-met", at: { file: "ESSAY.md" } });
    expect(failed["next"]).toContain(`signalbox move ${id} asked`);
  });
});

describe("once", () => {
  test.for<[name: string, line: string, state: string]>([
    ["move", "move RUN dropped", "dropped"],
    ["cancel", "cancel RUN", "dropped"],
    ["submit", "submit RUN essay good.md", "writing"],
    ["waive", "waive RUN essay --reason fine", "writing"],
    ["update", "task update RUN --branch other", "writing"],
    ["update with a move", "task update RUN --branch another-one --status dropped", "dropped"],
  ])("%s with one key twice: the same answer, one event", async ([name, line, state]) => {
    const id = await runIn("writing", `once ${name}`);
    const words = `${line} --key k --json`.replaceAll("RUN", id);
    const first = await on.say(words);
    expect(first.code).toBe(0);
    expect(await on.withStore(async (store) => (await store.load(id))?.row.state)).toBe(state);
    const seq = await on.withStore(async (store) => (await store.load(id))?.row.seq);
    expect(await on.say(words)).toEqual(first);
    expect(await on.withStore(async (store) => (await store.load(id))?.row.seq)).toBe(seq);
  });

  test("run with one key twice: one run", async () => {
    const line = "run essay --detach --key twice --json";
    const [first, second] = [await on.say(line), await on.say(line)];
    expect(second).toEqual(first);
    expect(first.code).toBe(0);
  });

  test("of many who ask for one move at once, one gets it and the others a conflict", async () => {
    const id = await runIn("waiting", "race");
    const all = await Promise.all(
      Array.from({ length: 8 }, () => outcome(on.say(`move ${id} writing --json`))),
    );
    expect(all.toSorted()).toEqual(["0 ok", ...Array.from({ length: 7 }, () => "6 conflict")]);
    const deeds = await on.withStore(async (store) =>
      (await store.deeds(id)).filter(({ deed }) => deed.type === "start-agent"),
    );
    expect(deeds).toHaveLength(1);
  });
});

describe("which run", () => {
  test("words are taken for a run or for what it is about", async () => {
    const id = await runIn("writing", "words");
    const here = { env: { ...on.env, SIGNALBOX_RUN: id } };
    expect(await outcome(on.say("submit essay good.md --json", here))).toBe("0 ok");
    expect(await outcome(on.say("submit essay --json", here))).toBe("0 ok");
    expect(await outcome(on.say(`submit ${id} essay --json`))).toBe("0 ok");
    expect(await outcome(on.say(`submit ${id.slice(0, 6)} essay good.md --json`))).toBe("0 ok");
    expect(await outcome(on.say("move asked --json", here))).toBe("0 ok");
    expect(await outcome(on.say("move asked --json"))).toBe("2 which-run");
  });

  test("an agent means its own", async () => {
    const id = await runIn("writing", "agents own");
    expect(await outcome((await on.agent(id))("submit essay good.md --json"))).toBe("0 ok");
    expect(await outcome((await on.agent(id))("task update --status asked --json"))).toBe("0 ok");
  });
});

describe("what is left behind", () => {
  test("everything that a person did is signed, and the history holds", async () => {
    const id = await runIn("asked", "signed");
    await on.say(["answer", id, "no", "--text", "longer"]);
    await on.say(`task update ${id} --branch another`);
    await on.say(`waive ${id} essay --reason enough`);
    expect(await on.say(`verify ${id}`)).toMatchObject({ code: 0 });
  });

  test("a supervisor is started where there is something to do, with a person's environment", async () => {
    const before = on.started.count;
    const id = await runIn("waiting", "woken");
    await on.say(`move ${id} writing`, { env: { ...on.env, SIGNALBOX_RUN: "x", MINE: "1", PWD: "/" } });
    expect(on.started.count).toBeGreaterThan(before);
    const saved = JSON.parse(readFileSync(on.home.environment, "utf8")) as Record<string, string>;
    // What no settings name stays with the person.
    expect(saved).toEqual({ HOME: on.env["HOME"], PATH: on.env["PATH"] });
    expect(statSync(on.home.environment).mode & 0o777).toBe(0o600);
    await (
      await on.agent(id)
    )("move pause");
    expect(JSON.parse(readFileSync(on.home.environment, "utf8"))).toEqual(saved);
  });

  test("a text that may not be handed in is not put over what is there", async () => {
    const id = await runIn("writing", "over");
    on.write(id, "IDEA.md", "mine\n");
    await (
      await on.agent(id)
    )("submit idea good.md");
    const { files } = { files: join(on.home.root, "runs", id, "files") };
    expect(readFileSync(join(files, "IDEA.md"), "utf8")).toBe("mine\n");
  });
});
