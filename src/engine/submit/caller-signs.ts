/** What makes an act in a person's name stand out: people type at a terminal, below a shell; what has detached itself does not. */

import type { Proof } from "../ports/journal.ts";

/** In words, each a part of a sentence; nothing where the act looks like a person's. */
export function apartOf({
  terminal,
  ancestry,
  agents = [],
}: Pick<Proof, "terminal" | "ancestry" | "agents">): readonly string[] {
  const signs = [
    ...(terminal === "" ? ["no terminal"] : []),
    ...(isOrphan(ancestry) ? ["nothing above it but init"] : []),
  ];
  // Where processes cannot be seen, as on macOS, nothing of this says anything.
  if (signs.length === 0 || ancestry.length === 0) return signs;
  return [...signs, ...sayAgents(agents)];
}

/** Whether it stands out, and a process of an agent was there that could have been the one. */
export function isSuspect(proof: Pick<Proof, "terminal" | "ancestry" | "agents">): boolean {
  const isAnyAtWork = (proof.agents ?? []).some((one) => one.endsWith(" running"));
  return isAnyAtWork && proof.ancestry.length > 0 && apartOf(proof).length > 0;
}

function isOrphan(ancestry: readonly string[]): boolean {
  return ancestry.length > 0 && ancestry.every((one) => one.startsWith("1 ") || one.endsWith(" systemd"));
}

/** Those that were at work, or else those that waited to be told. */
function sayAgents(agents: readonly string[]): readonly string[] {
  for (const status of ["running", "idle"]) {
    const roles = agents.filter((one) => one.endsWith(` ${status}`)).map((one) => one.split(" ")[0] ?? "");
    if (roles.length > 0)
      return [`while ${roles.join(" and ")} ${roles.length > 1 ? "were" : "was"} ${status}`];
  }
  return [];
}
