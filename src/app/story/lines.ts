/** The journal of a run as people read it: one line for each thing that happened, with what followed from it. */

import type { Workflow } from "../../core/model/compile.ts";
import { slotKey } from "../../core/model/run.ts";
import type { Event, Incoming, Reading } from "../../core/model/event.ts";
import type { Run } from "../../core/model/run.ts";
import { claimOf, weigh } from "../../core/gates/review-consistency.ts";
import { rulesIn } from "../../core/gates/artifact-status.ts";
import { sayFailing } from "../../core/gates/status-reason.ts";
import { apartOf } from "../../engine/submit/caller-signs.ts";
import { unnamedKeys } from "../../engine/human-keys.ts";
import type { Proof, Recorded } from "../../engine/ports/journal.ts";
import type { Store } from "../../engine/ports/store.ts";
import { firstLine, agentName, sayEnd } from "../view/words.ts";
import { sayReport } from "../view/cost/words.ts";
import type { StoryLine } from "../view/run-view.ts";
import { isIncoming, tellerOf, type Teller } from "./sentences.ts";
import { meantIn } from "../view/work/other-readings.ts";

type Of = {
  readonly store: Pick<Store, "events" | "humanKeys" | "text">;
  readonly workflow: Workflow;
  readonly run: Run;
};

type Known = {
  readonly unnamed: ReadonlySet<string>;
  readonly countsAs: (reading: Reading) => string;
  readonly tell: Teller;
};

/** How many events one thing that happens makes, at a guess: the first look is rarely too short. */
const EVENTS_EACH = 6;

/** The newest lines, the oldest of them first. */
export async function linesOf(
  { store, workflow, run }: Of,
  limit: number,
  withWords = false,
): Promise<{ readonly lines: readonly StoryLine[]; readonly more: boolean }> {
  const known: Known = {
    unnamed: unnamedKeys(await store.humanKeys()),
    countsAs: (reading) => countsAs(workflow, run, reading),
    tell: tellerOf(workflow, (reading) => countsAs(workflow, run, reading)),
  };
  const meant = meantIn(workflow, run);
  const meantOf = (records: readonly Recorded[]): Recorded[] => {
    const events = new Set(meant(records.map(({ event }) => event)));
    return records.filter(({ event }) => events.has(event));
  };
  for (let back = limit * EVENTS_EACH; ; back *= 4) {
    const from = Math.max(1, run.seq - back + 1);
    const groups = groupsOf(meantOf(await store.events(run.id, from)));
    // The first group may have begun before the place where we began to read.
    const whole =
      from === 1 ? groups : groups.filter(([first]) => first !== undefined && isIncoming(first.event));
    if (whole.length >= limit || from === 1) {
      const lines = told(whole, known).slice(-limit);
      const more = from > 1 || whole.length > limit;
      return { lines: withWords ? await worded(store, lines, whole) : lines, more };
    }
  }
}

const WORDS_MAX = 20_000;

/** The words of each act: those of a submission are kept by their digest, those of a person are in the event. */
async function worded(
  store: Pick<Store, "text">,
  lines: readonly StoryLine[],
  groups: readonly Recorded[][],
): Promise<readonly StoryLine[]> {
  const acts = new Map(groups.flatMap(([first]) => (first === undefined ? [] : [[first.seq, first.event]])));
  return Promise.all(
    lines.map(async (line) => {
      const event = acts.get(line.seq);
      const words = event === undefined ? "" : (await wordsIn(store, event)).trim();
      if (words === "") return line;
      return { ...line, words: words.length > WORDS_MAX ? `${words.slice(0, WORDS_MAX)} ...` : words };
    }),
  );
}

async function wordsIn(store: Pick<Store, "text">, event: Event): Promise<string> {
  if (event.type === "submitted") {
    const given = (event.readings ?? []).filter((each) =>
      event.given?.includes(slotKey(each.artifact, each.slot)),
    );
    const texts = await Promise.all(
      given.flatMap(({ text }) => (text === undefined ? [] : [store.text(text)])),
    );
    return texts.join("\n\n");
  }
  if (event.type === "move-asked") return event.note ?? "";
  if (event.type === "waived") return event.reason;
  if (event.type !== "answered") return "";
  const parts = (event.parts ?? []).map(({ part, answer, text = "" }) => `${part}\n${answer} ${text}`);
  return [event.text ?? "", ...parts].filter((each) => each !== "").join("\n\n");
}

