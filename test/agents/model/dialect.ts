/** What the model sees of a conversation and what it does next, whatever protocol the program speaks. */

export type Turn = { readonly by: "user" | "model" | "tool"; readonly text: string };

export type Step =
  | { readonly type: "say"; readonly text: string }
  | { readonly type: "run"; readonly command: string }
  | { readonly type: "write"; readonly path: string; readonly text: string };

/** What a provider answers instead, such as that a quota is used up. */
export type Refusal = { readonly type: "refuse"; readonly status: number; readonly body: object };

/** Decides by the conversation alone, so that it survives every restart of a program. */
export type Conduct = (turns: readonly Turn[]) => Step | Refusal;

/** One event of a stream: some protocols name them. */
export type Part = { readonly event?: string; readonly data: unknown };

/**
 * How one program talks to its model.
 *
 * Contract: `turns` reads a request and gives the conversation in order, or undefined for a request without tools: a program sends those
 * to name a conversation or to choose a model. `answer` gives the stream for a step, by the tools that the program has.
 */
export type Dialect = {
  readonly path: RegExp;
  turns(body: unknown): readonly Turn[] | undefined;
  answer(step: Step): readonly Part[];
};

/** For programs without a tool that writes files. */
export function writingCommand(path: string, text: string): string {
  return `cat > '${path}' <<'END_OF_FILE'\n${text}END_OF_FILE`;
}
