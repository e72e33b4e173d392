/**
 * What every command owes to programs: with `--json` exactly one document on stdout, as its published schema has it, in success
 * and in failure, with an exit code that means something.
 *
 * A command without a schema, or without lines here for each of the two, fails.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ANSWERS, answersSchema, STREAMS } from "../../src/app/answers.ts";
import { CHANGE_FILES, runOfChange } from "../support/change.ts";
import { copyOf, NOTE_FILES, prepareHome, removeHomes, type Prepared } from "../support/home.ts";
import { tiny } from "./calling.ts";
import { LEAVES } from "./leaves.ts";

/** Commands that workflows declare, by what they print. */
const TYPED: Readonly<Record<string, string>> = { "WORKFLOW COMMAND": "plan", "WORKFLOW list": "task list" };
const DECLARED = Object.keys(TYPED);
const EXITS = [1, 2, 3, 4, 5, 6, 7, 8];
const ESCAPE = "\u001B";

type Line = string | ((on: Prepared) => string | Promise<string>);
type Case = { readonly good: readonly Line[]; readonly bad: readonly Line[] };

/** In a home with runs a1 (open), b1 (asked), c1 (filed) and d1 (dropped); the lines of a list share one. */
const CASES: Readonly<Record<string, Case>> = {
  check: { good: ["check tiny.yaml"], bad: ["check broken.yaml", "check no-such"] },
  graph: { good: ["graph tiny.yaml"], bad: ["graph broken.yaml"] },
  simulate: { good: ["simulate tiny.yaml --seed 1"], bad: ["simulate tiny.yaml --seed x"] },
  workflows: { good: ["workflows"], bad: ["workflows tiny"] },
  eject: { good: ["eject task"], bad: ["eject no-such"] },
  schema: { good: ["schema"], bad: ["schema x"] },
  init: { good: ["init", "init"], bad: ["init x"] },
  config: { good: ["config", "config task"], bad: ["config no-such", "config task x"] },
  trust: {
    good: ["trust", "trust --show", "trust --revoke"],
    bad: ["trust --show", "trust --show --revoke"],
  },
  key: { good: ["key", "key --new"], bad: ["key --passphrase --new"] },
  completion: { good: ["completion bash", "completion --line -- che"], bad: ["completion powershell"] },
  agents: { good: ["agents"], bad: ["agents x"] },
  setup: { good: ["setup --no-trial", "setup --no-trial --install agents-md"], bad: ["setup --agent zzzz"] },
  doctor: { good: ["trust", "doctor --repair", "doctor"], bad: [broken] },
  list: { good: ["list", "list --all"], bad: ["list --status x"] },
  show: { good: ["show a1", "show b1 --verbose", "show c1"], bad: ["show zz", "show"] },
  next: { good: ["next a1", "next b1", "next c1"], bad: ["next zz"] },
  why: { good: ["why a1", "why b1", "why c1"], bad: ["why zz"] },
  diff: { good: ["diff a1", "diff a1 note"], bad: ["diff zz", "diff a1 zz"] },
  follow: { good: ["follow c1"], bad: ["follow zz"] },
  history: { good: ["history b1", "history c1 --events"], bad: ["history zz"] },
  cost: { good: ["cost", "cost a1", "cost --by day"], bad: ["cost zz", "cost --by week"] },
  logs: { good: [(on) => withJob(on, "a1")], bad: ["logs a1", "logs zz"] },
  verify: { good: ["verify a1", "verify --all"], bad: ["verify zz", withoutRow] },
  watch: { good: ["watch --once", "watch --once --all"], bad: ["watch --once --project no-such", "watch x"] },
  inbox: { good: ["inbox"], bad: ["inbox x"] },
  move: {
    good: ["move a1 dropped"],
    bad: ["move a1 asked", "move a1 nowhere", "move c1 open", "move zz open"],
  },
  submit: { good: ["submit a1 note NOTE.md"], bad: ["submit a1 nothing", "submit a1 note"] },
  // Agents with a verdict to give hand in reviews: test/cli/review.
  "review create": {
    good: [],
    bad: ["review", "review creat", "review create", "review create a1 NOTE.md", "review create zz NOTE.md"],
  },
  // It serves until it is ended: test/e2e/page.test.ts.
  serve: { good: [], bad: ["serve x"] },
  // It talks to programs: test/e2e/mcp.
  mcp: { good: [], bad: ["mcp x"] },
  // It starts a program: test/bridge.
  bridge: { good: [], bad: ["bridge x y", "bridge acp x --access none", "bridge acp"] },
  run: {
    good: ["trust", "run note something --detach"],
    bad: ["run note something", "run no-such", "run note x --param"],
  },
  // Commands that workflows declare.
  "WORKFLOW COMMAND": {
    good: [
      "trust",
      "plan x something --detach",
      "plan x --detach",
      moved("rejected"),
      "reopen x --detach",
      moved("challenged"),
      "change impl x --detach",
      moved("complete"),
      "archive x -d",
    ],
    bad: ["plan x", "plan X something", "impl x", "archive x", "reopen x", "change", "change x"],
  },
  "WORKFLOW list": {
    good: ["trust", "create fix Dates", "task list", "task list --all"],
    bad: ["task list x", "task list --limit 0", "task list --project no-such"],
  },
  // What is good takes a task: test/cli/verbs.
  accept: {
    good: [],
    bad: ["accept a1", "accept c1", "accept zz", "accept a1 --strategy x", "task merge a1", "task merge zz"],
  },
  "send-back": {
    good: [],
    bad: ["send-back a1 x", "send-back c1 x", "send-back zz x", "task request-changes a1 x"],
  },
  retry: { good: ["stop a1", "retry a1"], bad: ["retry a1", "retry c1", "retry zz"] },
  answer: { good: ["answer b1 yes"], bad: ["answer b1 perhaps", "answer a1 yes", "answer zz yes"] },
  create: {
    good: [
      "trust",
      "create fix Dates",
      "create Times --no-start --key k",
      "task create a-b-c x --depends-on a1",
    ],
    bad: [
      "task",
      "task creat x",
      "create x y",
      untrusted,
      "create a..b x",
      "create fix x --harness clade",
      "create fix x --project no-such",
      "create fix x --depends-on zz",
      "create fix x --status done",
      "create fix x --context no-such.md",
      "create fix x --workflow no-such",
      "create main x",
    ],
  },
  start: {
    good: ["trust", "create fix Dates --no-start --key k", created("start")],
    bad: ["start zz", "start c1", "start a1"],
  },
  update: {
    good: ["update a1 --status dropped"],
    bad: ["update a1", "update a1 x", "update zz --status x", "update c1 --status open", "task stuck a1"],
  },
  respawn: { good: [], bad: ["respawn a1", "respawn zz"] },
  // These take a terminal, and work that is done: test/cli/task-attach and task-merge.
  attach: { good: [], bad: ["attach a1", "attach zz"] },
  delete: { good: ["delete c1"], bad: ["delete a1", "delete zz", "delete"] },
  complete: { good: [], bad: ["complete a1", "complete c1", "complete zz"] },
  "project add": {
    good: ["project add --name shop --agents 2 --default-branch main --remote none"],
    bad: [
      "project",
      "project add /no/such/folder",
      "project add --agents 0",
      "project add --name a/b",
      "project add --default-branch no-such",
      "project add --remote ext::sh",
    ],
  },
  "project list": { good: ["project list", "project add", "project list"], bad: ["project list x"] },
  "project update": {
    good: ["project add", "project update --agents 7 --remote none --name shop"],
    bad: ["project update --agents 2", "project update no-such --name x"],
  },
  "project remove": {
    good: ["project add --name shop", "project update shop --agents 1"],
    bad: ["project remove", "project remove no-such"],
  },
  "workspace list": {
    good: ["workspace list", "workspace list --all"],
    bad: ["workspace", "workspace lst", "workspace list x", "workspace list --project no-such"],
  },
  "workspace gc": { good: ["workspace gc", "workspace gc --all"], bad: ["workspace gc --project no-such"] },
  "salvage list": {
    good: ["salvage list", (on) => withKept(on, "salvage list --all")],
    bad: [
      "salvage",
      "salvage lst",
      "salvage list x",
      "salvage list --project no-such",
      "salvage list --all --here",
    ],
  },
  "salvage show": {
    good: [(on) => withKept(on, "salvage show c1"), "salvage show c1 --diff"],
    bad: ["salvage show", "salvage show zz", "salvage show a1"],
  },
  "salvage restore": {
    good: [(on) => withKept(on, `salvage restore c1 ${on.root}/back`)],
    bad: [
      "salvage restore zz",
      (on) => withKept(on, `salvage restore c1 ${on.root}/no/such`),
      (on) => withKept(on, `salvage restore c1 ${on.root}`),
      (on) => withKept(on, "salvage restore c1 --branch x"),
    ],
  },
  // What it tells goes on, line by line: test/e2e.
  demo: { good: [], bad: ["demo no-such"] },
  // It does not end by itself: test/cluster.
  worker: {
    good: [],
    bad: ["worker x", "worker", "worker --database mysql://x", "worker --database postgres://x --slots 0"],
  },
  supervise: { good: ["stop a1", "resume a1", "supervise"], bad: ["supervise x"] },
  waive: { good: ["waive a1 note --reason short"], bad: ["waive a1 note", "waive zz note --reason short"] },
  cancel: { good: ["cancel a1"], bad: ["cancel c1", "cancel zz"] },
  stop: { good: ["stop a1", "stop a1"], bad: ["stop c1", "stop zz"] },
  resume: {
    good: ["resume a1"],
    bad: ["resume zz", "resume a1 --from-phase x", "resume a1 --retry-failed", "resume a1 --from-phase"],
  },
};

