/** Lines that programs print: JSON objects, read tolerantly, as texts of a bounded length. */

import { isObject } from "../../format/json/shape.ts";
import type { AgentEvent, LineReader, Usage } from "../../engine/ports/drivers.ts";

export const TEXT_MAX = 16_384;
export const EVENTS_MAX = 100;
const LINE_MAX = 1_048_576;
const NOTICE_MAX = 500;
const STACK_FRAME = /^ {4,}at \S/;

/**
 * For a program that prints JSON lines: `read` gets each object. Every other line is a notice, such as a warning on standard error; only
 * the frames of a stack trace are left out.
 */
export function jsonLines(
  read: (line: unknown) => readonly AgentEvent[],
  end: () => readonly AgentEvent[] = () => [],
): LineReader {
  return {
    take(line) {
      if (line.trim() === "" || STACK_FRAME.test(line)) return [];
      if (line.length > LINE_MAX)
        return [{ type: "notice", text: `(a line of ${line.length} characters is left out)` }];
      const data = parsed(line);
      if (data === undefined) return notice(line);
      return read(data).slice(0, EVENTS_MAX);
    },
    end,
  };
}

/** Half a line, as where a log was cut, says nothing. */
function notice(line: string): readonly AgentEvent[] {
  return line.startsWith('{"') ? [] : [{ type: "notice", text: line.slice(0, NOTICE_MAX) }];
}

function parsed(line: string): unknown {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    // A text that only begins like an object.
    return undefined;
  }
}

export function at(data: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    data,
  );
}

/** The events of what was used: none where the program does not count its input, because unknown is not zero. */
export function usageEvents(data: unknown, key: string, read: () => Usage): readonly AgentEvent[] {
  return typeof at(data, key) === "number" ? [{ type: "usage", usage: read() }] : [];
}

export function modelEvents(name: string): readonly AgentEvent[] {
  return name === "" ? [] : [{ type: "model", name }];
}

/** Empty where there is no text. */
export function textAt(data: unknown, ...path: readonly string[]): string {
  const value = at(data, ...path);
  return typeof value === "string" ? clipped(value) : "";
}

/** 0 where there is no number that counts something. */
export function countAt(data: unknown, ...path: readonly string[]): number {
  const value = at(data, ...path);
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

export function listAt(data: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = at(data, ...path);
  return Array.isArray(value) ? value.slice(0, EVENTS_MAX) : [];
}

/** What people want to know of the input of a tool: its command or its file, else all of it. */
export function inputIn(data: unknown): string {
  if (typeof data === "string") return clipped(data);
  const said = INPUTS.map((key) => textAt(data, key)).find((text) => text !== "");
  return said ?? (data === undefined || data === null ? "" : clipped(JSON.stringify(data)));
}

const INPUTS = ["command", "file_path", "filePath", "path", "pattern", "query", "url"];

export function textEvents(text: string): readonly AgentEvent[] {
  return text === "" ? [] : [{ type: "text", text: clipped(text) }];
}

export function clipped(text: string): string {
  if (text.length <= TEXT_MAX) return text;
  const left = ` (${text.length - TEXT_MAX} more characters)`;
  return `${text.slice(0, TEXT_MAX - left.length)}${left}`;
}
