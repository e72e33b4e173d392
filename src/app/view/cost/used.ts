/** What a run used, with the runs of its tasks. */

import type { UsageTotal } from "../../../core/usage/total.ts";
import { totalOf } from "../../../core/usage/total.ts";
import type { TurnReport } from "../../../core/model/event.ts";
import { familyOf } from "../../../engine/tasks/descendants.ts";
import type { Store } from "../../../engine/ports/store.ts";
import type { UsedView } from "./schemas.ts";
import { sayCost, sayDuration, sayTokens } from "./words.ts";

export function usedIn(reports: readonly Pick<TurnReport, "usage" | "cost" | "ms">[]): UsedView {
  const total = totalOf(reports);
  const { turns, input, cached, output, unknownTokens, usd, unknownCost, isEstimate, ms } = total;
  const hasTokens = turns === 0 || reports.some(({ usage }) => usage !== undefined);
  const hasCost = turns === 0 || unknownCost < turns;
  return {
    turns,
    input: hasTokens ? input : null,
    cached: hasTokens ? cached : null,
    output: hasTokens ? output : null,
    unknownTokens,
    usd: hasCost ? usd : null,
    unknownCost,
    estimated: isEstimate,
    ms,
    tokens: sayTokens(total),
    cost: sayCost(total),
    said: sayUsed(total),
  };
}

/** `3 turns: 47k tokens, about $0.19, 5 min 02 s`. */
function sayUsed(total: UsageTotal): string {
  const { turns, ms } = total;
  if (turns === 0) return "no turn yet";
  return `${turns} ${turns === 1 ? "turn" : "turns"}: ${sayTokens(total)}, ${sayCost(total)}, ${sayDuration(ms)}`;
}

export async function usedBy(store: Pick<Store, "reports" | "childrenOf">, run: string): Promise<UsedView> {
  const records = await store.reports({ runs: await familyOf(store, run) });
  return usedIn(records.map(({ report }) => report));
}
