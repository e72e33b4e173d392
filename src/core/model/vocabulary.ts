/**
 * Closed vocabularies: the effects that a definition can order by name, and the facts that a workflow can wait for.
 *
 * Some facts can become true at any time. Others are results of an ordered effect: a workflow that does not order the effect
 * cannot wait for them.
 */

import type { Shape } from "./artifact.ts";

/** Texts that an effect takes from its artifact: top-level fields of a data file. */
export const PERFORMABLE: Readonly<Record<string, { readonly texts: readonly string[] }>> = {
  commit: { texts: ["commitMessage"] },
  "pull-request": { texts: ["title", "body"] },
  tag: { texts: ["commitMessage"] },
  "note-base": { texts: [] },
  archive: { texts: [] },
  notify: { texts: [] },
};

type KnownFact = {
  /** The fact in words. */
  readonly says: string;
  /** The effect whose result this fact is. */
  readonly deed?: string;
  readonly fields?: Shape;
};

export const FACTS: Readonly<Record<string, KnownFact>> = {
  "ready-to-start": { says: "it is its turn" },
  "branch-merged": {
    says: "its work is merged elsewhere",
    fields: fields({ ref: "text", commit: "text", by: "text" }),
  },
  "pull-request-closed": { says: "its pull request is closed" },
  "parent-over": { says: "the run that it was made for is over" },
  committed: {
    says: "its work is committed",
    deed: "commit",
    fields: fields({ commit: "text", made: "boolean" }),
  },
  "pull-request-opened": {
    says: "its pull request is opened",
    deed: "pull-request",
    fields: fields({ url: "text", commit: "text" }),
  },
  "pull-request-refused": {
    says: "its pull request cannot be opened",
    deed: "pull-request",
    fields: fields({ reason: "text" }),
  },
  tagged: {
    says: "its work is tagged",
    deed: "tag",
    fields: fields({ tag: "text", commit: "text" }),
  },
  "tag-refused": {
    says: "its work cannot be tagged",
    deed: "tag",
    fields: fields({ reason: "text" }),
  },
  "base-noted": {
    says: "what its archive will replace is noted",
    deed: "note-base",
    fields: fields({ base: "text" }),
  },
  archived: {
    says: "it is archived",
    deed: "archive",
    fields: fields({ folder: "text" }),
  },
  "archive-refused": {
    says: "it cannot be archived as it is",
    deed: "archive",
    fields: fields({ reason: "text", file: "text", base: "text", now: "text" }),
  },
};

function fields(types: Readonly<Record<string, "text" | "boolean">>): Shape {
  const required = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));
  return { type: "object", required, optional: {}, open: false };
}

/** How hard a model thinks. Each program has words of its own for them. */
export const EFFORTS = ["low", "medium", "high", "max"] as const;
export type Effort = (typeof EFFORTS)[number];
