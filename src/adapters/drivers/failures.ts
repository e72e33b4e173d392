/** The class of a failure and the sentence that says it: by the provider's status where the program gives one, else by the words. */

import type { ProgramFailure } from "../../core/model/event.ts";
import { textAt } from "./lines.ts";

type FailureClass = ProgramFailure["class"];

const MESSAGE_MAX = 500;

export function failureOf(
  text: string,
  { status = 0, resetAt = 0 }: { readonly status?: number; readonly resetAt?: number } = {},
): ProgramFailure & { readonly type: "failure" } {
  const message = sentenceIn(text);
  return {
    type: "failure",
    class: classOf(message, status === 0 ? statusIn(message) : status),
    message,
    ...(resetAt === 0 ? {} : { resetAt }),
  };
}

/** On one line, without the JSON and the prefix that some programs put around it. */
function sentenceIn(text: string): string {
  const bare = text.trim().replace(/^\[API Error: ([\s\S]*)\]/, "$1");
  const from = bare.indexOf("{");
  const inner = from < 0 ? "" : messageIn(bare.slice(from, bare.lastIndexOf("}") + 1));
  const said = (inner === "" ? bare : inner).replace(/, url: \S+$/, "");
  // oxlint-disable-next-line no-control-regex
  const line = said.replaceAll(/[\s\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, " ").trim();
  return line.length > MESSAGE_MAX ? `${line.slice(0, MESSAGE_MAX - 3)}...` : line;
}

function messageIn(json: string): string {
  try {
    const data: unknown = JSON.parse(json);
    return textAt(data, "error", "message") || textAt(data, "message");
  } catch {
    // A brace in an ordinary sentence.
    return "";
  }
}

/** Codex has the status in its sentence only. */
function statusIn(message: string): number {
  return Number(/\bstatus:? (\d{3})\b/.exec(message)?.[1] ?? 0);
}

function classOf(message: string, status: number): FailureClass {
  if (status === 401 || status === 403) return "login";
  if (status === 402 || status === 429) return "quota";
  if (status === 408 || status >= 500) return "provider";
  // Providers answer 400 also to a wrong key and to an empty account.
  const named = WORDS.find(([, words]) => words.test(message))?.[0];
  return named ?? (status >= 400 ? "configuration" : "other");
}

const WORDS: readonly (readonly [FailureClass, RegExp])[] = [
  [
    "trust",
    /\b(?:un|not (?:inside )?(?:a )?)trusted\b|\btrust (?:this|the) (?:folder|directory|workspace)\b/i,
  ],
  ["quota", /usage limit|rate limit|quota|credit balance|billing|hit your [\w -]*limit/i],
  ["login", /not logged in|log ?in\b|authenticat|unauthorized|api[ _]?key|\boauth\b|credentials/i],
  ["configuration", /\bmodels?\b.*\bnot\b|unknown (?:model|option|argument)|unsupported|invalid_request/i],
  ["provider", /overloaded|high demand|server error|temporar|timed? ?out|connect|network|unavailable/i],
];
