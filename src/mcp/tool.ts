/** What a tool is: data in, the answer of a command out. Who may use it and how it is told are the same for all of them. */

import type { Workflow } from "../core/compile.ts";
import type { Shape } from "../core/artifact.ts";
import type { Answer, Door } from "../cli/command.ts";

/** The agent that calls, by its token. */
export type Caller = {
  readonly run: string;
  readonly role: string;
  readonly slot: string;
  readonly attempt: number;
  readonly definition: Workflow["definition"];
};

export type Given = Readonly<Record<string, unknown>>;
type ObjectShape = Extract<Shape, { type: "object" }>;

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
  /** Its fields are looked at by the command, in its own words. */
  readonly isOpen?: true;
  isFor(caller: Caller): boolean;
  input(caller: Caller): ObjectShape;
  answer(given: Given, on: { readonly door: Door; readonly caller: Caller }): Promise<Answer>;
};

/** A tool for everybody: it only looks. */
export type OpenTool = Told & {
  readonly for: "everybody";
  input(caller: Caller | undefined): ObjectShape;
  answer(given: Given, on: { readonly door: Door; readonly caller: Caller | undefined }): Promise<Answer>;
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

/** Those that were given, as options of a command. One without a value is as good as absent. */
export function optionsIn(given: Given, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = textIn(given, name);
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}