/** Nothing of the repository was ever trusted here. */
async function untrusted(on: Prepared): Promise<string> {
  await on.withStore((store) =>
    store.commit([{ type: "trust", repo: on.repo, trust: { digest: "", at: "", signature: "" } }]),
  );
  return "task create fix x";
}

/** The task that was made last. */
function created(line: string): (on: Prepared) => Promise<string> {
  return async (on) =>
    `${line} ${await on.withStore(async (store) => (await store.list({ workflow: "task", limit: 1 })).rows[0]?.id ?? "")}`;
}

/** The change x, as a person brings it there. */
function moved(to: string): (on: Prepared) => string {
  return ({ repo }) => `move ${runOfChange(repo, "x")} ${to}`;
}

/** A database that is none. */
function broken({ home }: Prepared): string {
  writeFileSync(home.database, "no database\n");
  return "doctor";
}

/** A turn that has ended, with its log. */
async function withJob(on: Prepared, run: string): Promise<string> {
  const dir = join(on.home.root, `runs/${run}/agents/writer.1/turn-1`);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  writeFileSync(join(dir, "out.log"), "all is well\n");
  await on.withStore((store) =>
    store.commit([
      {
        type: "put-job",
        job: {
          id: `${run}.writer.1.1`,
          run,
          kind: "turn",
          role: "writer",
          slot: "",
          attempt: 1,
          artifact: "",
          tree: "",
          dir,
          startedAt: 1,
          endsBy: 0,
          stallMs: 0,
          killed: "",
          status: "over",
          seat: "",
        },
      },
    ]),
  );
  return `logs ${run}`;
}

