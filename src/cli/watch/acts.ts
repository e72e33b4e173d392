/** What keys do to a run: the command that a person would type, or why there is none. */

import type { Act, BoardRow } from "../../app/board/row.ts";
import type { Form } from "./model.ts";

export type Bound = {
  readonly key: string;
  readonly name: string;
  /** Why it does nothing now; empty where it does something. */
  readonly why: string;
  readonly act: Act;
};

/** Tried one after the other: the first that applies is what Enter does. */
const ENTER: readonly Act[] = ["attach", "resume", "respawn", "start"];

/** What Enter does with a run. */
export function enterOf({ acts }: BoardRow): Bound {
  const act = ENTER.find((each) => acts[each] === "") ?? "attach";
  return { key: "enter", name: act, why: acts[act], act };
}

/** Keys that are about a run, in the order in which they are shown. */
export function boundTo(row: BoardRow): readonly Bound[] {
  const { acts } = row;
  return [
    enterOf(row),
    { key: "v", name: "view", why: acts.view, act: "view" },
    { key: "r", name: "changes", why: acts.changes, act: "changes" },
    { key: "a", name: "answer", why: acts.answer, act: "answer" },
    { key: "m", name: "merge", why: acts.merge, act: "merge" },
    { key: "x", name: "cancel", why: acts.cancel, act: "cancel" },
    { key: "d", name: "delete", why: acts.delete, act: "delete" },
  ];
}

export function commandOf(act: Exclude<Act, "view" | "changes" | "answer">, run: string): readonly string[] {
  return [act === "merge" ? "accept" : act, run];
}

export function changesCommand(run: string, text: string): readonly string[] {
  return ["send-back", ...guarded([run, text])];
}

export function answerCommand(run: string, text: string): readonly string[] {
  return ["answer", ...guarded([run, text])];
}

/** What a new run begins with: work to be done, or finished work for a person to look at. */
export const STATUSES: readonly string[] = ["new", "finished"];

export function createCommand(
  of: Omit<Form, "type" | "at"> & { readonly project: string },
): readonly string[] {
  const { branch, summary, harness, reviewHarness, status, project } = of;
  return [
    "create",
    ...(harness === "" ? [] : [`--harness=${harness}`]),
    ...(reviewHarness === "" ? [] : [`--review-harness=${reviewHarness}`]),
    ...(status === STATUSES[0] ? [] : [`--${status}`]),
    ...(project === "" ? [] : [`--project=${project}`]),
    // Both, also where one is empty: one word alone would be the summary.
    ...guarded([branch, summary]),
  ];
}

/** Words that somebody typed are no options. */
function guarded(words: readonly string[]): readonly string[] {
  return words.some((word) => word.startsWith("-")) ? ["--", ...words] : words;
}

/** As somebody would type it. */
export function sayCommand(argv: readonly string[]): string {
  const words = argv.map((word) =>
    /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`,
  );
  return `signalbox ${words.join(" ")}`;
}
