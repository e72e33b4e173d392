/**
 * The part of YAML that a person can check by eye: one document, maps with text keys, lists and scalars.
 *
 * Constructs that a parser reads differently from how they look are refused with their position: aliases, merge keys, tags, keys
 * that become numbers. The file may come from a stranger, so its size is checked before its text, and the nesting depth with
 * every token, before any recursive function runs.
 */

import { Composer, CST, isAlias, isMap, isScalar, isSeq, Lexer, Parser } from "yaml";
import type { Document, ParsedNode, Scalar, YAMLMap } from "yaml";
import type { SourcePlace } from "../core/model/workflow.ts";
import { nearestSpot, placesIn, PROBLEMS_MAX, problemsAt } from "./problem.ts";
import type { OffsetProblem, Problem, Path } from "./problem.ts";

const BYTES_MAX = 262_144;
const DEPTH_MAX = 50;

export type LoadedYaml =
  | {
      readonly ok: true;
      readonly data: unknown;
      /** The position of a value, or of the nearest enclosing value. */
      placeOf(path: Path): SourcePlace;
      /** The position of a key, or of the nearest enclosing key. */
      keyPlaceOf(path: Path): SourcePlace;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type YamlSpot = {
  readonly key: number;
  readonly value: number;
  readonly depth: number;
  readonly children: Map<string | number, YamlSpot>;
};

export function loadYaml(file: string, bytes: Uint8Array): LoadedYaml {
  if (bytes.length > BYTES_MAX) {
    const message = `The file has ${bytes.length} bytes; at most ${BYTES_MAX} are read.`;
    return { ok: false, problems: [{ file, line: 1, col: 1, code: "too-big", message }] };
  }
  const content = withoutByteOrderMark(bytes);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);
  const placeAt = placesIn(file, text);

  const unreadable = charactersRefused(text, content);
  if (unreadable.length > 0) return { ok: false, problems: problemsAt(unreadable, placeAt) };

  const { contents, faults } = withoutStacks(() => parse(text));
  if (contents === null) return { ok: false, problems: problemsAt(faults, placeAt) };
  const root: YamlSpot = { key: 0, value: contents.range[0], depth: 0, children: new Map() };
  const found: OffsetProblem[] = [];
  const data = readNode(contents, root, found);
  if (!isMap(contents)) found.push({ offset: root.value, ...notAMap(contents) });
  // Problems after a syntax error may be its consequence, and would only hide it.
  const errors = faults.filter(({ code }) => code === "syntax");
  const broken = errors.reduce((least, { offset }) => Math.min(least, offset), text.length);
  const problems = problemsAt([...faults, ...found.filter(({ offset }) => offset <= broken)], placeAt);
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    data,
    placeOf: (path) => placeAt(nearestSpot(root, path).value),
    keyPlaceOf: (path) => placeAt(nearestSpot(root, path).key),
  };
}

function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** The decoder writes U+FFFD for invalid bytes: the first one that the file does not itself contain is the position. */
function charactersRefused(text: string, bytes: Uint8Array): readonly OffsetProblem[] {
  const faults: OffsetProblem[] = [];
  let byte = 0;
  for (let offset = 0; offset < text.length && faults.length <= PROBLEMS_MAX; offset += 1) {
    const code = text.codePointAt(offset) ?? 0;
    if (code === 0xfffd && !(bytes[byte] === 0xef && bytes[byte + 1] === 0xbf && bytes[byte + 2] === 0xbd)) {
      const value = bytes[byte]?.toString(16).padStart(2, "0");
      return [{ offset, code: "not-utf-8", message: `The byte 0x${value} is not valid UTF-8.` }];
    }
    const message = refusedCharacter(code, text.charCodeAt(offset + 1));
    if (message !== undefined) faults.push({ offset, code: "control-character", message });
    byte += byteLength(code);
    if (code > 0xffff) offset += 1;
  }
  return faults;
}

function refusedCharacter(code: number, next: number): string | undefined {
  if (code === 0) return "NUL bytes are not allowed; is this a text file?";
  if (code === 0x0d && next !== 0x0a) return "A carriage return must be followed by a line feed.";
  if (code === 0x09 || code === 0x0a || code === 0x0d || code === 0x85) return undefined;
  const refused = code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0xfffe || code === 0xffff;
  if (!refused) return undefined;
  return `The control character U+${code.toString(16).toUpperCase().padStart(4, "0")} is not allowed.`;
}

