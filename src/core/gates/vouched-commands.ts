/**
 * Commands that somebody else than a person has written down, in lists of artifacts.
 *
 * They are run where a person has answered a question that showed exactly this content, with an option that vouches for it. What was said last
 * of a content counts: who vouches, and later answers otherwise where it is shown again, has taken it back.
 */

import type { ListName } from "../model/artifact.ts";
import type { Workflow } from "../model/compile.ts";
import type { Event } from "../model/event.ts";
import type { Run } from "../model/run.ts";

const COMMAND = "cmd:";
const BY_HAND = "manual:";
/** What is not seen could be run unseen. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;

export type Listed = {
  readonly commands: readonly { readonly command: string; readonly content: string }[];
  /** How many only a person can look at. */
  readonly manual: number;
  /** Why nobody can say what all of it is. */
  readonly objections: readonly string[];
};

/** What these lists hold as they were last taken in. */
export function listedIn(run: Run, from: readonly ListName[]): Listed {
  const commands: { command: string; content: string }[] = [];
  const objections: string[] = [];
  let manual = 0;
  for (const { artifact, list } of from) {
    const reading = run.held[artifact]?.reading;
    if (reading?.found !== true || reading.faults.length > 0) {
      objections.push(`${artifact} is not there, or not as it should be`);
      continue;
    }
    const content = contentOf(artifact, reading.digest);
    for (const text of reading.lists[list] ?? []) {
      if (text.startsWith(BY_HAND)) manual += 1;
      else if (text.startsWith(COMMAND))
        commands.push({ command: text.slice(COMMAND.length).trim(), content });
      else objections.push(`"${plainly(text)}" of ${artifact} is neither ${COMMAND} nor ${BY_HAND}`);
    }
  }
  return { commands, manual, objections };
}

/** Whether a person can have seen all of it. */
export function isPlain(command: string): boolean {
  return command !== "" && !UNSEEN.test(command);
}

/** For whoever is asked about it: what cannot be seen is told by its number. */
export function plainly(command: string): string {
  return command.replaceAll(
    new RegExp(UNSEEN, "gu"),
    (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** The contents that a person vouches for, as `contentOf` names them. */
export function vouchedIn({ definition }: Workflow, events: readonly Event[]): ReadonlySet<string> {
  const vouched = new Set<string>();
  let shown = "";
  for (const event of events) {
    if (event.type === "answered") shown = event.by.type === "human" ? event.shown : "";
    // Another answer than one of the options closes nothing.
    if (event.type !== "question-closed") continue;
    const { options = {}, parts } = definition.asks[event.ask] ?? {};
    const [word = ""] = event.answer.split("/");
    // Of several answers, some may be otherwise.
    const isOne = parts === undefined && event.parts === undefined;
    const chosen = isOne && Object.hasOwn(options, word) ? options[word]?.vouch : undefined;
    const known = new Set(shown.split(" "));
    for (const name of new Set(Object.values(options).flatMap(({ vouch = [] }) => vouch)))
      for (const content of known) {
        if (!content.startsWith(contentOf(name, "")) || content === contentOf(name, "")) continue;
        if (chosen?.includes(name) === true) vouched.add(content);
        else vouched.delete(content);
      }
    shown = "";
  }
  return vouched;
}

function contentOf(artifact: string, digest: string): string {
  return `${artifact}=${digest}`;
}

/** The commands that some answer to a question would have run, for whoever is asked. */
export function commandsShownBy({ definition }: Workflow, run: Run, ask: string): readonly string[] {
  const options = Object.values(definition.asks[ask]?.options ?? {});
  const names = new Set(options.flatMap(({ vouch = [] }) => vouch));
  const from = Object.values(definition.artifacts).flatMap(({ reader }) =>
    reader.type === "check" ? (reader.from ?? []) : [],
  );
  const listed = listedIn(
    run,
    from.filter(({ artifact }) => names.has(artifact)),
  );
  return [...new Set(listed.commands.map(({ command }) => command))];
}
