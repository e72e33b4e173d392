/**
 * The keys of one person, in their order, and whether each was named by the one before it.
 *
 * A key that is replaced signs for the next one. Where it could not, because it was lost, everything from there on is marked:
 * an agent can lose a key as well as a person can.
 */

import type { KeyFile } from "./key-file.ts";
import { fingerprintOf, isSignedBy } from "./signature.ts";

export type KnownKey = {
  readonly public: string;
  readonly fingerprint: string;
  /** When it was replaced; empty for the one in use. */
  readonly until: string;
  /** Whether the key before it signed for it. The first one needs nobody. */
  readonly isNamed: boolean;
  /** Since when the keys of this person are not named by those before them, any more; empty while they are. */
  readonly lostAt: string;
};

export function keysOf({ former, public: present }: Pick<KeyFile, "former" | "public">): readonly KnownKey[] {
  const known: KnownKey[] = [];
  let before: KeyFile["former"][number] | undefined;
  for (const key of [...former, { public: present, until: "", named: "" }]) {
    const isNamed =
      before === undefined ||
      isSignedBy(before.public, namingText({ ...before, next: key.public }), before.named);
    const lostAt = isNamed ? (known.at(-1)?.lostAt ?? "") : (before?.until ?? "");
    known.push({
      public: key.public,
      fingerprint: fingerprintOf(key.public),
      until: key.until,
      isNamed,
      lostAt,
    });
    before = key;
  }
  return known;
}

/** What a key signs for the one that takes its place. */
export function namingText(of: {
  readonly public: string;
  readonly until: string;
  readonly next: string;
}): string {
  return ["signalbox-key-1", of.public, of.until, of.next].join("\n");
}