function byteLength(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

/** The package creates an `Error` for every syntax error. The stacks are not used, and cause most of the cost. */
function withoutStacks<T>(work: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

type ParsedText = { readonly contents: ParsedNode | null; readonly faults: readonly OffsetProblem[] };

function parse(text: string): ParsedText {
  const parser = new Parser();
  const composer = new Composer({
    schema: "core",
    prettyErrors: false,
    // This file has its own checks: the package compares each key with every other, and resolves known tags in any schema.
    uniqueKeys: false,
    resolveKnownTags: false,
  });
  const documents: Document.Parsed[] = [];
  const faults: OffsetProblem[] = [];
  let started = 0;
  const take = (tokens: Iterable<CST.Token>) => {
    for (const token of tokens) {
      if (token.type === "document") started += 1;
      if (token.type === "error") faults.push(syntax(token.offset, token.message));
      else if (started < 2) documents.push(...composer.next(token));
      else if (started === 2 && token.type === "document") faults.push(secondDocument(token.offset));
    }
  };
  for (const [lexeme, isText] of lexemesOf(text)) {
    const fault = isText ? undefined : lexemeRefused(lexeme, parser.offset);
    if (fault !== undefined) faults.push(fault);
    const offset = parser.offset;
    take(parser.next(lexeme));
    const isDeep = parser.stack.filter(CST.isCollection).length > DEPTH_MAX;
    if (isDeep) faults.push(tooDeep(offset));
    if (isDeep || faults.length > PROBLEMS_MAX) return { contents: null, faults };
    if (started > 1) break;
  }
  take(parser.end());
  documents.push(...composer.end());
  const document = documents[0];
  const errors = document?.errors ?? composer.streamInfo().errors;
  for (const { pos, message } of errors) faults.push(syntax(pos[0], message));
  if (document === undefined && faults.length === 0) faults.push({ offset: 0, ...EMPTY });
  return { contents: document?.contents ?? null, faults };
}

/** A lexeme after the marker for text is text, independent of its content. */
function* lexemesOf(text: string): Generator<readonly [lexeme: string, isText: boolean]> {
  let isText = false;
  for (const lexeme of new Lexer().lex(text)) {
    yield [lexeme, isText];
    isText = !isText && lexeme === CST.SCALAR;
  }
}

const LEXEMES_REFUSED: Readonly<Record<string, Omit<OffsetProblem, "offset">>> = {
  alias: { code: "alias", message: "Aliases (*name) are not allowed: write the value out." },
  anchor: { code: "anchor", message: "Anchors (&name) are not allowed." },
  tag: { code: "tag", message: "Tags (!name) are not allowed." },
  "directive-line": { code: "directive", message: "Directives (%NAME) are not allowed." },
};

const EMPTY = { code: "empty", message: "The file is empty: a map (key: value) is expected." };

function lexemeRefused(lexeme: string, offset: number): OffsetProblem | undefined {
  const refused = LEXEMES_REFUSED[CST.tokenType(lexeme) ?? ""];
  return refused && { offset, ...refused };
}

function syntax(offset: number, message: string): OffsetProblem {
  return { offset, code: "syntax", message: `${message}.` };
}

function secondDocument(offset: number): OffsetProblem {
  return {
    offset,
    code: "several-documents",
    message: "A second document begins here; only one is allowed.",
  };
}

function tooDeep(offset: number): OffsetProblem {
  return { offset, code: "too-deep", message: `Nested more than ${DEPTH_MAX} levels deep.` };
}

function notAMap(contents: ParsedNode): Omit<OffsetProblem, "offset"> {
  if (contents.range[0] === contents.range[1]) return EMPTY;
  const what = isSeq(contents) ? "a list" : "a single value";
  return { code: "not-a-map", message: `The top level must be a map (key: value), not ${what}.` };
}

function readNode(node: ParsedNode | null, spot: YamlSpot, faults: OffsetProblem[]): unknown {
  if (node === null || isAlias(node)) return null;
  if (isScalar(node)) return readScalar(node, faults);
  // A pair in a flow sequence is a map, which the parser's stack does not show.
  if (spot.depth === DEPTH_MAX) faults.push(tooDeep(spot.value));
  if (isMap(node)) return readMap(node, spot, faults);
  return node.items.map((item, index) => {
    const value = item.range[0];
    return readNode(item, childOf(spot, index, { key: value, value }), faults);
  });
}

function childOf(parent: YamlSpot, name: string | number, at: Pick<YamlSpot, "key" | "value">): YamlSpot {
  const child = { ...at, depth: parent.depth + 1, children: new Map<string | number, YamlSpot>() };
  parent.children.set(name, child);
  return child;
}

function readScalar(node: Scalar.Parsed, faults: OffsetProblem[]): unknown {
  const { value } = node;
  if (typeof value !== "number") return value;
  const digits = Number.isInteger(value) && !/[.e]/i.test(node.source);
  const inexact = digits && !Number.isSafeInteger(value) && String(value) !== node.source;
  if (inexact || !Number.isFinite(value)) {
    const message = `${node.source} cannot be kept as an exact number: quote it if it is text.`;
    faults.push({ offset: node.range[0], code: "number", message });
  }
  return value;
}

function readMap(node: YAMLMap.Parsed, spot: YamlSpot, faults: OffsetProblem[]): unknown {
  const data: Record<string, unknown> = {};
  for (const pair of node.items) {
    const at = pair.key.range[0];
    const key = readKey(pair.key, faults);
    if (spot.children.has(key)) {
      faults.push({
        offset: at,
        code: "duplicate-key",
        message: `The key ${JSON.stringify(key)} appears twice.`,
      });
    }
    const child = childOf(spot, key, { key: at, value: pair.value?.range[0] ?? at });
    const value = readNode(pair.value, child, faults);
    if (key === "__proto__") {
      faults.push({ offset: at, code: "key-refused", message: `The key "__proto__" is not allowed.` });
    } else data[key] = value;
  }
  return data;
}

function readKey(node: ParsedNode, faults: OffsetProblem[]): string {
  const offset = node.range[0];
  if (!isScalar(node)) {
    if (!isAlias(node))
      faults.push({ offset, code: "key-not-text", message: "A key must be text, not a list or a map." });
    return `\0${offset}`;
  }
  if (typeof node.value !== "string") {
    const message =
      node.source === ""
        ? "A key is missing here."
        : `The key ${node.source} is read as ${String(node.value)}, not as text: quote it.`;
    faults.push({ offset, code: "key-not-text", message });
    return node.source;
  }
  if (node.source === "<<" && node.type === "PLAIN") {
    faults.push({ offset, code: "merge-key", message: "Merge keys (<<) are not allowed." });
  }
  return node.value;
}
