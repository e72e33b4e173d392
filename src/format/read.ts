/**
 * What the bytes of an artifact say, as a reading.
 *
 * Gate, status, page and command line all ask this one function, so that they cannot disagree. Nothing here
 * throws because of what a file holds: a file that cannot be read is a reading with a fault.
 */

import type { Fault } from "../core/event.ts";
import type { Reader } from "../core/workflow.ts";
import type { Finding } from "./finding.ts";
import { frontOf } from "./front.ts";
import { readFrontDocument } from "./front-document.ts";
import { unlike } from "./json/data.ts";
import { faultsOf, loadYamlText, readJson } from "./json/read.ts";
import { findInMarkdown } from "./markdown/read.ts";
import { readWith, type FileReader, type Read } from "./reading.ts";
import { readTasks } from "./tasks/read.ts";

export const readArtifact: Read = readWith(find);

function find(reader: FileReader, file: string, text: string): Finding {
  switch (reader.type) {
    case "section":
      return findInMarkdown(reader, file, text);
    case "document":
      return reader.front === undefined
        ? findInMarkdown(reader, file, text)
        : readFrontDocument(reader, file, text);
    case "json":
    case "yaml":
      return readJson(reader, file, text);
    case "tasks": {
      const { tasks, faults } = readTasks(reader.style, file, text);
      return {
        found: true,
        faults: [...unlikeIn(reader, file, text), ...faults],
        fields: { tasks: tasks.length },
        lists: { tasks: tasks.map(({ id }) => id) },
      };
    }
    case "file": {
      const faults =
        text.trim() === "" ? [{ at: { file, line: 1, col: 1 }, reason: "the file is empty" }] : [];
      return { found: true, faults };
    }
  }
}

/** What a list of tasks says of itself: at its top, or in the front matter of Markdown. */
function unlikeIn(
  { style, same }: Extract<Reader, { type: "tasks" }>,
  file: string,
  text: string,
): readonly Fault[] {
  if (same === undefined) return [];
  if (style !== "yaml") {
    const front = frontOf(file, text);
    return faultsOf(unlike(same, front.data), front);
  }
  const loaded = loadYamlText(file, text);
  return loaded.ok ? faultsOf(unlike(same, loaded.data), loaded) : [];
}
