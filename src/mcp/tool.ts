/** What a tool is: a use case under the name and with the fields that models know it by, and its outcome in words. */

import type { AgentCaller } from "../app/caller.ts";
import type { Outcome } from "../app/outcome.ts";
import type { Door } from "../cli/command.ts";
import type { Shape } from "../core/model/artifact.ts";

export type Given = Readonly<Record<string, unknown>>;
type ObjectShape = Extract<Shape, { type: "object" }>;

/** An outcome, and its text for the model. */
export type Spoken = Pick<
  Outcome<Readonly<Record<string, unknown>>>,
  "exit" | "code" | "message" | "data" | "next"
> & {
  readonly text: string;
};

/** The sentence, notes and the next step, each on a line of its own. */
export function speak(outcome: Outcome<Readonly<Record<string, unknown>>>): Spoken {
  const { exit, code, message, data, next, notes } = outcome;
  const then = next === "" ? [] : [`  next: ${next.replaceAll(", or: ", "\n    or: ")}`];
  const lines = [message, ...notes.map((note) => `  ${note}`), ...then];
  return { exit, code, message, data, next, text: `${lines.join("\n")}\n` };
}

type Told = {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** It changes nothing. */
  readonly looks: boolean;
  /** What each field is for, by its name. */
  readonly fields: Readonly<Record<string, string>>;
};

/** A tool for whoever has a token. What the definition gives the role no right to is not listed, and refused by the engine. */
export type AgentTool = Told & {
  readonly for: "agent";
  /** Its fields are checked by the use case, in its own words. */
  readonly isOpen?: true;
  isFor(caller: AgentCaller): boolean;
  input(caller: AgentCaller): ObjectShape;
  call(given: Given, on: { readonly door: Door; readonly caller: AgentCaller }): Promise<Spoken>;
};

/** A tool for everybody: it only looks. */
export type OpenTool = Told & {
  readonly for: "everybody";
  input(caller: AgentCaller | undefined): ObjectShape;
  call(given: Given, on: { readonly door: Door; readonly caller: AgentCaller | undefined }): Promise<Spoken>;
};

export type Tool = AgentTool | OpenTool;

const TEXT: Shape = { type: "text" };

/** An object of texts, which takes nothing else. */
export function texts(required: readonly string[], optional: readonly string[]): ObjectShape {
  const all = (names: readonly string[]): Record<string, Shape> =>
    Object.fromEntries(names.map((name) => [name, TEXT]));
  return { type: "object", required: all(required), optional: all(optional), open: false };
}

export function textIn(given: Given, name: string): string | undefined {
  const value = given[name];
  return typeof value === "string" ? value : undefined;
}

/** Those that were given. One without a value is as good as absent. */
export function optionsIn(given: Given, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = textIn(given, name);
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}
