/** `signalbox cancel`: the move that ends a run early, whatever the workflow calls the state it leads to. */

import { UserError } from "../../adapters/user-error.ts";
import { requirePerson } from "../../adapters/person/who.ts";
import { targetOf } from "../../core/gate.ts";
import { finished } from "../../core/refuse.ts";
import { why } from "../../core/why.ts";
import { acted } from "../acted.ts";
import { acting, runOf, type Acting, answeredBefore } from "../../app/context.ts";
import { EXIT_NOT_YOURS } from "../../app/exit-codes.ts";
import type { Answer, Command } from "../command.ts";
import { requireKept } from "../../app/runs/load.ts";
import { moveTo } from "../../app/act/move.ts";
import { answerCommand } from "../../app/view/question.ts";
import { refusal } from "../../app/refusal.ts";

export const command: Command = {
  usage: "[RUN] [--note TEXT] [--key KEY]",
  about:
    "Ends a run early: its agents are stopped, its branch stays, and what was not committed is kept. Only people can do this.\nIn a workspace, RUN may be left out.",
  words: { min: 0, max: 1 },
  options: {
    note: { takes: "TEXT", about: "why, for the history" },
    key: { takes: "KEY", about: "the same key twice cancels once, and gives the same answer" },
  },
  examples: ["signalbox cancel k3d9"],
  answer: ({ words: [word], options: { note, key } }, door): Promise<Answer> =>
    acting(door, async (on) => {
      requirePerson(on.who);
      const run = runOf(on, word);
      const isKnown = answeredBefore(on, run, key) !== undefined;
      const to = isKnown ? "" : targetFrom(on, run);
      return acted(await moveTo(on, { run, to, note, key }));
    }),
};

function targetFrom(on: Acting, id: string): string {
  const { row, run } = requireKept(on, id);
  const workflow = on.box.workflow(row.definition);
  const { definition, movesFrom } = workflow;
  if (definition.states[run.state]?.final !== undefined) throw refusal(finished(run));
  // Where a workflow knows no such end, giving up is the one that is left.
  const early = (["cancelled", "failed"] as const).flatMap((final) =>
    (movesFrom[run.state] ?? []).filter(
      ({ by, to }) => by.includes("human") && definition.states[to]?.final === final,
    ),
  );
  const asked = early.filter(({ answer }) => answer === undefined);
  const open = new Set(why(workflow, run).flatMap((way) => (way.open ? way.to : [])));
  // Where none is open, the first says what it needs.
  const move = asked.find((one) => open.has(targetOf(run, one))) ?? asked[0];
  if (move !== undefined) return targetOf(run, move);
  // Some states are left only by answering.
  const answer = early[0]?.answer;
  const end = why(workflow, run).find(
    (way) => way.open && way.by.includes("human") && definition.states[way.to]?.final !== undefined,
  );
  const other = end === undefined ? `signalbox why ${id}` : `signalbox move ${id} ${end.to}`;
  const next = answer === undefined ? other : answerCommand(workflow, run, answer);
  const how = answer === undefined ? "no move of a person ends" : "only an answer ends";
  throw new UserError("not-in-map", `${how} the run early from ${run.state}`, { next, exit: EXIT_NOT_YOURS });
}
