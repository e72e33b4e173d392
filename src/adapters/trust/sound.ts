/** Settings that cannot be read are named as such, before it is said that somebody has changed them. */

import { UserError } from "../user-error.ts";
import { requireTrust, trustOf, type TrustStore } from "./trust.ts";

type Trusting = Parameters<typeof trustOf>[0] & { readonly store: TrustStore };

export async function requireSound(on: Trusting, repo: string): Promise<void> {
  const { content, isTrusted } = await trustOf(on, repo);
  if (isTrusted) return;
  const { planOf } = await import("./plan.ts");
  const [problem] = (await planOf(content)).problems;
  if (problem !== undefined)
    throw new UserError("invalid-config", problem, "fix .signalbox/config.yaml, then: signalbox trust");
  await requireTrust(on, repo);
}