function groupsOf(records: readonly Recorded[]): Recorded[][] {
  const groups: Recorded[][] = [];
  for (const record of records) {
    const last = groups.at(-1);
    if (last === undefined || isIncoming(record.event)) groups.push([record]);
    else last.push(record);
  }
  return groups;
}

/** In their order: who tells one remembers those before it. */
function told(groups: readonly Recorded[][], known: Known): readonly StoryLine[] {
  return groups.flatMap((group) => lineOf(group, known));
}

function lineOf(group: readonly Recorded[], { unnamed, countsAs: counts, tell }: Known): StoryLine[] {
  const [first, ...rest] = group;
  if (first === undefined) return [];
  const { seq, at, by, event, proof } = first;
  const followed = togetherOf(
    rest.map((record) => record.event),
    counts,
  );
  const signed = (proof?.signature ?? "") !== "";
  const apart = by.type === "human" && proof !== undefined ? standsOut(proof, unnamed) : [];
  return [
    {
      seq,
      at,
      by,
      what: isIncoming(event) ? sayIncoming(event) : (sayConsequence(event, counts)[0] ?? event.type),
      followed,
      signed,
      terminal: proof?.terminal ?? "",
      text: withDoubt(
        tell(group, followed),
        by.type === "human" ? [...(signed ? [] : ["not signed"]), ...apart] : [],
      ),
      apart,
    },
  ];
}

/** Many agents of one role are told of as one. */
function togetherOf(events: readonly Event[], counts: Known["countsAs"]): string[] {
  return events.flatMap((event, index) => {
    if (event.type !== "agent-called" && event.type !== "agent-dismissed")
      return sayConsequence(event, counts);
    const isOfSame = (other: Event): boolean => other.type === event.type && other.role === event.role;
    const count = events.filter(isOfSame).length;
    if (count === 1) return sayConsequence(event, counts);
    const verb = event.type === "agent-called" ? "called" : "stopped";
    return events.findIndex(isOfSame) === index ? [`${count} ${event.role}s are ${verb}`] : [];
  });
}

/** A signature names its key; whether it is right is for `verify` to say. */
function standsOut(proof: Proof, unnamed: ReadonlySet<string>): readonly string[] {
  const [, fingerprint = ""] = proof.signature.split(":");
  return [...(unnamed.has(fingerprint) ? ["with a key that nobody named"] : []), ...apartOf(proof)];
}

function sayIncoming(event: Incoming): string {
  switch (event.type) {
    case "run-started":
      return `started the run${event.to === undefined ? "" : ` in ${event.to}`}`;
    case "move-asked":
      return `asked for ${event.to}${event.note === undefined || event.note === "" ? "" : `: ${firstLine(event.note)}`}`;
    case "submitted":
      // Every event carries all that was read; what was new follows from it.
      return "submitted";
    case "observed":
      return "looked at the files";
    case "agent-started":
      return `${agentName(event)} is up`;
    case "agent-ended":
      return `${agentName(event)} ${sayEnd(event)}`;
    case "turn-reported":
      return `turn ${event.turn} of ${agentName(event)}: ${sayReport(event)}`;
    case "answered":
      if (event.parts !== undefined)
        return `answered ${event.parts.map(({ part, answer }) => `${firstLine(part)}: ${answer}`).join("; ")}`;
      return `answered ${event.answer}${(event.text ?? "") === "" ? "" : `: ${firstLine(event.text ?? "")}`}`;
    case "waived":
      return `waived ${event.artifact}: ${firstLine(event.reason)}`;
    case "respawn-asked":
      return `asked to start ${event.role} again`;
    case "param-set":
      return `set ${event.name} to ${firstLine(event.value)}`;
    case "permission-asked":
      return `asked for permission ${event.id}: ${event.tool}: ${firstLine(event.input)}`;
    case "permission-answered":
      return `answered ${event.id} with ${event.answer}`;
    case "permissions-dropped":
      return `${agentName(event)} no longer waits for permission`;
  }
}

