/**
 * Turns the bytes of an artifact into a reading.
 *
 * Gates, status, pages and commands all call this function, so that they cannot disagree. File content never makes it throw: an
 * unreadable file becomes a reading with a fault.
 */

import { isBlank } from "../../core/text/blank.ts";
import type { Fault, Reading } from "../../core/model/event.ts";
import type { Reader } from "../../core/model/artifact.ts";
import type { ReaderFinding } from "./finding.ts";
import { frontOf, takenFrom } from "../front-matter/data.ts";
import { readFrontDocument } from "../front-matter/document.ts";
import { takeOut } from "../json/data.ts";
import { faultsOf, loadYamlText, readJson } from "../json/read.ts";
import { findInMarkdown } from "../markdown/read.ts";
import { readWith, type FileReader, type ReadArtifact } from "./reading.ts";
import { readTasks } from "../tasks/read.ts";
import { withoutStatuses } from "../tasks/status.ts";

type TaskReader = Extract<Reader, { type: "tasks" }>;

/** A ticked box shows progress. It decides nothing, so the list counts as unchanged. */
const TICKED = /^[ \t]*[-*+][ \t]+\[[xX]\]/m;
const TICKS = /^([ \t]*[-*+][ \t]+)\[[xX]\]/gm;

export const readArtifact: ReadArtifact = readWith(find);

function find(reader: FileReader, file: string, text: string): ReaderFinding {
  switch (reader.type) {
    case "section":
      return findInMarkdown(reader, file, text);
    case "document":
      return reader.front === undefined
        ? findInMarkdown(reader, file, text)
        : readFrontDocument(reader, file, text);
    case "json":
    case "yaml":
      return { ...readJson(reader, file, text), ...besidesStatus(reader, file, text) };
    case "tasks": {
      const { tasks, faults } = readTasks(reader.style, file, text);
      const taken = textsOf(reader, file, text);
      return {
        found: true,
        faults: [...misshapen(reader, file, text), ...faults, ...taken.faults],
        fields: { tasks: tasks.length },
        lists: { ...taken.lists, tasks: tasks.map(({ id }) => id) },
        ...ownText(reader, file, text),
      };
    }
    case "file": {
      const faults = isBlank(text) ? [{ at: { file, line: 1, col: 1 }, reason: "the file is empty" }] : [];
      return { found: true, faults, ...besidesStatus(reader, file, text) };
    }
  }
}

/** The task reader reports an unreadable file. */
function textsOf(
  { lists }: TaskReader,
  file: string,
  text: string,
): { readonly faults: readonly Fault[]; readonly lists: Reading["lists"] } {
  const loaded = lists === undefined ? undefined : loadYamlText(file, text);
  if (lists === undefined || loaded?.ok !== true) return { faults: [], lists: {} };
  const taken = takeOut({ lists }, loaded.data);
  return { faults: faultsOf(taken.misfits, loaded), lists: taken.lists };
}

/** The content of a list without its progress marks. */
function ownText(reader: TaskReader, file: string, text: string): { readonly text?: string } {
  if (reader.style === "checkbox" && TICKED.test(text)) return { text: text.replaceAll(TICKS, "$1[ ]") };
  return besidesStatus(reader, file, text);
}

/** The same content for a reader that reads the list as another type. */
function besidesStatus(
  { shown }: { readonly shown?: true },
  file: string,
  text: string,
): { readonly text?: string } {
  const own = shown === true ? withoutStatuses(file, text) : undefined;
  return own === undefined ? {} : { text: own };
}

/** The task reader reports an unreadable file. */
function misshapen({ front }: TaskReader, file: string, text: string): readonly Fault[] {
  if (front === undefined) return [];
  const read = frontOf(file, text);
  return read.faults.length > 0 ? [] : takenFrom(read, { ...front, lists: {} }).faults;
}
