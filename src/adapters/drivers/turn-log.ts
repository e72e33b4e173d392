/** What the log of a turn says, read by the driver that the turn began with. A program without a driver says nothing. */

import { closeSync, constants, fstatSync, lstatSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ProgramFailure, TokenUsage } from "../../core/model/event.ts";
import {
  SETTINGS_FILE,
  type AgentEvent,
  type Drivers,
  type TurnLog,
  type TurnSettings,
  type Usage,
} from "../../engine/ports/drivers.ts";
import { jsonOfOwn, openOwn } from "../home/own-file.ts";
import { LOG } from "../process/folder.ts";
import { driverNameIn, driverOf, readerIn } from "./drivers.ts";
import { textAt } from "./lines.ts";
import { resetTimeIn } from "./reset-time.ts";

const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 4 * 1024 * 1024;
const FAILURE_BYTES = 256 * 1024;
/** Where an earlier turn printed what its conversation had used: one of its last lines. */
const LAST_BYTES = 64 * 1024;
const REFUSED_MAX = 20;
/** It becomes an argument: nothing that a program could take for an option, or for a path. */
const NAME = /^[A-Za-z0-9][\w-]{0,127}$/;
const MODEL = /^[\w.:/@+-]{1,128}$/;

export const drivers: Drivers = {
  of: driverOf,
  conversation: (driver, turnDirs) =>
    turnDirs
      .toReversed()
      .filter((dir) => driverNameIn(dir) === driver)
      .map((dir) => conversationIn(headOf(dir)))
      .find((name) => name !== "") ?? "",
  failure: (dir) => failureIn(dir, tailOf(dir, FAILURE_BYTES).events),
  report,
};

function report(turnDirs: readonly string[]): TurnLog {
  const dir = turnDirs.at(-1) ?? "";
  const head = headOf(dir);
  const { events, isWhole } = tailOf(dir, TAIL_BYTES);
  const conversation = conversationIn(head);
  const settings = settingsIn(dir);
  const model = [...events, ...head].findLast((event) => event.type === "model")?.name ?? "";
  const before = (): Usage | undefined => totalBefore(turnDirs.slice(0, -1), conversation);
  const failure = failureIn(dir, events);
  const endedAt = lstatSync(join(dir, "exit"), { throwIfNoEntry: false })?.mtimeMs;
  return {
    harness: settings.harness,
    model: MODEL.test(model) ? model : settings.model,
    conversation,
    ...usageIn(events, { isWhole, before }),
    ...(failure === undefined ? {} : { failure }),
    refused: [...new Set(events.flatMap((event) => (event.type === "refused" ? [event.tool] : [])))].slice(
      0,
      REFUSED_MAX,
    ),
    ...(endedAt === undefined ? {} : { endedAt: Math.round(endedAt) }),
  };
}

/** The program could have written there. */
function settingsIn(dir: string): TurnSettings {
  const settings = jsonOfOwn(join(dir, SETTINGS_FILE));
  return { harness: textAt(settings, "harness"), model: textAt(settings, "model") };
}

function conversationIn(head: readonly AgentEvent[]): string {
  const found = head.find((event) => event.type === "conversation" && NAME.test(event.id));
  return found?.type === "conversation" ? found.id : "";
}

/** After an attempt that failed the program may have tried again by itself, and gone on. */
function failureIn(dir: string, events: readonly AgentEvent[]): ProgramFailure | undefined {
  const last = events.findLast(({ type }) => !AFTER.has(type));
  if (last?.type !== "failure") return undefined;
  const { type: _, ...failure } = last;
  return failure.class === "quota" && failure.resetAt === undefined ? withResetTime(dir, failure) : failure;
}

