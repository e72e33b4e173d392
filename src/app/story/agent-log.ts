/** The log of an agent for people: what its program says, whatever format it prints. */

import { readerIn } from "../../adapters/drivers/drivers.ts";
import type { ProgramFailure } from "../../core/model/event.ts";
import type { AgentEvent, Usage } from "../../engine/ports/drivers.ts";
import { capitalised, firstLine, sayTime } from "../view/words.ts";
import { lastLinesIn, plain } from "./log.ts";

/** Takes the lines of one log in order. Lines of a program without a driver stay as they are. */
export type LogLines = {
  take(line: string): readonly string[];
  /** What is left when the log has ended. */
  end(): readonly string[];
};

const AS_PRINTED: LogLines = { take: (line) => [line], end: () => [] };

export function logLines(dir: string, { raw }: { readonly raw: boolean }): LogLines {
  const reader = raw ? undefined : readerIn(dir);
  if (reader === undefined) return AS_PRINTED;
  const say = eventSayer();
  const said = (events: readonly AgentEvent[]): readonly string[] =>
    events.flatMap(say).flatMap((text) => plain(text).trimEnd().split("\n"));
  return { take: (line) => said(reader.take(line)), end: () => said(reader.end()) };
}

/** The same for all of a log. */
export function shownLog(text: string, lines: LogLines): string {
  if (lines === AS_PRINTED) return text;
  const shown = [...text.split("\n").flatMap((line) => lines.take(line)), ...lines.end()];
  return shown.map((line) => `${line}\n`).join("");
}

/** What it said last, on one line: its failure, else its last words. Empty where it said nothing. */
export function lastSaidIn(dir: string): string {
  const lines = lastLinesIn(dir);
  const reader = readerIn(dir);
  if (reader === undefined) return lastOf(lines);
  const events = [...lines.flatMap((line) => reader.take(line)), ...reader.end()];
  const failure = events.findLast(({ type }) => type === "failure");
  if (failure?.type === "failure") return plain(sayFailure(failure));
  return lastOf(events.flatMap((event) => ("text" in event ? plain(event.text).split("\n") : [])));
}

function lastOf(lines: readonly string[]): string {
  return lines.findLast((line) => line.trim() !== "")?.trim() ?? "";
}

const INPUT_MAX = 200;
const OUTPUT_LINES = 10;
const TOOLS_MAX = 1000;
const NOTHING: Usage = { input: 0, cached: 0, output: 0 };

/** Remembers what was used until the turn ends, and which tools are at work: several may be at once. */
function eventSayer(): (event: AgentEvent) => readonly string[] {
  const tools = new Map<string, string>();
  let last = "";
  let used = NOTHING;
  return (event) => {
    switch (event.type) {
      case "conversation":
        return [`Conversation ${event.id}`];
      case "model":
        return [];
      case "text":
      case "notice":
        return [event.text];
      case "tool-started": {
        const call = `${event.name}: ${firstLine(event.input, INPUT_MAX)}`;
        if (tools.size < TOOLS_MAX) tools.set(event.id, call);
        last = event.id;
        return [`> ${call}`];
      }
      case "tool-ended": {
        const call = event.id === last ? undefined : tools.get(event.id);
        tools.delete(event.id);
        return [...(call === undefined ? [] : [`< ${call}`]), ...sayOutput(event)];
      }
      case "file-changed":
        return [`  changed ${event.path}`];
      case "refused":
        return [`  refused: ${event.reason}`];
      case "usage":
        used = event.usage.of === "conversation" ? event.usage : sum(used, event.usage);
        return [];
      case "failure":
        return [`Failed. ${sayFailure(event)}`];
      case "turn-ended": {
        const said = sayUsage(used);
        used = NOTHING;
        return said;
      }
    }
  };
}

function sayOutput({ output, isOk }: Extract<AgentEvent, { type: "tool-ended" }>): readonly string[] {
  const lines = output.trimEnd() === "" ? [] : output.trimEnd().split("\n");
  const more = lines.length - OUTPUT_LINES;
  const shown = lines.slice(0, OUTPUT_LINES).map((line) => `  ${line}`);
  return [
    ...shown,
    ...(more > 0 ? [`  ... and ${more} more ${more === 1 ? "line" : "lines"}`] : []),
    ...(isOk ? [] : ["  (failed)"]),
  ];
}

/** Its class, and the sentence of the program or its provider. */
function sayFailure({ class: kind, message, resetAt }: ProgramFailure): string {
  const who = kind === "other" ? "Its program says" : capitalised(kind);
  const until = resetAt === undefined ? "" : ` (until ${sayTime(new Date(resetAt).toISOString())})`;
  return `${who}: ${message}${until}`;
}

function sum(a: Usage, b: Usage): Usage {
  const cost = (a.cost ?? 0) + (b.cost ?? 0);
  return {
    input: a.input + b.input,
    cached: a.cached + b.cached,
    output: a.output + b.output,
    ...(cost === 0 ? {} : { cost }),
  };
}

/** Nothing where the program reports nothing: unknown is not zero. */
function sayUsage({ input, cached, output, cost, of }: Usage): readonly string[] {
  if (input + output === 0) return [];
  const count = (tokens: number): string => tokens.toLocaleString("en-US");
  const read = cached === 0 ? "" : ` (${count(cached)} of them cached)`;
  const paid = cost === undefined ? "" : `, $${cost.toFixed(2)}`;
  const used = of === "conversation" ? "This conversation has used" : "Used";
  return [`${used} ${count(input)} tokens of input${read} and ${count(output)} of output${paid}`];
}
