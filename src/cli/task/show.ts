/** `signalbox task show`: what `show` says of a run, and what makes a task of it: dependencies, queue, messages. */

import { whyInLine } from "../../engine/line.ts";
import type { MessageRow } from "../../engine/ports/messages.ts";
import type { Store } from "../../engine/ports/store.ts";
import { seeRun, withStore } from "../../app/runs/find.ts";
import type { Answer, Command } from "../command.ts";
import { command as showRun } from "../commands/show.ts";
import { sessionsOf, type Session } from "./session.ts";
import { OF_PROJECT, taskMeant } from "./which.ts";

/** What `--json` gives under `task`, beside everything of `show`. */
export type TaskView = {
  readonly project: string;
  readonly session: Session;
  readonly queued: boolean;
  /** In words, what it waits for in the queue. */
  readonly queuedFor: string;
  readonly dependsOn: readonly { readonly run: string; readonly state: string }[];
  readonly dependents: readonly string[];
  readonly messages: readonly Omit<MessageRow, "run">[];
  readonly hidden: boolean;
};

export const command: Command = {
  usage: "[TASK] [--verbose]",
  about:
    "Shows a task as `signalbox show` does, and beside that its project, its place in the queue, what it depends on, and what its agents were told.",
  words: { min: 0, max: 1 },
  options: { ...OF_PROJECT, ...showRun.options },
  examples: ["signalbox task show k3d9"],
  answer: async (given, door): Promise<Answer> => {
    const { run, view } = await lookUp();
    const answer = await showRun.answer({ ...given, words: [run] }, door);
    return {
      ...answer,
      data: () => ({ ...answer.data(), task: view }),
      text: () => `${answer.text()}${say(view)}`,
    };

    async function lookUp(): Promise<{ run: string; view: TaskView }> {
      let found: { run: string; view: TaskView } | undefined;
      await withStore(door, (store) => {
        const id = taskMeant({ store, door }, given.words[0], given.options["project"]);
        const seen = seeRun(store, door, id);
        found = { run: id, view: viewOf(seen.store, id) };
        return { exit: 0, code: "ok", message: "", data: () => ({}), text: () => "", next: "" };
      });
      if (found === undefined) throw new Error("nothing was looked at");
      return found;
    }
  },
};

function viewOf(store: Store, id: string): TaskView {
  const kept = store.load(id);
  const repo = kept?.row.repo ?? "";
  const queued = store.queued(repo).some(({ run }) => run === id);
  return {
    project: store.projectAt(repo)?.name ?? "",
    session: kept === undefined ? "none" : sessionsOf(store)(kept.run),
    queued,
    queuedFor: queued ? whyInLine(store, id).join("; ") || "waits for its turn" : "",
    dependsOn: store.depends(id).map((run) => ({ run, state: store.load(run)?.row.state ?? "" })),
    dependents: store.dependents(id),
    messages: store.messages(id).map(({ run: _run, ...message }) => message),
    hidden: kept?.row.hidden ?? false,
  };
}

function say(view: TaskView): string {
  const { project, session, queuedFor, dependsOn, dependents, messages, hidden } = view;
  const lines: [string, string][] = [
    ["project", project],
    ["session", session === "none" ? "" : session],
    ["queued", queuedFor],
    ["depends on", dependsOn.map(({ run, state }) => `${run} (${state})`).join(", ")],
    ["waited for by", dependents.join(", ")],
    ["messages", messages.map(({ role, status, at }) => `${role}: ${status} ${sayAt(at)}`).join(", ")],
    ["put away", hidden ? "yes" : ""],
  ];
  const said = lines.filter(([, value]) => value !== "");
  return said.map(([name, value]) => `${name.padEnd(13)} ${value}\n`).join("");
}

function sayAt(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}
