/** `signalbox follow`: watches a run again until it ends or waits for you. */

import { acting, runOf, type Acting } from "../../../app/context.ts";
import { EXIT_OK, EXIT_WAITING } from "../../../app/exit-codes.ts";
import type { Emit } from "../../../app/outcome.ts";
import { seenOf } from "../../../app/runs/load.ts";
import { follow, type Followed } from "../../../app/story/follow.ts";
import { linesOf } from "../../../app/story/lines.ts";
import { causeOf } from "../../../app/view/decision/cause.ts";
import type { Answer, Command } from "../../command.ts";
import { wrapped } from "../../fit.ts";
import { HANGING, sayEnd } from "../../render/follow.ts";

/** So much of the story is repeated first. */
const LINES = 10;

export const command: Command = {
  usage: "[RUN]",
  about:
    "Prints the last lines of a run's history and then each new one, until the run ends or waits for you. Ctrl-C ends the display; the run goes on.\nThe exit code is 0 when the run is done, 3 when it waits for you.",
  words: { min: 0, max: 1 },
  options: {},
  examples: ["signalbox follow abcd", "signalbox follow fix-dates"],
  answer: async ({ words, options }, door): Promise<Answer> => {
    const [isJson, isQuiet] = [options["json"] !== undefined, options["quiet"] !== undefined];
    const { run, state, from, workflow } = await acting(door, (on) => begunOf(on, words[0]));
    return {
      exit: EXIT_OK,
      code: "ok",
      message: `${run} is in ${state}`,
      data: () => ({ run, workflow, state }),
      text: () => "",
      next: `signalbox show ${run}`,
      stream: (emit, signal) =>
        acting(door, async (on) => {
          // Programs get one document, at the end.
          const each: Emit =
            isJson || isQuiet
              ? () => undefined
              : (piece) => emit({ ...piece, text: wrapped(piece.text, door.width, HANGING) });
          const end = await follow(on, { run, from, emit: each, signal });
          const cause = end.exit === EXIT_WAITING ? await causeOf(await seenOf(on, end.asking.run)) : [];
          const data = documentOf({ run, workflow }, end);
          emit({ text: isQuiet ? "" : sayEnd({ ...end, cause }, door), data });
          return end.exit;
        }),
    };
  },
};

type Begun = {
  readonly run: string;
  readonly workflow: string;
  readonly state: string;
  readonly from: number;
};

async function begunOf(on: Acting, word: string | undefined): Promise<Begun> {
  const seen = await seenOf(on, await runOf(on, word));
  const { lines } = await linesOf(seen, LINES);
  const { id: run, state } = seen.run;
  return { run, state, workflow: seen.row.workflow, from: (lines[0]?.seq ?? 1) - 1 };
}

function documentOf(of: Pick<Begun, "run" | "workflow">, end: Followed): Readonly<Record<string, unknown>> {
  const { exit, code, message, state, status, seq, ways, choices, reads, next } = end;
  return { ok: exit === EXIT_OK, code, message, ...of, state, status, seq, ways, choices, reads, next };
}
