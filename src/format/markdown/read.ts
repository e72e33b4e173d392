/** The readers of Markdown, without other readers: most files of most runs need only these. */

import type { Reader } from "../../core/model/artifact.ts";
import type { ReaderFinding } from "../reading/finding.ts";
import { readWith, type FileReader, type ReadArtifact } from "../reading/reading.ts";
import { readDocument } from "./document.ts";
import { readSection } from "./section.ts";

export type MarkdownReader = Extract<Reader, { type: "section" | "document" }>;

/** The same as `readArtifact`, for Markdown artifacts only. */
export const readMarkdown: ReadArtifact = readWith(find);

export function findInMarkdown(reader: MarkdownReader, file: string, text: string): ReaderFinding {
  switch (reader.type) {
    case "section":
      return readSection(reader, file, text);
    case "document":
      return readDocument(reader, file, text);
  }
}

function find(reader: FileReader, file: string, text: string): ReaderFinding {
  if (reader.type === "section" || (reader.type === "document" && reader.front === undefined))
    return findInMarkdown(reader, file, text);
  throw new Error(`${reader.type} is not a reader of Markdown`);
}
