/** `signalbox salvage`: what runs left when their workspaces were released, and how to get it back. */

import { call } from "../../../app/client.ts";
import type { DataOf } from "../../../app/schemas.ts";
import { firstLine, sayAge, sayTime } from "../../../app/view/words.ts";
import { answerOf, talkOf } from "../../acted.ts";
import type { Answer, Command, Door, Group } from "../../command.ts";
import { numberOption } from "../../number-option.ts";
import { fitted } from "../../fit.ts";
import { scopeIn } from "./workspace.ts";

type SalvageRow = DataOf<"salvages">["salvages"][number];

const LIMIT = 50;
const LIMIT_MAX = 100_000;
const LINES_MAX = 40;
const KB = 1024;

const list: Command = {
  usage: "[--all | --project NAME | --here] [--limit N]",
  about:
    "Lists what runs left when their workspaces were released, the newest first: of the repository that you are in, or of all.",
  words: { min: 0, max: 0 },
  options: {
    all: { about: "of every repository" },
    project: { takes: "NAME", about: "of this project" },
    here: { about: "of the repository that you are in; elsewhere it is an error" },
    limit: { takes: "N", about: `at most so many; ${LIMIT} unless given` },
  },
  examples: ["signalbox salvage list", "signalbox salvage list --all --json"],
  async answer(given, door): Promise<Answer> {
    const help = "signalbox salvage list --help";
    const limit = numberOption(given, "limit", { otherwise: LIMIT, min: 1, max: LIMIT_MAX, help });
    const outcome = await call(door, "salvages", { ...scopeIn(given), limit });
    return answerOf(outcome, () => table(outcome.data, door));
  },
};

function table({ salvages, quarantine }: DataOf<"salvages">, { paint, width }: Door): string {
  const now = Date.now();
  return fitted(
    [
      ...salvages.map((row) => [
        paint.bold(row.run),
        sayAge(row.at, now),
        sayLeft(row),
        firstLine(row.goal, 60),
      ]),
      ...quarantine.map(({ path, at, reason }) => [
        paint.dim("-"),
        sayAge(at, now),
        path,
        firstLine(reason.split("\n").at(-1) ?? ""),
      ]),
    ],
    width,
  );
}

function sayLeft({ files, commits, keptSize, git }: SalvageRow): string {
  return [
    ...(files === 0 ? [] : [`${files} changed`]),
    ...(commits === 0 ? [] : [`${commits} ${commits === 1 ? "commit" : "commits"} on no branch`]),
    ...(keptSize.files === 0 ? [] : [`kept ${saySize(keptSize)}`]),
    ...(git ? ["its .git"] : []),
  ].join("; ");
}

function saySize({ files, bytes, more }: SalvageRow["keptSize"]): string {
  const plus = more ? "+" : "";
  return `${files}${plus} ${files === 1 && !more ? "file" : "files"}, ${sayBytes(bytes)}${plus}`;
}

function sayBytes(bytes: number): string {
  if (bytes < KB) return `${bytes} B`;
  if (bytes < KB * KB) return `${Math.ceil(bytes / KB)} KB`;
  return `${(bytes / KB / KB).toFixed(1)} MB`;
}

const show: Command = {
  usage: "ID [--diff]",
  about:
    "Shows what a run left: changed files that no handover has, handovers that are on no branch, and files that git does not hold.",
  words: { min: 1, max: 1 },
  options: { diff: { about: "also show the changed files as a diff" } },
  examples: ["signalbox salvage show k3d9", "signalbox salvage show k3d9 --diff"],
  async answer({ words: [run = ""], options }, door): Promise<Answer> {
    const outcome = await call(door, "salvage", { run, diff: options["diff"] !== undefined });
    const { salvage, diff = "" } = outcome.data;
    return answerOf(outcome, () => `${page(salvage, door)}${diff === "" ? "" : `\n${diff}`}`);
  },
};

function page(salvage: DataOf<"salvage">["salvage"], { paint }: Door): string {
  const facts = [
    ["left at", sayTime(salvage.at)],
    ["goal", firstLine(salvage.goal)],
    ["repository", salvage.repo],
    ["branch", salvage.branch],
    ["base", salvage.base],
    ["last handover", salvage.head],
    ["left", salvage.left],
    ["its .git", salvage.git.join(", ")],
    ["interrupted", salvage.operation],
    ["as a branch", salvage.fetch],
  ] as const;
  const width = Math.max(...facts.map(([name]) => name.length));
  return [
    paint.bold(salvage.run),
    ...facts.filter(([, value]) => value !== "").map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    ...section(
      "Changed since the last handover",
      salvage.changed.map(({ status, name }) => `${status} ${name}`),
    ),
    ...section(
      "Commits on no branch",
      salvage.commits.map(({ oid, subject }) => `${oid.slice(0, 12)} ${firstLine(subject)}`),
    ),
    ...section(`Not held by git (${saySize(salvage.keptSize)})`, salvage.kept),
    "",
  ].join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const more = lines.length - LINES_MAX;
  return [
    `${title}:`,
    ...lines.slice(0, LINES_MAX).map((line) => `  ${line.replaceAll("\n", "\\n")}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

const restore: Command = {
  usage: "ID [FOLDER]",
  about:
    "Restores everything that a run left, in a folder that does not exist yet: ./salvage-ID unless named. The files are as they were on the disk; the .git of the workspace, where it was kept, is in .salvage/git. No checkout, index or branch is touched, and it can be done again.\nOnly people can do this.",
  words: { min: 1, max: 2 },
  options: {},
  examples: ["signalbox salvage restore k3d9", "signalbox salvage restore k3d9 ../rescued"],
  async answer({ words: [run = "", folder] }, door): Promise<Answer> {
    const outcome = await call(door, "restore-salvage", { run, folder });
    const { data, message, notes } = outcome;
    return {
      ...answerOf(outcome, () => `${data.restored.folder}\n`),
      talk: `${message}\n${talkOf(notes, "")}`,
    };
  },
};

export const command: Group = {
  about:
    "Nothing in a workspace is thrown away when it is released: what no branch has is kept.\nAn ID is that of the run; its first letters are enough.",
  parts: {
    list: { about: "list what runs left, the newest first", load: () => Promise.resolve({ command: list }) },
    show: { about: "show what a run left", load: () => Promise.resolve({ command: show }) },
    restore: {
      about: "restore all of it in a new folder",
      load: () => Promise.resolve({ command: restore }),
    },
  },
  examples: ["signalbox salvage list", "signalbox salvage show k3d9", "signalbox salvage restore k3d9"],
};
