/**
 * What the model does, decided by the prompts that Signalbox gives.
 *
 * As a real model it knows only what it was told and what its tools answered: without a prompt that names a task or a role it does nothing.
 */

import type { Conduct, Step, Turn } from "./dialect.ts";

/** A worker and a reviewer of the workflow `task`: the first work lacks a word, the review finds that, and the worker adds it. */
export const taskConduct: Conduct = (turns) => {
  // A text behind the result of a tool is a note of the program's own.
  const prompt = turns.findLastIndex(({ by }, at) => by === "user" && turns[at - 1]?.by !== "tool");
  const told = turns.filter(({ by }) => by === "user").map(({ text }) => text);
  const answers = turns.slice(prompt + 1).filter(({ by }) => by === "tool");
  const review = told.findLast((text) => REVIEW.test(text));
  if (review !== undefined) return reviewer(review, answers);
  return told.some((text) => WORK.test(text)) ? worker(answers) : LOST;
};

/** Every role of another workflow: a script answers for it, which reads the prompt itself. The program's own tools run it. */
export function scriptConduct(script: string): Conduct {
  return (turns) => {
    const prompt = turns.findLastIndex(({ by, text }) => by === "user" && /^# \S/m.test(text));
    if (prompt < 0) return LOST;
    const answer = turns.slice(prompt + 1).find(({ by }) => by === "tool");
    return answer === undefined ? run(`sh '${script}'`) : say(`Done: ${answer.text}`);
  };
}

const REVIEW = /^# Review of task \w+/m;
const WORK = /^# Task \w+/m;

/** What the worker writes with the file tool of its program, and never commits. */
export const UNCOMMITTED = "uncommitted.txt";
/** What the worker commits. */
export const COMMITTED = "committed.txt";
/** What the first work lacks. */
export const FIXED = "fixed after the review";

function worker(answers: readonly Turn[]): Step {
  const [page] = answers;
  // Agents look outside of the workspace, too: a program that has to ask for that must not stop there.
  if (page === undefined) return run('cat /etc/hosts; echo "folder: $PWD"; cat TASK.md');
  const status = /^status: *"?([\w-]+)/m.exec(page.text)?.[1];
  const folder = /^folder: (.+)$/m.exec(page.text)?.[1] ?? ".";
  const steps = WORK_BY_STATUS[status ?? ""]?.(folder) ?? [];
  return steps[answers.length - 1] ?? say("My turn is over.");
}

const WORK_BY_STATUS: Readonly<Record<string, (folder: string) => readonly Step[]>> = {
  planning: (folder) => [
    submit("plan", "APPROACH: write two files\nTOUCHING: committed.txt, uncommitted.txt"),
    run("signalbox update --status working"),
    run(`echo written >${COMMITTED} && git add ${COMMITTED} && git commit --quiet -m 'Write one file'`),
    { type: "write", path: `${folder}/${UNCOMMITTED}`, text: "written\n" },
    ...handOver("two files are written"),
  ],
  working: () => [run(`echo '${FIXED}' >>${UNCOMMITTED}`), ...handOver("the missing line is added")],
};

function handOver(done: string): readonly Step[] {
  return [submit("handoff", `DONE: ${done}`), run("signalbox update --status agent-review")];
}

/** It reads the change by the command that its prompt names, and judges what that shows. */
function reviewer(prompt: string, answers: readonly Turn[]): Step {
  const [diff, submitted] = answers;
  if (diff === undefined) return run(/`(git diff [^`]+)`/.exec(prompt)?.[1] ?? "false");
  if (submitted !== undefined) return say("The review is submitted.");
  if (!diff.text.includes(UNCOMMITTED))
    return submit("review", "Verdict: FAIL\n\nThe change cannot be read.");
  const verdict = diff.text.includes(FIXED) ? "PASS" : "FAIL";
  return submit("review", `Verdict: ${verdict}\n\n${UNCOMMITTED}:2 must say "${FIXED}".`);
}

const LOST = say("I was not told what to do.");

function say(text: string): Step {
  return { type: "say", text };
}

function run(command: string): Step {
  return { type: "run", command };
}

function submit(artifact: string, text: string): Step {
  return run(`signalbox submit ${artifact} - <<'END_OF_TEXT'\n${text}\nEND_OF_TEXT`);
}
