/**
 * Commands that agents have written into lists of artifacts.
 *
 * The engine runs them only after a person has answered a question that showed exactly this content, with an option that approves
 * it. The last answer about a content counts: a person who approves, and later gives another answer to the same content, has
 * withdrawn the approval.
 */

import type { ListName } from "../model/artifact.ts";
import type { Workflow } from "../model/compile.ts";
import type { Event } from "../model/event.ts";
import type { Run } from "../model/run.ts";

const COMMAND = "cmd:";
const BY_HAND = "manual:";

export type ListedCommands = {
  readonly commands: readonly { readonly command: string; readonly content: string }[];
  /** The number of entries that only a person can verify. */
  readonly manual: number;
  /** Why the list cannot be shown completely. */
  readonly objections: readonly string[];
};

/** The content of these lists in their last accepted version. */
export function listedIn(run: Run, from: readonly ListName[]): ListedCommands {
  const commands: { command: string; content: string }[] = [];
  const objections: string[] = [];
  let manual = 0;
  for (const { artifact, list } of from) {
    const reading = run.held[artifact]?.reading;
    if (reading?.found !== true || reading.faults.length > 0) {
      objections.push(`${artifact} is missing or invalid`);
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

/** Whether a person can see the whole command. */
export function isPlain(command: string): boolean {
  return command !== "" && command === plainly(command);
}

/** Makes invisible characters visible by their code points: they could hide a part of a command. */
export function plainly(command: string): string {
  return command.replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** The contents that a person approves, as `contentOf` names them. */
export function vouchedIn({ definition }: Workflow, events: readonly Event[]): ReadonlySet<string> {
  const vouched = new Set<string>();
  let shown = "";
  for (const event of events) {
    if (event.type === "answered") shown = event.by.type === "human" ? event.shown : "";
    // An answer that is not one of the options does not close the question.
    if (event.type !== "question-closed") continue;
    const { options = {}, parts } = definition.asks[event.ask] ?? {};
    const [word = ""] = event.answer.split("/");
    // With several parts, some answers may differ.
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

/** The commands that an answer to the question would approve. */
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
