/** What tokens cost, for programs that count tokens and say nothing of money: every cost made of it is an estimate. */

import type { TokenUsage } from "../../core/model/event.ts";

/** Dollars for a million tokens. Without `cached`, tokens from a cache cost as much as others. */
type Price = { readonly input: number; readonly cached?: number | undefined; readonly output: number };

/** By model, as the program or the settings name it. */
export type Prices = Readonly<Record<string, Price>>;

const MILLION = 1_000_000;
/** A provider's name for one version of a model: `gpt-5-2025-08-07`, `claude-haiku-4-5-20251001`. */
const DATE = /-(?:20\d{6}|20\d\d-\d\d-\d\d)$/;

/** In dollars; undefined for a model without a price. A model is never priced as a similar one. */
export function estimateOf(prices: Prices, model: string, usage: TokenUsage): number | undefined {
  const bare = model.slice(model.lastIndexOf("/") + 1);
  const name = [model, bare, bare.replace(DATE, "")].find((each) => Object.hasOwn(prices, each));
  const price = name === undefined ? undefined : prices[name];
  if (price === undefined) return undefined;
  const { input, cached, output } = usage;
  const read = (input - cached) * price.input + cached * (price.cached ?? price.input);
  return (read + output * price.output) / MILLION;
}
