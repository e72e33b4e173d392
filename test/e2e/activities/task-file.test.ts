/** TASK.md is a file that anybody may rewrite, replace or lose: nothing that was written gets lost, nothing stale counts, and other tasks go on. */

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { filesBelow, onStage, type Stage } from "./stage.ts";

/** Types whatever the test asks for, one line after the other, and writes down what came of it. */
const OBEDIENT = `
n=1
while :; do
  while [ -e "$LEDGER/$SIGNALBOX_RUN.$n.code" ]; do n=$((n+1)); done
  await "$SIGNALBOX_RUN.$n.go"
  read -r line <"$LEDGER/$SIGNALBOX_RUN.$n.go"
  code=0
  sh -c "$line" >"$LEDGER/$SIGNALBOX_RUN.$n.out" 2>&1 || code=$?
  echo $code >"$LEDGER/$SIGNALBOX_RUN.$n.tmp"
  mv "$LEDGER/$SIGNALBOX_RUN.$n.tmp" "$LEDGER/$SIGNALBOX_RUN.$n.code"
  # Its turn is over with what it handed over.
  case $line in *agent-review) exit 0 ;; esac
done
`;

const PARAMS = ["--param", "harness=scripted", "--param", "review_harness=scripted"];
const PLAN = "## Plan\n\nAPPROACH: count the days\n";
const CONTEXT = "## Context\n\nDates in the export are off by one.\n";
const WORKING = "signalbox update --status working";

type Task = {
  readonly run: string;
  readonly file: string;
  /** The worker types this: its exit code, and what was printed. */
  readonly types: (line: string) => Promise<string>;
};

async function plan(stage: Stage): Promise<Task> {
  const run = await stage.begin("task", ...PARAMS);
  const { workspace } = await stage.until(
    run,
    ({ state, workspace: bound }) => state === "planning" && bound !== undefined,
  );
  const file = join(workspace?.path ?? "", "TASK.md");
  await stage.until(run, () => existsSync(file));
  let count = 0;
  const types = async (line: string): Promise<string> => {
    count += 1;
    const name = join(stage.ledger, `${run}.${count}`);
    writeFileSync(`${name}.tmp`, `${line}\n`);
    execFileSync("mv", [`${name}.tmp`, `${name}.go`]);
    await stage.until(run, () => existsSync(`${name}.code`));
    return `${readFileSync(`${name}.code`, "utf8").trim()} ${readFileSync(`${name}.out`, "utf8")}`;
  };
  // An edit before the agent is at work would be a person's, and would not count as its plan.
  expect(await types("true")).toMatch(/^0 /);
  return { run, file, types };
}

