/** Parses actions: short sentences in the file, closed variants in the core. */

import { PERFORMABLE } from "../../../core/model/vocabulary.ts";
import type { Action } from "../../../core/model/workflow.ts";

/** A private clone for the run, or the repository's main working tree. */
export const RESOURCES = ["workspace", "place"] as const;

/** A name in a sentence, with its kind, to be checked later. */
export type Mention = {
  readonly kind:
    | "role"
    | "prompt"
    | "artifact"
    | "check"
    | "tasks"
    | "parts"
    | "texts"
    | "resource"
    | "performable"
    | "patterns"
    | "tag";
  readonly name: string;
  /** With parts: the role that is started for each of them. */
  readonly role?: string;
  /** With texts: the effect that uses them. */
  readonly deed?: string;
};

export type ParsedAction = { readonly action: Action; readonly mentions: readonly Mention[] };

/** Returns the action, or a sentence with the correct form. */
export function parseAction(text: string): ParsedAction | string {
  const words = text.trim().split(/\s+/);
  const [verb = "", first = "", second = "", third = ""] = words;
  switch (verb) {
    case "start":
      return parseStart(words);
    case "stop":
      if (words.length !== 2) return "stop ROLE, or stop all";
      if (first === "all") return { action: { type: "stop-all" }, mentions: [] };
      return { action: { type: "stop", role: first }, mentions: [role(first)] };
    case "tell":
      return parseTell(words);
    case "mark":
      if (words.length !== 2) return "mark ROLE";
      return { action: { type: "mark", role: first }, mentions: [role(first)] };
    case "run":
      if (words.length !== 2) return "run ARTIFACT";
      return { action: { type: "run", check: first }, mentions: [{ kind: "check", name: first }] };
    case "release":
      if (words.length !== 2) return "release RESOURCE";
      return { action: { type: "release", resource: first }, mentions: [{ kind: "resource", name: first }] };
    case "archive":
      if (words.length < 2) return "archive ARTIFACT...";
      return {
        action: { type: "archive", artifacts: words.slice(1) },
        mentions: words.slice(1).map(artifact),
      };
    case "perform":
      return parsePerform(words);
    default:
      return `start, stop, tell, mark, run, release, archive or perform, not "${verb} ${second}${third}"`;
  }
}

function parseStart(words: readonly string[]): ParsedAction | string {
  const [, first = "", second, third = ""] = words;
  if (words.length === 2) {
    if (first === "next") return { action: { type: "start-next" }, mentions: [] };
    return { action: { type: "start", role: first }, mentions: [role(first)] };
  }
  if (words.length === 3 && first === "tasks") {
    return {
      action: { type: "start-tasks", artifact: second ?? "" },
      mentions: [{ kind: "tasks", name: second ?? "" }],
    };
  }
  if (words.length === 4 && second === "as") {
    return { action: { type: "start", role: first, prompt: third }, mentions: [role(first), prompt(third)] };
  }
  if (words.length === 4 && second === "each") {
    return {
      action: { type: "start-each", role: first, artifact: third },
      mentions: [role(first), { kind: "parts", name: third, role: first }],
    };
  }
  return "start ROLE, start ROLE as PROMPT, start ROLE each ARTIFACT, start tasks ARTIFACT, or start next";
}

function parseTell(words: readonly string[]): ParsedAction | string {
  const [, first = "", message = "", or, begin, as, name = ""] = words;
  const mentions = [role(first), prompt(message)];
  if (words.length === 3) return { action: { type: "tell", role: first, message }, mentions };
  if (or !== "or" || begin !== "start") return "tell ROLE MESSAGE, or tell ROLE MESSAGE or start [as PROMPT]";
  // An empty prompt means the role's own prompt for later attempts.
  if (words.length === 5) return { action: { type: "tell", role: first, message, orStart: "" }, mentions };
  if (words.length === 7 && as === "as") {
    return {
      action: { type: "tell", role: first, message, orStart: name },
      mentions: [...mentions, prompt(name)],
    };
  }
  return "tell ROLE MESSAGE or start [as PROMPT]";
}

const PERFORM =
  "perform commit from ARTIFACT [without $PARAMETER], perform pull-request from ARTIFACT, perform tag from ARTIFACT as $PARAMETER, perform note-base, perform archive, or perform notify";

function parsePerform(words: readonly string[]): ParsedAction | string {
  const [, name = "", from, artifactName, without, param] = words;
  if (name === "merge") return `${PERFORM}. Merging is for people, who type signalbox accept`;
  const named: Mention = { kind: "performable", name };
  const texts = PERFORMABLE[name]?.texts ?? [];
  // The correct form of an unknown effect is not known either, so only the name is reported.
  if (!Object.hasOwn(PERFORMABLE, name)) return { action: { type: "perform", name }, mentions: [named] };
  if (texts.length === 0)
    return words.length === 2 ? { action: { type: "perform", name }, mentions: [named] } : PERFORM;
  if (from !== "from" || artifactName === undefined) return PERFORM;
  const mentions: Mention[] = [named, { kind: "texts", name: artifactName, deed: name }];
  if (words.length === 4 && name !== "tag")
    return { action: { type: "perform", name, from: artifactName }, mentions };
  const wanted = name === "tag" ? "as" : "without";
  const isKnown = name === "tag" || name === "commit";
  if (!isKnown || words.length !== 6 || without !== wanted || param?.startsWith("$") !== true) return PERFORM;
  const patterns = param.slice(1);
  if (name === "tag")
    return {
      action: { type: "perform", name, from: artifactName, as: patterns },
      mentions: [...mentions, { kind: "tag", name: patterns }],
    };
  return {
    action: { type: "perform", name, from: artifactName, without: patterns },
    mentions: [...mentions, { kind: "patterns", name: patterns }],
  };
}

function role(name: string): Mention {
  return { kind: "role", name };
}

function prompt(name: string): Mention {
  return { kind: "prompt", name };
}

function artifact(name: string): Mention {
  return { kind: "artifact", name };
}
