/** `signalbox workspace`: the workspaces of runs. */

import { call } from "../../../app/client.ts";
import { badUsage } from "../../../app/failure.ts";
import type { Given } from "../../../app/invocation.ts";
import type { DataOf, InputOf } from "../../../app/schemas.ts";
import { answerOf, talkOf } from "../../acted.ts";
import type { Answer, Command, Door, Group, Option } from "../../command.ts";
import { fitted } from "../../fit.ts";

const OPTIONS: Readonly<Record<string, Option>> = {
  all: { about: "of every project" },
  project: { takes: "NAME", about: "of this project" },
};

const list: Command = {
  usage: "[--all | --project NAME]",
  about:
    "Lists the workspaces of the project that you are in, or of all: the run of each and where it is, its branch, commits ahead of where it began and changed lines, and what is odd about it.",
  words: { min: 0, max: 0 },
  options: OPTIONS,
  examples: ["signalbox workspace list", "signalbox workspace list --all --json"],
  async answer(given, door): Promise<Answer> {
    const outcome = await call(door, "workspaces", scopeIn(given));
    const { workspaces, strange } = outcome.data;
    return answerOf(outcome, () =>
      fitted(
        [
          ...workspaces.map((workspace) => rowOf(workspace, door)),
          ...strange.map((path) => strangerRow(path, door)),
        ],
        door.width,
      ),
    );
  },
};

function rowOf(workspace: DataOf<"workspaces">["workspaces"][number], { paint }: Door): string[] {
  const { run, state, branch, ahead, added, removed, path, odd } = workspace;
  return [
    paint.bold(run),
    paint.cyan(state),
    branch,
    ahead === null ? "" : `${ahead} ahead`,
    added === null ? "" : `+${added} -${removed ?? 0}`,
    odd.length === 0 ? path : `${path} ${paint.yellow(`(${odd.join("; ")})`)}`,
  ];
}

function strangerRow(path: string, { paint }: Door): string[] {
  return [paint.dim("-"), "", "", "", "", `${path} ${paint.yellow("(belongs to no run)")}`];
}

const gc: Command = {
  usage: "[--all | --project NAME]",
  about:
    "Releases the workspaces of runs that are over or unknown: of the project that you are in, or of all. What is in them and on no branch is kept first: signalbox salvage list.\nOnly people can do this.",
  words: { min: 0, max: 0 },
  options: OPTIONS,
  examples: ["signalbox workspace gc", "signalbox workspace gc --all"],
  async answer(given, door): Promise<Answer> {
    const outcome = await call(door, "release-workspaces", scopeIn(given));
    const { data, message, notes, next } = outcome;
    const lines = data.done.map(({ run, did, salvage, kept }) =>
      [`${run}: ${did}`, salvage, kept].filter((part) => part !== "").join("; "),
    );
    return {
      ...answerOf(outcome, () => lines.map((line) => `${line}\n`).join("")),
      talk: talkOf([message, ...notes], next),
    };
  },
};

export const command: Group = {
  about:
    "Each run that needs one has a workspace of its own. It is made when the run needs it, kept while the run waits, and removed when the run is over.\nHow many agents work at the same time is said by `signalbox project update --agents`.",
  parts: {
    list: {
      about: "list workspaces, their runs, and what is odd",
      load: () => Promise.resolve({ command: list }),
    },
    gc: {
      about: "release what no run needs any more; nothing in it is lost",
      load: () => Promise.resolve({ command: gc }),
    },
  },
  examples: ["signalbox workspace list", "signalbox workspace gc"],
};

/** Whose workspaces or salvages are meant. */
export function scopeIn({ options }: Given): InputOf<"workspaces"> {
  const asked = ["all", "project", "here"].filter((name) => options[name] !== undefined);
  if (asked.length > 1) throw badUsage(`--${asked.join(" and --")} do not go together`, "leave one out");
  return {
    all: options["all"] !== undefined,
    project: options["project"],
    here: options["here"] !== undefined,
  };
}