/** What is in the place of the file, and what is said about it. */
const PLANTED: readonly (readonly [string, (file: string) => void, RegExp])[] = [
  ["nothing", () => undefined, /^5 .*missing.*\(TASK\.md/s],
  ["a folder", (file) => mkdirSync(file), /^5 .*is a folder.*\(TASK\.md:1:1\)/s],
  ["a link", (file) => symlinkSync("/etc/passwd", file), /^5 .*is a symbolic link.*\(TASK\.md:1:1\)/s],
  ["a pipe", (file) => void execFileSync("mkfifo", [file]), /^5 .*is a pipe.*\(TASK\.md:1:1\)/s],
  [
    "100 MB",
    (file) => {
      writeFileSync(file, PLAN);
      truncateSync(file, 100 * 1024 * 1024);
    },
    /^5 .*is larger than 1048576 bytes.*\(TASK\.md:1:1\)/s,
  ],
  ["no text", (file) => writeFileSync(file, Buffer.from([0x23, 0xff, 0xfe, 0x00])), /^5 .*TASK\.md/s],
  ...(process.getuid?.() === 0
    ? []
    : ([
        [
          "unreadable",
          (file: string) => {
            writeFileSync(file, PLAN);
            chmodSync(file, 0);
          },
          /^5 .*cannot be read.*\(TASK\.md:1:1\)/s,
        ],
      ] as const)),
];

describe.runIf(isPerson)("TASK.md", () => {
  test("in its place stands something else: refused with file and next command, other tasks go on", async () => {
    await onStage({ agents: { worker: OBEDIENT, reviewer: "true" } }, async (stage) => {
      const [one, other] = [await plan(stage), await plan(stage)];
      for (const [what, plant, said] of PLANTED) {
        rmSync(one.file, { recursive: true, force: true });
        plant(one.file);
        const answer = await one.types(WORKING);
        expect([what, answer]).toEqual([what, expect.stringMatching(said)]);
        expect([what, answer]).toEqual([what, expect.stringContaining("next: ")]);
        expect(await stage.now(one.run)).toMatchObject({ state: "planning", attention: "" });
      }
      expect(await other.types(`printf 'APPROACH: it\\n' | signalbox submit plan -`)).toMatch(/^0 /);
      expect(await other.types(WORKING)).toMatch(/^0 /);
      expect((await stage.now(other.run)).state).toBe("working");

      rmSync(one.file, { recursive: true, force: true });
      writeFileSync(one.file, PLAN);
      expect(await one.types(WORKING)).toMatch(/^0 /);
      expect(pageAt(one.file)).toMatch(/^---\n[^]*\nstatus: working\n[^]*\n---\n/);
      // Nobody followed the link, and nothing of a task was written anywhere else.
      expect(readFileSync("/etc/passwd", "utf8")).not.toContain("status:");
    });
  });

  test("rewritten as a whole, it has everything again", async () => {
    await onStage({ agents: { worker: OBEDIENT, reviewer: "true" } }, async (stage) => {
      const { run, file, types } = await plan(stage);
      await stage.person("submit", run, "context", contextFile(stage));
      expect(pageAt(file)).toContain("off by one");

      // No header, another order, Windows lines, a byte order mark, and not a word of the person's.
      const questions = "## Questions\n\nWhich calendar?\n\n";
      writeFileSync(file, `\uFEFF${questions}${PLAN}`.replaceAll("\n", "\r\n"));
      expect(await types("signalbox update --status clarification")).toMatch(/^0 /);
      const first = pageAt(file);
      expect(first.replaceAll("\r\n", "\n")).toMatch(/^\uFEFF?---\n[^]*\nstatus: clarification\n[^]*\n---\n/);
      expect(
        ["Which calendar?", "count the days", "off by one"].filter((text) => !first.includes(text)),
      ).toEqual([]);

      // A header that says something else moves nothing, and is told.
      const forged = first.replace("status: clarification", "status: done").replace("off by one", "fine");
      writeFileSync(file, forged);
      expect(await types(WORKING)).toMatch(/^0 /);
      const second = pageAt(file);
      expect(second).toContain("status: working");
      const notes = (await stage.now(run)).notes.map(({ text }) => text);
      expect(notes.filter((text) => text.includes("status"))).not.toEqual([]);
      expect(notes.filter((text) => text.includes('"## Context"'))).toEqual([
        expect.stringContaining("taken out"),
        expect.stringContaining("was changed"),
      ]);
      const kept = filesBelow(join(stage.home.root, "runs", run, "archive"));
      expect(Object.values(kept).join()).toContain("off by one");
    });
  });

  test("a verdict of an older round never counts, whoever writes it down again; old rounds can be read", async () => {
    // The first one looks at the change with the command that its prompt names.
    const reviewer = `
say reviewers $$
look=$(sed -n 's/.*\`\\(git diff [^\`]*\\)\`.*/\\1/p' "$SIGNALBOX_PROMPT")
say change "$(eval "$look")"
[ "$(wc -l <"$LEDGER/reviewers")" = 1 ] || exit 0
printf 'Verdict: FAIL\\n\\nThe first of March.\\n' | signalbox submit review -`;
    await onStage({ agents: { worker: OBEDIENT, reviewer } }, async (stage) => {
      const { run, file, types } = await plan(stage);
      writeFileSync(file, `${pageAt(file)}\n${PLAN}`);
      expect(await types(WORKING)).toMatch(/^0 /);
      expect(await types("echo 1 >a && git add a && git commit -qm a")).toMatch(/^0 /);
      expect(await types("echo 'DONE: first' | signalbox submit handoff -")).toMatch(/^0 /);
      expect(await types("signalbox update --status agent-review")).toMatch(/^0 /);
      await stage.until(run, () => !pageAt(file).includes("DONE: first"));
      expect(stage.said("change")).toMatch(/^diff --git a\/a b\/a\n[^]*\n\+1$/);
      // The review stays for the worker to read, until the next one begins.
      expect(pageAt(file)).toContain("The first of March.");

      expect(await types("true")).toMatch(/^0 /);
      const page = pageAt(file).replace("Verdict: FAIL", "Verdict: PASS");
      writeFileSync(file, `${page}\n## Handoff\n\nDONE: second\n`);
      expect(await types("signalbox update --status agent-review")).toMatch(/^0 /);
      // Both reviewers of the second round end without a word.
      await stage.until(run, ({ state }) => state === "stuck");
      const archive = filesBelow(join(stage.home.root, "runs", run, "archive"));
      expect(
        Object.keys(archive).every((name) => /^attempt-\d+\/TASK\.md\.(Review|Handoff)\.md$/.test(name)),
      ).toBe(true);
      expect(Object.values(archive).join()).toContain("DONE: first");
      expect(Object.values(archive).join()).toContain("Verdict: PASS");
      const verdicts = (await stage.now(run)).events.filter(({ event }) => event.type === "artifact-read");
      expect(verdicts.map(({ event }) => JSON.stringify(event)).join()).not.toContain('"pass"');
    });
  });
});

/** The engine takes a page away for a moment while it replaces it. */
function pageAt(file: string): string {
  for (;;)
    try {
      return readFileSync(file, "utf8");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
}

function contextFile(stage: Stage): string {
  const path = join(stage.root, "context.md");
  writeFileSync(path, CONTEXT);
  return path;
}
