/** `signalbox why`: for every move out of the present state, whether it is open, and what would open it. */

import { sayDeadlock } from "../../engine/deadlocks.ts";
import { seeRun, withStore, type Seen } from "../../app/runs/find.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Answer, Command, Door } from "../command.ts";
import { fitted } from "../fit.ts";
import { sayAsOf } from "../../app/view/work-seen.ts";
import { sayTask, tasksOf, type TaskView } from "../../app/view/children.ts";
import { sayLanded } from "../../app/view/landed.ts";
import { withWhatIsInTheWay } from "../../app/view/place-taken.ts";
import { sayLine } from "../../app/story/line.ts";
import { sayTyped, type Choice } from "../../app/view/choices.ts";
import { sayTold, toldTo } from "../../app/story/told.ts";
import { deadlockOf } from "../../app/view/trouble.ts";
import { choicesOfPerson, nextForPerson, waysOf, type Way } from "../../app/view/moves.ts";
import { columns } from "../render/table.ts";

/** What `--json` gives. */
export type WhyData = {
  readonly run: string;
  readonly state: string;
  readonly moves: readonly Way[];
  /** Agents that were told something and have not been heard of since. */
  readonly silent: readonly string[];
  /** What a person should know before deciding. */
  readonly notes: readonly string[];
  /** Of a list that it has started and that it waits for. */
  readonly tasks: readonly TaskView[];
};

export const command: Command = {
  usage: "[RUN]",
  about:
    "Says for every move out of the present state whether it is open, every reason why not, and the smallest thing that would open it.",
  words: { min: 0, max: 1 },
  options: {},
  examples: ["signalbox why", "signalbox why abcd --json"],
  answer: ({ words }, door) =>
    withStore(door, (store) => {
      const seen = withWhatIsInTheWay(seeRun(store, door, words[0]));
      const { id, state } = seen.run;
      const data: WhyData = {
        run: id,
        state,
        moves: waysOf(seen),
        silent: silentOf(seen),
        notes: [...sayHalted(seen), ...sayDeadlocked(seen), sayLanded(seen)].filter((note) => note !== ""),
        tasks: tasksOf(seen),
      };
      const open = data.moves.filter((way) => way.open).length;
      const isDeadlocked = deadlockOf(seen) !== undefined;
      const next = isDeadlocked
        ? nextForPerson(seen)
        : `signalbox ${seen.row.halted ? "resume" : "next"} ${data.run}`;
      // Before the store is closed: the text is made after that.
      const line = sayLine(seen.store, data.run);
      const choices = isDeadlocked ? choicesOfPerson(seen) : [];
      return {
        exit: EXIT_OK,
        code: "ok",
        message: `${open} of ${data.moves.length} moves out of ${data.state} are open`,
        data: () => data,
        text: () => `${show(data, door)}${line}${sayChoices(choices, door)}`,
        next,
        talk: `  next: ${next}\n`,
      } satisfies Answer;
    }),
};

/** Whatever is open, it stays where it is. */
function sayHalted({ row }: Seen): string[] {
  return row.halted ? [`it is halted: nothing is done for it until signalbox resume ${row.id}`] : [];
}

function sayDeadlocked(seen: Seen): string[] {
  const deadlock = deadlockOf(seen);
  return deadlock === undefined ? [] : [sayDeadlock(deadlock)];
}

function sayChoices(choices: readonly Choice[], { width }: Door): string {
  if (choices.length === 0) return "";
  return `You can type:\n${fitted(
    choices.map((choice) => [`  ${sayTyped(choice)}`, choice.means]),
    width,
  )}`;
}

function silentOf({ store, run }: Seen): string[] {
  const messages = store.messages(run.id);
  return Object.values(run.agents).flatMap((agent) => {
    const said = sayTold(toldTo(messages, agent), Date.now());
    return said === "" ? [] : [`${agent.role} ${said}`];
  });
}

function show({ run, state, moves, silent, notes, tasks }: WhyData, { paint }: Door): string {
  if (moves.length === 0) return `${run} is in ${state}, and no move leads out of it.\n`;
  const lines = moves.flatMap((way) => {
    const who = way.by.map((name) => (name === "human" ? "a person" : name)).join(" or ");
    const how = way.answer === "" ? `by ${who}` : `by answering ${way.answer}`;
    const mark = way.open ? paint.green("open") : paint.yellow("shut");
    const reasons = way.reasons.map(({ message, at }) => {
      const place = at === undefined ? "" : `${at.file}:${at.line}:${at.col}: `;
      return `    ${place}${message}`;
    });
    return [
      `  ${mark}  ${paint.bold(way.to)} ${how}`,
      ...reasons,
      ...(way.asOf === "" ? [] : [`    ${sayAsOf(way.asOf)}`]),
      `    ${way.open ? "to do" : "it opens when"}: ${way.smallest}`,
    ];
  });
  const known = [...silent, ...notes].map((line) => `  ${paint.yellow(line)}`);
  const open = columns(tasks.map((task) => ["  task", ...sayTask(task)]));
  return `${[`${run} is in ${state}. From here:`, ...lines, ...known].join("\n")}\n${open}`;
}