function sayConsequence(event: Event, counts: Known["countsAs"]): string[] {
  switch (event.type) {
    case "artifact-read": {
      const { artifact, slot, verdict, faults, found, fields, lists } = event.reading;
      const name = slot === "" ? artifact : `${artifact}/${slot}`;
      if (!found) return [];
      return [
        `${name}: ${faults.length > 0 ? `invalid, ${firstLine(faults[0]?.reason ?? "")}` : (verdict ?? "read")}${counts(event.reading)}${sayCheck(fields, lists)}${sayLanding(fields)}`,
      ];
    }
    case "moved":
      return [
        `${event.from} -> ${event.to}`,
        ...Object.entries(event.set ?? {}).map(
          ([name, value]) => `${name} is ${firstLine(value) || "empty"}`,
        ),
      ];
    case "counted":
      return [`${event.counter} is ${event.value}`];
    case "agent-called":
      return [`${agentName(event)} is called, attempt ${event.attempt}`];
    case "agent-dismissed":
      return [`${agentName(event)} is stopped`];
    case "agent-crashed":
      return event.foreign === undefined
        ? [`${agentName(event)} counts as crashed`]
        : [`${agentName(event)} is not started: somebody else has changed ${names(event.foreign)}`];
    case "infrastructure-lost":
      return [
        event.cause === "outdated"
          ? "the work changed meanwhile, so no verdict about the earlier work counts; the present work is reviewed"
          : `lost with machine or terminal, ${event.times} so far`,
      ];
    case "slots-opened":
      return [`${event.artifact} for ${names(event.slots)}`];
    case "slot-settled":
      return [`${event.artifact}/${event.slot} ${event.outcome}`];
    case "question-opened":
      return [`${event.id} is asked`];
    case "question-repeated":
      return [`${event.id} is asked again: ${firstLine(event.reason)}`];
    case "question-closed":
      return event.answer === ""
        ? [`${event.id} is no longer asked`]
        : (event.parts ?? []).flatMap(({ part, answer, text }) =>
            answer === "" ? [`${firstLine(part)}: ${text}`] : [],
          );
    case "permission-closed":
      return event.answer === "" ? [`${event.id} is no longer asked`] : [];
    case "parts-answered":
      return [`${event.id} is still open`];
    case "waiver-given":
      return [`${event.artifact} is waived`];
    case "result-kept":
      return [
        `attempt ${event.attempt} of ${agentName(event)} no longer counts: its result is kept, and not used`,
      ];
    case "run-started":
    case "move-asked":
    case "submitted":
    case "observed":
    case "agent-started":
    case "agent-ended":
    case "turn-reported":
    case "answered":
    case "waived":
    case "respawn-asked":
    case "param-set":
    case "permission-asked":
    case "permission-answered":
    case "permissions-dropped":
    case "tree-seen":
    case "artifact-seen":
    case "agent-alive":
    case "agent-gone":
      return [];
  }
}

/** A claim that its own issues contradict, as gates take it. */
export function countsAs({ definition }: Workflow, run: Run, reading: Reading): string {
  const declared = definition.artifacts[reading.artifact];
  const claim = claimOf(reading);
  if (declared === undefined || claim === undefined || reading.faults.length > 0) return "";
  const counted = weigh(claim, rulesIn(run, declared));
  return counted === claim.verdict ? "" : `, counts as ${counted}`;
}

/** Of a check: how its command ended, where that is not what its verdict says, and where it failed, where that can be told. */
function sayCheck(fields: Reading["fields"], lists: Reading["lists"]): string {
  const { exit_code: code, ended } = fields;
  if (typeof code !== "number" || typeof ended !== "string") return "";
  if (ended !== "exited") return ` (${ended})`;
  if (code === 0) return "";
  const { commands = [], exit_codes: codes = [] } = lists;
  const each = commands.map((command, index) => `${firstLine(command)}: ${codes[index] ?? "not ended"}`);
  return ` (${each.length === 0 ? `exit code ${code}` : each.join(", ")}${sayFailing(fields)})`;
}

/** Of work that was merged elsewhere: where it was seen. */
function sayLanding({ ref, commit, by }: Reading["fields"]): string {
  if (typeof ref !== "string" || typeof commit !== "string" || typeof by !== "string") return "";
  return ` (${ref}, commit ${commit} by ${by})`;
}

function names(list: readonly string[]): string {
  return [...new Set(list)].join(", ");
}

/** What is unusual about an act of a person. */
function withDoubt(text: string, doubts: readonly string[]): string {
  return doubts.length === 0 || text === "" ? text : `${text} (${doubts.join(", ")})`;
}