/** A run of which only the history is left. */
async function withoutRow(on: Prepared): Promise<string> {
  await on.withStore((store) => store.database.run("DELETE FROM runs WHERE id = ?", "d1"));
  return "verify --all";
}

/** As a release leaves what git does not hold. */
function withKept({ home }: Prepared, line: string): string {
  const folder = join(home.root, "runs/c1/kept/workspace");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, ".env"), "SECRET=1\n");
  return line;
}

const NOTHING: Case = { good: [], bad: [] };

let origin: Prepared | undefined;
afterAll(removeHomes);

/** The state home is one's own, the repository is the same for all: nothing here changes what another one reads. */
async function prepared(): Promise<Prepared> {
  origin ??= await prepare();
  return copyOf(origin);
}

async function prepare(): Promise<Prepared> {
  const on = prepareHome({
    ...NOTE_FILES,
    ...CHANGE_FILES,
    "tiny.yaml": tiny("tiny"),
    "broken.yaml": "name: [\n",
    "NOTE.md": "# What\n\nA note.\n",
  });
  for (const [stage, id] of [
    ["open", "a1"],
    ["asked", "b1"],
    ["filed", "c1"],
    ["dropped", "d1"],
  ] as const)
    await on.runIn(stage, id);
  return on;
}

test("no command has a schema that is not there any more", () => {
  const known = new Set([...LEAVES.keys(), ...DECLARED]);
  expect(Object.keys({ ...ANSWERS, ...STREAMS, ...CASES }).filter((name) => !known.has(name))).toEqual([]);
});

