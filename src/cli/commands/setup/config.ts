/** `signalbox config`: the settings that count here, and where each comes from. */

import { call } from "../../../app/client.ts";
import type { DataOf } from "../../../app/schemas.ts";
import { answerOf, sayNext } from "../../acted.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { fitted, wrapped } from "../../fit.ts";

type Setting = DataOf<"settings">["settings"][number];
type ParamSetting = DataOf<"settings">["params"][number];

export const command: Command = {
  usage: "[WORKFLOW]",
  about:
    "Prints the effective settings, and where each comes from. With WORKFLOW: its parameters, where each is set, what it takes, and what a run would begin with.\nSettings are in ~/.config/signalbox/config.yaml and in .signalbox/config.yaml of a repository, which counts once it is trusted.",
  words: { min: 0, max: 1 },
  options: {},
  examples: ["signalbox config", "signalbox config task", "signalbox config task --json"],
  async answer({ words: [workflow] }, door): Promise<Answer> {
    const outcome = await call(door, "settings", { workflow });
    const { notes, next } = outcome;
    return {
      ...answerOf(outcome, () => show(outcome.data, door)),
      talk: `${notes.map((note) => `${note}\n`).join("")}${next === "" ? "" : sayNext(next)}`,
    };
  },
};

/** As wide as most terminals are at least: what is piped is read by people, too, and programs have `--json`. */
const COLUMNS = 80;
/** What is longer stands below its key, or all others would stand far from theirs. */
const CELL_MAX = 24;
const BELOW = 6;

function show(data: DataOf<"settings">, { paint, cwd, home, width = COLUMNS }: Door): string {
  const { settings, params, problems, workflow } = data;
  const placeOf = ({ at }: Pick<Setting, "at">): string =>
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

type SettingRow = { readonly cells: readonly string[]; readonly below: readonly string[] };

function rowOf([key = "", value = "", ...more]: readonly string[], place = ""): SettingRow {
  const isLong = value.length > CELL_MAX;
  return {
    cells: [key, isLong ? "" : value, ...more],
    below: [...(isLong ? [value] : []), ...(place === "" ? [] : [place])],
  };
}

function sayRows(
  rows: readonly SettingRow[],
  { paint, width }: Pick<Door, "paint"> & { width: number },
): string {
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

function takenBy({ param, key, takes, default: usual, from }: ParamSetting): string {
  const name = key.endsWith(`.${param}`) ? "" : `, --param ${param}=`;
  return `${takes}${from === "built-in" ? "" : `, ${said(usual)} unless said`}${name}`;
}

function said(value: Setting["value"]): string {
  // A text of several lines is set as a list.
  if (typeof value === "string") return value.includes("\n") ? said(value.split("\n")) : value || '""';
  return Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
}