/** The sentence is about the time at which it was printed. */
function withResetTime(dir: string, failure: ProgramFailure): ProgramFailure {
  const printedAt = statSync(join(dir, LOG), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const resetAt = printedAt === 0 ? 0 : resetTimeIn(failure.message, Math.floor(printedAt));
  return resetAt === 0 ? failure : { ...failure, resetAt };
}

/** What may follow a failure that ended the turn. */
const AFTER: ReadonlySet<AgentEvent["type"]> = new Set(["notice", "usage", "turn-ended"]);

function usagesIn(events: readonly AgentEvent[]): readonly Usage[] {
  return events.flatMap((event) => (event.type === "usage" ? [event.usage] : []));
}

/** A cost counts only where every part has one. */
function usageIn(
  events: readonly AgentEvent[],
  { isWhole, before }: { readonly isWhole: boolean; readonly before: () => Usage | undefined },
): Pick<TurnLog, "usage" | "cost"> {
  const usages = usagesIn(events);
  const last = usages.at(-1);
  if (last === undefined) return {};
  if (last.of === "conversation") return { usage: tokens(since(last, before())) };
  const usage = tokens(usages.reduce(sum));
  const isPart = !isWhole && last.of === "step";
  const costs = usages.flatMap(({ cost, input, output }) => (input + output === 0 ? [0] : (cost ?? [])));
  const cost = costs.reduce((one, other) => one + other, 0);
  return {
    usage: isPart ? { ...usage, isPart } : usage,
    ...(costs.length < usages.length || !isPlausible(cost) ? {} : { cost }),
  };
}

/** What the conversation had used before, as the latest earlier turn of it says that says anything. */
function totalBefore(turnDirs: readonly string[], conversation: string): Usage | undefined {
  for (const dir of turnDirs.toReversed()) {
    const total = usagesIn(tailOf(dir, LAST_BYTES).events).findLast((usage) => usage.of === "conversation");
    if (total !== undefined) return conversationIn(headOf(dir)) === conversation ? total : undefined;
  }
  return undefined;
}

/** A program that counts less than before has begun to count again. */
function since(total: Usage, before: Usage | undefined): Usage {
  if (before === undefined || total.input < before.input || total.output < before.output) return total;
  return {
    input: total.input - before.input,
    cached: Math.max(0, total.cached - before.cached),
    output: total.output - before.output,
  };
}

function sum(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    cached: one.cached + other.cached,
    output: one.output + other.output,
  };
}

/** In whole tokens, whatever the program printed. */
function tokens({ input, cached, output }: Usage): TokenUsage {
  const whole = (count: number): number => Math.min(Math.round(count), TOKENS_MAX);
  return { input: whole(input), cached: Math.min(whole(cached), whole(input)), output: whole(output) };
}

const TOKENS_MAX = 1e12;

const USD_MAX = 100_000;

/** More than one turn can cost, or none at all, is not what it did cost: one such number would spoil every sum. */
function isPlausible(usd: number): boolean {
  return usd >= 0 && usd <= USD_MAX;
}

/** A long log was moved aside once, with its beginning. */
function headOf(dir: string): readonly AgentEvent[] {
  return [`${LOG}.1`, LOG].flatMap((name) => eventsIn(dir, bytesOf(join(dir, name), HEAD_BYTES).text));
}

/** The end of the log, which may begin in the part that was moved aside. */
function tailOf(
  dir: string,
  count: number,
): { readonly events: readonly AgentEvent[]; readonly isWhole: boolean } {
  const last = bytesOf(join(dir, LOG), -count);
  const rest = count - last.size;
  const earlier = rest > 0 ? bytesOf(join(dir, `${LOG}.1`), -rest) : NOTHING;
  const isWhole = rest > 0 && earlier.size === 0;
  return { events: eventsIn(dir, earlier.text + last.text), isWhole };
}

function eventsIn(dir: string, text: string): readonly AgentEvent[] {
  const reader = readerIn(dir);
  if (reader === undefined || text === "") return [];
  return [...text.split("\n").flatMap((line) => reader.take(line)), ...reader.end()];
}

type LogPart = { readonly text: string; readonly size: number };
const NOTHING: LogPart = { text: "", size: 0 };

/** The first bytes of a file, or the last ones where the number is negative; empty where there are none. `size` is that of the file. */
function bytesOf(file: string, count: number): LogPart {
  const opened = openOwn(file, constants.O_RDONLY);
  if (opened.type !== "open") return NOTHING;
  try {
    const { size } = fstatSync(opened.fd);
    const bytes = Buffer.alloc(Math.min(size, Math.abs(count)));
    const read = readSync(opened.fd, bytes, 0, bytes.length, count < 0 ? size - bytes.length : 0);
    return { text: bytes.subarray(0, read).toString("utf8"), size };
  } finally {
    closeSync(opened.fd);
  }
}