test("the published schemas are current: npm run schema", () => {
  const published = readFileSync(join(import.meta.dirname, "../../schema/answers-1.schema.json"), "utf8");
  expect(`${JSON.stringify(answersSchema(), undefined, 2)}\n`).toBe(published);
});

describe.for([...LEAVES.keys(), ...DECLARED])("%s", (name) => {
  test("has a schema and is tried here", () => {
    expect(ANSWERS[name], `src/app/answers.ts has no schema of ${name}`).toBeDefined();
    expect(CASES[name], `this test has no lines for ${name}`).toBeDefined();
  });

  test("in success", async () => {
    const on = await prepared();
    for (const line of (CASES[name] ?? NOTHING).good) {
      const { code, document } = await documentOf(name, on, line);
      expect({ line, code, document }).toMatchObject({ code: 0, document: { ok: true, code: "ok" } });
    }
  });

  test("in failure", async () => {
    const on = await prepared();
    for (const line of [...(CASES[name] ?? NOTHING).bad, `${name} --no-such-option`]) {
      const { code, document } = await documentOf(name, on, line);
      expect({ line, code, document }).toMatchObject({ document: { ok: false } });
      expect(EXITS).toContain(code);
      expect(document["next"]).not.toBe("");
    }
  });

  test("--help, with an example of its own", async () => {
    const on = await prepared();
    const typed = TYPED[name] ?? name;
    await on.call("trust");
    const { code, document } = await documentOf(name, on, `${typed} --help`);
    expect(code).toBe(0);
    expect(document["help"]).toMatch(new RegExp(`Examples?:\n  signalbox ${typed}\\b`));
  });
});

test("logs --follow: a document a line", async () => {
  const on = await prepared();
  const { code, stdout, stderr } = await on.call(`--json ${await withJob(on, "c1")} --follow`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines)
    expect(STREAMS["logs"]?.safeParse(JSON.parse(line)).error?.issues).toBeUndefined();
});

/** One call, held to everything that all of them promise. */
async function documentOf(
  name: string,
  on: Prepared,
  line: Line,
): Promise<{ code: number; document: Record<string, unknown> }> {
  const text = typeof line === "string" ? line : await line(on);
  const { code, stdout, stderr } = await on.call(`--json ${text}`);
  const document = JSON.parse(stdout) as Record<string, unknown>;
  const [first = name, second = ""] = text.split(" ");
  const own = LEAVES.has(`${first} ${second}`) ? `${first} ${second}` : LEAVES.has(first) ? first : name;
  expect({ text, issues: ANSWERS[own]?.safeParse(document).error?.issues }).toEqual({
    text,
    issues: undefined,
  });
  expect(document["ok"]).toBe(code === 0);
  // Talk is for people, and so are colours.
  expect(stderr).toBe("");
  expect(stdout).not.toContain(ESCAPE);
  const plain = await on.call(`${text} --help`);
  expect(plain.stdout + plain.stderr).not.toContain(ESCAPE);
  return { code, document };
}
