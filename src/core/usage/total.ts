/** What turns used together. What is not known of a turn is counted as such, and never as zero. */

import type { TurnReport } from "../model/event.ts";

export type UsageTotal = {
  readonly turns: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** Turns whose tokens are not known, or only in part. */
  readonly unknownTokens: number;
  readonly usd: number;
  /** Turns whose cost is not known. */
  readonly unknownCost: number;
  /** Some of the cost is tokens at a price, and not what a program said. */
  readonly isEstimate: boolean;
  readonly ms: number;
};

export function totalOf(reports: readonly Pick<TurnReport, "usage" | "cost" | "ms">[]): UsageTotal {
  const sum = (of: (report: Pick<TurnReport, "usage" | "cost" | "ms">) => number): number =>
    reports.reduce((all, report) => all + of(report), 0);
  return {
    turns: reports.length,
    input: sum(({ usage }) => usage?.input ?? 0),
    cached: sum(({ usage }) => usage?.cached ?? 0),
    output: sum(({ usage }) => usage?.output ?? 0),
    unknownTokens: sum(({ usage }) => (usage === undefined || usage.isPart === true ? 1 : 0)),
    usd: sum(({ cost }) => cost?.usd ?? 0),
    unknownCost: sum(({ cost }) => (cost === undefined ? 1 : 0)),
    isEstimate: reports.some(({ cost }) => cost?.basis === "estimated" && cost.usd > 0),
    ms: sum(({ ms }) => ms),
  };
}
