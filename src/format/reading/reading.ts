/** Reads artifacts with the readers that they need. What all readings have in common: missing files, invalid encoding, the digest, the slot. */

import type { Fault, Reading } from "../../core/model/event.ts";
import type { Artifact, Reader } from "../../core/model/artifact.ts";
import type { ReaderFinding } from "./finding.ts";
import { partBlocks } from "../review/blocks.ts";
import { sha256 } from "../sha256.ts";
import { decode } from "./text.ts";

const BYTES_MAX = 1024 * 1024;
/** The Markdown parser is much slower than the others for a malicious text. */
const MARKDOWN_BYTES_MAX = 256 * 1024;

/** `file` is the path as people know it; `bytes` is undefined if the file does not exist. */
type ArtifactSource = {
  readonly file: string;
  readonly bytes: Uint8Array | undefined;
  readonly slot: string;
};

export type FileReader = Exclude<Reader, { type: "check" | "fact" | "children" | "files" }>;

export type Find = (reader: FileReader, file: string, text: string) => ReaderFinding;

export type ReadArtifact = (name: string, artifact: Artifact, source: ArtifactSource) => Reading;

type ArtifactInFile = { readonly artifact: string; readonly of: Artifact; readonly slot: string };

/** All artifacts of one file. */
export async function readArtifacts(
  wanted: readonly ArtifactInFile[],
  { file, bytes }: Omit<ArtifactSource, "slot">,
): Promise<readonly Reading[]> {
  const read = await readerFor(wanted);
  return wanted.map(({ artifact, of, slot }) => read(artifact, of, { file, bytes, slot }));
}

/** Loads only what is needed: a Markdown file does not need the YAML parser. */
export async function readerFor(wanted: readonly Pick<ArtifactInFile, "of">[]): Promise<ReadArtifact> {
  const isMarkdown = wanted.every(
    ({ of: { reader } }) =>
      reader.type === "section" || (reader.type === "document" && reader.front === undefined),
  );
  if (isMarkdown) return (await import("../markdown/read.ts")).readMarkdown;
  return (await import("./read.ts")).readArtifact;
}

export function readWith(find: Find): ReadArtifact {
  return (name, artifact, source) => {
    const { file, bytes, slot } = source;
    const reading = { artifact: name, slot, found: false, digest: "", faults: [], fields: {}, lists: {} };
    const { reader } = artifact;
    if (!isFromFile(reader)) return reading;
    if (bytes === undefined) {
      return {
        ...reading,
        faults: [{ at: { file, line: 1, col: 1 }, reason: `the file is missing${purpose(reader)}` }],
      };
    }
    const decoded = decode(file, bytes, bytesMaxOf(reader));
    if (!decoded.ok) return { ...reading, found: true, digest: digestOf(bytes), faults: [decoded.fault] };
    const { rest, blank } = artifact.blocks === true ? partBlocks(decoded.text) : WHOLE(decoded.text);
    const { text, ...finding } = find(reader, file, blank);
    const faults = [...finding.faults, ...tooLong(reader, file, rest ?? decoded.text)];
    return { ...reading, ...finding, faults, digest: finding.found ? digestOf(text ?? rest ?? bytes) : "" };
  };
}

/** A file without content of the engine. */
const WHOLE = (text: string): { readonly rest?: string; readonly blank: string } => ({ blank: text });

/** Reported at the position of the limit, with the actual size. */
function tooLong(reader: FileReader, file: string, text: string): Fault[] {
  const most = "most" in reader ? reader.most : undefined;
  if (most === undefined || text.length <= most) return [];
  const before = text.slice(0, most).split("\n");
  const at = { file, line: before.length, col: (before.at(-1)?.length ?? 0) + 1 };
  return [{ at, reason: `it has ${text.length} characters, and ${most} are the most it may have` }];
}

function isFromFile(reader: Reader): reader is FileReader {
  return (
    reader.type !== "check" && reader.type !== "fact" && reader.type !== "children" && reader.type !== "files"
  );
}

/** A larger file is a fault. */
export function bytesMaxOf(reader: Reader): number {
  const isMarkdown =
    reader.type === "tasks"
      ? reader.style !== "yaml"
      : reader.type === "section" || reader.type === "document";
  return isMarkdown ? MARKDOWN_BYTES_MAX : BYTES_MAX;
}

function purpose(reader: FileReader): string {
  return reader.type === "section" ? `; it must have the section "## ${reader.heading}"` : "";
}

function digestOf(content: string | Uint8Array): string {
  return `sha256:${sha256(content)}`;
}
