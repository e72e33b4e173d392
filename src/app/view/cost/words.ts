/** Tokens, money and time as people read them. */

import type { Incoming } from "../../../core/model/event.ts";
import { totalOf, type UsageTotal } from "../../../core/usage/total.ts";
import { agentName, capitalised, sentence } from "../words.ts";

type TurnReported = Extract<Incoming, { type: "turn-reported" }>;

/** `820`, `4.1k`, `47k`, `1.2M`. */
export function sayCount(count: number): string {
  const short = (value: number, unit: string): string =>
    `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value))}${unit}`;
  if (count < 1000) return String(count);
  return count < 999_500 ? short(count / 1000, "k") : short(count / 1_000_000, "M");
}

/** `47k tokens`; with `at least` where some of it is not known. */
export function sayTokens({ turns, input, output, unknownTokens }: UsageTotal): string {
  const known = input + output;
  if (turns > 0 && unknownTokens === turns && known === 0) return "tokens unknown";
  return `${unknownTokens > 0 ? "at least " : ""}${sayCount(known)} tokens`;
}

/** `$0.19`; with `about` for an estimate, and `at least` where some of it is not known. */
export function sayCost({ turns, usd, unknownCost, isEstimate }: UsageTotal): string {
  if (turns > 0 && unknownCost === turns) return "cost unknown";
  const hedges = `${unknownCost > 0 ? "at least " : ""}${isEstimate ? "about " : ""}`;
  return usd > 0 && usd < 0.005 && unknownCost === 0 ? "less than $0.01" : `${hedges}$${usd.toFixed(2)}`;
}

/** `1 h 05 min`, `3 min 20 s`, `12 s`. */
export function sayDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${two(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** One turn as a line of the journal. */
export function sayReport(report: TurnReported): string {
  const total = totalOf([report]);
  const { failure, refused } = report;
  return [
    `${sayTokens(total)}, ${sayCost(total)}, ${sayDuration(report.ms)}`,
    ...(failure === undefined ? [] : [`failed (${failure.class}): ${failure.message}`]),
    ...(refused.length === 0 ? [] : [`not allowed to use ${refused.join(", ")}`]),
  ].join("; ");
}

/** One turn as a sentence; empty where its program said nothing of it. */
export function tellReport(report: TurnReported): string {
  const { failure, refused } = report;
  const whose = `${capitalised(agentName(report))}'s turn`;
  const total = totalOf([report]);
  const used = total.input + total.output === 0 ? "" : `used ${sayTokens(total)} (${sayCost(total)})`;
  const tools = refused.length === 0 ? "" : `was not allowed to use ${refused.join(", ")}`;
  const acts = [failure === undefined ? "" : `failed: ${failure.message}`, used, tools];
  return acts
    .filter((act) => act !== "")
    .map((act, at) => sentence(`${at === 0 ? whose : "It"} ${act}`))
    .join(" ");
}
