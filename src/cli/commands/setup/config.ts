/** `signalbox config`: the settings that count here, and where each comes from. */

import { repoHere } from "../../../app/setup/project-named.ts";
import {
  paramsInForce,
  settingsInForce,
  type ParamInForce,
  type SettingInForce,
} from "../../../adapters/config/in-force.ts";
import { surveySettings } from "../../../adapters/config/read.ts";
import { setParams } from "../../../adapters/config/workflow.ts";
import { surveyWorkflows } from "../../../adapters/config/survey-workflows.ts";
import type { TrustStore } from "../../../adapters/trust/trust.ts";
import { showProblem, type Problem } from "../../../format/problem.ts";
import { storeOf } from "../../../app/runs/find.ts";
import { EXIT_FAILED, EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { fitted, wrapped } from "../../fit.ts";
import { requireWorkflow } from "../../../app/workflows/load.ts";

/** What `--json` gives. */
export type ConfigData = {
  /** Empty where none was named. */
  readonly workflow: string;
  /** Without a workflow. */
  readonly settings: readonly SettingInForce[];
  /** Of the workflow that was named. */
  readonly params: readonly ParamInForce[];
  readonly files: readonly string[];
  /** Where it is not, nothing of the repository's file counts. */
  readonly trusted: boolean;
  readonly problems: readonly string[];
};

export const command: Command = {
  usage: "[WORKFLOW]",
  about:
    "Prints the effective settings, and where each comes from. With WORKFLOW: its parameters, where each is set, what it takes, and what a run would begin with.\nSettings are in ~/.config/signalbox/config.yaml and in .signalbox/config.yaml of a repository, which counts once it is trusted.",
  words: { min: 0, max: 1 },
  options: {},
  examples: ["signalbox config", "signalbox config task", "signalbox config task --json"],
  answer: async ({ words: [wanted] }, door): Promise<Answer> => {
    const data = await dataOf(door, wanted);
    const { problems, trusted } = data;
    const next = problems.length > 0 ? "signalbox doctor" : trusted ? "" : "signalbox trust";
    const told = trusted ? "" : ".signalbox of this repository is not trusted: nothing of it counts\n";
    return {
      exit: problems.length > 0 ? EXIT_FAILED : EXIT_OK,
      code: problems.length > 0 ? "problems" : "ok",
      message: problems[0] ?? "these settings count here",
      data: () => data,
      text: () => show(data, door),
      next,
      talk: `${told}${next === "" ? "" : `  next: ${next}\n`}`,
    };
  },
};

/** Where nothing was ever started, nobody has trusted anything. */
const NOBODY: TrustStore = { trusted: () => undefined, humanKeys: () => [] };

async function dataOf(door: Door, wanted: string | undefined): Promise<ConfigData> {
  const loaded = wanted === undefined ? undefined : await requireWorkflow(wanted, door);
  const store = storeOf(door);
  try {
    // Outside of a repository a person's own settings count.
    const repo = repoHere(store, door) ?? door.cwd;
    const surveyed = await surveySettings({ repo, env: door.env, store: store ?? NOBODY });
    const { layers, files, isTrusted: trusted } = surveyed;
    const definition = loaded?.workflow.definition;
    const own =
      definition === undefined
        ? (await surveyWorkflows(door, layers)).problems
        : setParams(definition, layers).problems;
    const problems: readonly Problem[] = [...surveyed.problems, ...own];
    return {
      workflow: definition?.name ?? "",
      settings: definition === undefined ? settingsInForce(surveyed) : [],
      params: definition === undefined ? [] : paramsInForce(definition, surveyed),
      files,
      trusted,
      problems: problems.map(showProblem),
    };
  } finally {
    store?.close();
  }
}

/** As wide as most terminals are at least: what is piped is read by people, too, and programs have `--json`. */
const COLUMNS = 80;
/** What is longer stands below its key, or all others would stand far from theirs. */
const CELL_MAX = 24;
const BELOW = 6;

function show(data: ConfigData, { paint, cwd, home, width = COLUMNS }: Door): string {
  const { settings, params, problems, workflow } = data;
  const placeOf = ({ at }: Pick<SettingInForce, "at">): string =>
    at === null ? "" : near(`${at.file}:${at.line}:${at.col}`, { cwd, home });
  const root = `workflows.${workflow}`;
  const rows = [
    ...settings.map((row) => rowOf([row.key, said(row.value), placeOf(row) || row.from])),
    ...params.map((row) => {
      const cells = [`  ${row.key.slice(root.length + 1)}`, said(row.value), row.from, takenBy(row)];
      return rowOf(cells, placeOf(row));
    }),
  ];
  const head = params.length === 0 ? "" : `${paint.bold(root)}:\n`;
  const wrong = problems.map((problem) => `${paint.red("problem")}  ${problem}\n`);
  return `${head}${sayRows(rows, { paint, width })}${wrong.join("")}`;
}

/** As people write it. */
function near(place: string, { cwd, home }: Pick<Door, "cwd" | "home">): string {
  if (place.startsWith(`${cwd}/`)) return place.slice(cwd.length + 1);
  return home !== "" && place.startsWith(`${home}/`) ? `~${place.slice(home.length)}` : place;
}

type Row = { readonly cells: readonly string[]; readonly below: readonly string[] };

function rowOf([key = "", value = "", ...more]: readonly string[], place = ""): Row {
  const isLong = value.length > CELL_MAX;
  return {
    cells: [key, isLong ? "" : value, ...more],
    below: [...(isLong ? [value] : []), ...(place === "" ? [] : [place])],
  };
}

function sayRows(rows: readonly Row[], { paint, width }: Pick<Door, "paint"> & { width: number }): string {
  const widthAt = (at: number): number => Math.max(...rows.map(({ cells }) => cells[at]?.length ?? 0));
  return rows
    .map(({ cells: [key = "", value = "", ...more], below }) => {
      const last = more.length - 1;
      const others = more.map((cell, at) => paint.dim(at === last ? cell : cell.padEnd(widthAt(at + 2))));
      const line = fitted([[key.padEnd(widthAt(0)), value.padEnd(widthAt(1)), ...others]], width);
      const lines = below.map((text) => `${wrapped(`${" ".repeat(BELOW)}${text}`, width, BELOW)}\n`);
      return `${line}${lines.join("")}`;
    })
    .join("");
}

function takenBy({ param, key, takes, default: usual, from }: ParamInForce): string {
  const name = key.endsWith(`.${param}`) ? "" : `, --param ${param}=`;
  return `${takes}${from === "built-in" ? "" : `, ${said(usual)} unless said`}${name}`;
}

function said(value: SettingInForce["value"]): string {
  // A text of several lines is set as a list.
  if (typeof value === "string") return value.includes("\n") ? said(value.split("\n")) : value || '""';
  return Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
}
