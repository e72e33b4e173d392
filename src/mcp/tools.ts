/** What each tool calls, and its outcome in words for a model. Names, words and fields are in the declarations of the use cases. */

import type { AgentCaller } from "../app/caller.ts";
import { call } from "../app/client.ts";
import { UserError } from "../app/failure.ts";
import type { Outcome } from "../app/outcome.ts";
import type { DataOf } from "../app/schemas.ts";
import type { Tool } from "../app/tools.ts";
import { talkOf } from "../cli/acted.ts";
import type { Door } from "../cli/command.ts";
import { sayNextSteps } from "../cli/render/next.ts";

export type ToolInput = Readonly<Record<string, unknown>>;

/** An outcome, and its text for the model. */
export type Spoken = Pick<
  Outcome<Readonly<Record<string, unknown>>>,
  "exit" | "code" | "message" | "data" | "next"
> & {
  readonly text: string;
};

/** An artifact of any workflow is smaller. */
const BYTES_MAX = 1024 * 1024;

/** What was given fits the fields of the tool. */
export async function speak(
  { use }: Tool,
  given: ToolInput,
  { door, caller }: { readonly door: Door; readonly caller: AgentCaller | undefined },
): Promise<Spoken> {
  const run = caller?.run;
  switch (use) {
    case "get-task":
      return speakTask(door);
    case "next":
      return speakNext(door, textIn(given, "run"));
    case "read-context":
      return speakContext(door, given);
    case "submit": {
      const { artifact = "", ...others } = textsIn(given, ["artifact", "key"]);
      const content = textIn(given, "content");
      requireSmall(content);
      return told(await call(door, "submit", { run, artifact, content, ...others }));
    }
    case "review-create": {
      const { artifact: _artifact, key: _key, ...said } = given;
      const file = { name: "-", text: JSON.stringify(said) };
      return told(await call(door, "review-create", { run, file, ...textsIn(given, ["artifact", "key"]) }));
    }
    case "ask-questions": {
      const { questions } = given;
      const all = Array.isArray(questions) ? questions.map(String) : [];
      return told(await call(door, "ask-questions", { questions: all, ...textsIn(given, ["key"]) }));
    }
    case "update":
      return told(
        await call(door, "update", {
          run,
          ...textsIn(given, ["status", "note", "summary", "branch", "key"]),
        }),
      );
  }
}

function textIn(given: ToolInput, name: string): string | undefined {
  const value = given[name];
  return typeof value === "string" ? value : undefined;
}

/** Those that were given. One without a value is as good as absent. */
function textsIn<Name extends string>(
  given: ToolInput,
  names: readonly Name[],
): { readonly [Key in Name]?: string } {
  const texts: { [Key in Name]?: string } = {};
  for (const name of names) {
    const value = textIn(given, name);
    if (value !== undefined && value !== "") texts[name] = value;
  }
  return texts;
}

function requireSmall(content: string | undefined): void {
  if (content === undefined || Buffer.byteLength(content) <= BYTES_MAX) return;
  throw new UserError(
    "too-large",
    `the content is larger than ${BYTES_MAX} bytes`,
    "write it to its file, and submit it without content",
  );
}

/** The sentence, notes and the next step, each on a line of its own. */
function told(outcome: Outcome<Readonly<Record<string, unknown>>>): Spoken {
  return { ...outcome, text: `${outcome.message}\n${talkOf(outcome.notes, outcome.next)}` };
}

async function speakNext(door: Door, run: string | undefined): Promise<Spoken & { data: DataOf<"next"> }> {
  const outcome = await call(door, "next", { run });
  const { data, next } = outcome;
  return { ...outcome, text: sayNextSteps(data, { ...door, all: true, next }) };
}

async function speakContext(door: Door, given: ToolInput): Promise<Spoken> {
  const offset = Number(given["offset"] ?? 0);
  const outcome = await call(door, "read-context", { file: textIn(given, "file"), offset });
  const { data } = outcome;
  if ("files" in data) {
    const lines = data.files.map(
      ({ file, bytes, there }) => `${file}: ${there ? `${bytes} bytes` : "cannot be read now"}\n`,
    );
    return { ...outcome, text: lines.length === 0 ? "No file belongs to your task.\n" : lines.join("") };
  }
  const { text, characters, next_offset: end } = data;
  const more = end === null ? "" : `\n(${characters - end} more characters: go on with offset ${end})\n`;
  return { ...outcome, text: `${text}${more}` };
}

async function speakTask(door: Door): Promise<Spoken> {
  const next = await speakNext(door, undefined);
  const outcome = await call(door, "get-task", {});
  const data = { ...next.data, ...outcome.data };
  return { ...outcome, data, next: next.next, text: sayTask(outcome.data, next.text) };
}

function sayTask(data: DataOf<"get-task">, next: string): string {
  const {
    role,
    slot,
    attempt,
    workflow,
    state,
    title,
    folder,
    counters,
    files,
    instructions,
    told: last,
  } = data;
  const who = `You are ${role}${slot === "" ? "" : ` for ${slot}`}, attempt ${attempt}, of a run of ${workflow}.`;
  const spent = Object.entries(counters).filter(([, { is }]) => is > 0);
  return [
    who,
    `The run is in ${state}${title === "" ? "" : ` (${title})`}. Files are in ${folder}.`,
    ...spent.map(([name, { is, max }]) => `${name}: ${is} of ${max}.`),
    "",
    ...section("What you were told", instructions),
    ...section("What you were told last", last),
    ...section("Files to read, with read_context", files.map((file) => `- ${file}`).join("\n")),
    ...section("What you can do now", next),
  ].join("\n");
}

function section(title: string, text: string): readonly string[] {
  return text.trim() === "" ? [] : [`## ${title}`, "", text.trimEnd(), ""];
}
