/** Why a turn failed, in the words of the program or of its provider. */

import { countAt, textAt } from "./data.ts";

type FailureDetails = {
  /** Where the program says it itself; otherwise the reader decides by status and words. */
  readonly class?: "login" | "configuration";
  /** Of the provider's answer. */
  readonly status?: number;
};

export class TurnFailure extends Error {
  override readonly name = "TurnFailure";
  readonly details: FailureDetails;

  constructor(message: string, details: FailureDetails = {}) {
    super(message);
    this.details = details;
  }
}

const LOGIN_REQUIRED = -32_000;
const STATUS_MIN = 400;
const STATUS_MAX = 599;

/** An answer of the program says more in its data than in its message, which is often "Internal error". */
export function failureIn(error: unknown): { readonly message: string; readonly details: FailureDetails } {
  if (error instanceof TurnFailure) return { message: error.message, details: error.details };
  const said = error instanceof Error ? error.message : String(error);
  const more = textAt(error, "data", "details") || textAt(error, "data", "message") || textAt(error, "data");
  const message = [said, ...(more === "" || said.includes(more) ? [] : [more])].join(": ");
  const code = codeOf(error);
  if (code === LOGIN_REQUIRED) return { message, details: { class: "login" } };
  const status =
    countAt(error, "data", "statusCode") || countAt(error, "data", "status") || Math.max(0, code);
  const isStatus = status >= STATUS_MIN && status <= STATUS_MAX;
  return { message, details: isStatus ? { status } : {} };
}

function codeOf(error: unknown): number {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : 0;
  return typeof code === "number" ? code : 0;
}
