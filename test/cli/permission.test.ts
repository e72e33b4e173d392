/** An agent's program asks for permission; what people see of that, and how they answer. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { performUntyped } from "../../src/app/perform.ts";
import { removeHomes } from "../support/home.ts";
import { AT_HOME } from "../support/procs.ts";
import { hashToken } from "../../src/adapters/person/token.ts";
import { document, outcome, taskScene, type Tasks } from "./task-support.ts";

let on: Tasks;
beforeAll(async () => {
  on = await taskScene();
});
afterAll(removeHomes);

/** A run whose worker is at work, and how its program asks. */
async function working(): Promise<{ run: string; ask: (id: string, input?: string) => Promise<string> }> {
  const run = await on.taskIn("working");
  const token = `token of ${run}`;
  const agent = { run, role: "worker", slot: "", attempt: 1, token: hashToken(token), dir: "", turn: 1 };
  await on.withStore((store) =>
    store.commit([{ type: "put-agent", agent: { ...agent, status: "running", entry: 0, startedAt: 0 } }]),
  );
  const env = {
    ...on.env,
    SIGNALBOX_TOKEN: token,
    SIGNALBOX_JOB: `${run}.worker.1.1`,
    SIGNALBOX_FAILPOINT: "",
  };
  const door = { cwd: on.repo, home: "", env, procs: AT_HOME, startSupervisor: () => undefined };
  const ask = async (id: string, input = "npm install left-pad"): Promise<string> => {
    const { data } = await performUntyped(door, "ask-permission", { id, tool: "execute", input });
    return (data as { status: string }).status;
  };
  return { run, ask };
}

test("it waits for a person, on every screen, until they answer", async () => {
  const { run, ask } = await working();
  expect(await ask("p-aaaaaaaa")).toBe("open");
  expect(await ask("p-aaaaaaaa")).toBe("open");
  const shown = document(await on.say(["show", run, "--json"]));
  const said = "The worker asks for permission: execute: npm install left-pad";
  expect(shown).toMatchObject({
    status: "running",
    waits: { kind: "person", short: "you: permission", sentence: `${said}.` },
    decision: { question: said },
    question: {
      id: "p-aaaaaaaa",
      question: said,
      options: [{ value: "allow" }, { value: "always" }, { value: "deny" }],
    },
    actions: [
      {
        command: `signalbox answer ${run}/p-aaaaaaaa allow`,
        call: { use: "answer", input: { decision: `${run}/p-aaaaaaaa`, value: "allow" } },
      },
      { command: `signalbox answer ${run}/p-aaaaaaaa always` },
      { command: `signalbox answer ${run}/p-aaaaaaaa deny` },
    ],
  });
  const { items } = document(await on.say(["inbox", "--json"])) as { items: { run: string }[] };
  expect(items).toMatchObject([{ run, group: "question", kind: "question", reason: `${said}.` }]);
  const { rows } = document(await on.say(["watch", "--once", "--json"])) as { rows: { run: string }[] };
  expect(rows.find((row) => row.run === run)).toMatchObject({ waits: { kind: "person" }, person: true });
  expect((await on.say(["show", run])).stdout).toContain(`signalbox answer ${run}/p-aaaaaaaa deny`);
  expect(await outcome(on.say(["answer", run, "deny", "--json"]))).toBe("0 ok");
  expect(await ask("p-aaaaaaaa")).toBe("deny");
  expect(document(await on.say(["show", run, "--json"]))).toMatchObject({
    waits: { kind: "agent" },
    question: null,
  });
  expect(document(await on.say(["inbox", "--json"]))).toMatchObject({ items: [] });
  const { stdout: history } = await on.say(["history", run]);
  expect(history).toContain("Worker asks for permission: execute: npm install left-pad");
  expect(history).toContain("denied: execute");
  expect((await on.say(["verify", run])).code).toBe(0);
});

test("what is allowed for the run is not asked again", async () => {
  const { run, ask } = await working();
  expect(await ask("p-bbbbbbbb")).toBe("open");
  expect(await outcome(on.say(["answer", run, "always", "--json"]))).toBe("0 ok");
  expect([await ask("p-bbbbbbbb"), await ask("p-cccccccc", "anything else")]).toEqual(["always", "always"]);
});

test("several at once are answered by their names", async () => {
  const { run, ask } = await working();
  await ask("p-dddddddd");
  await ask("p-eeeeeeee", "rm -r build");
  expect(await outcome(on.say(["answer", run, "allow", "--json"]))).toBe("2 which-decision");
  expect(await outcome(on.say(["answer", "p-eeeeeeee", "allow", "--json"]))).toBe("0 ok");
  expect(await outcome(on.say(["answer", `${run}/p-dddddddd`, "perhaps", "--json"]))).toBe("2 not-an-option");
  expect([await ask("p-dddddddd"), await ask("p-eeeeeeee")]).toEqual(["open", "allow"]);
  expect(await outcome(on.say(["answer", "p-eeeeeeee", "deny", "--json"]))).toBe("2 unknown-decision");
});

test("an agent cannot answer, and hides nothing in what it asks", async () => {
  const { run, ask } = await working();
  await ask("p-ffffffff", "echo \u202Ehidden\u0007\nsecond line");
  const worker = await on.as(run, "worker");
  expect((await worker(["answer", run, "allow", "--json"])).code).toBe(4);
  const { question } = document(await on.say(["show", run, "--json"])) as { question: { question: string } };
  expect(question.question).toContain("echo \\u{202e}hidden\\u{7}\nsecond line");
});
