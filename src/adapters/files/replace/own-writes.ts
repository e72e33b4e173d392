/** What this process wrote itself: a file that still says so was not saved by anybody a moment ago, and need not be waited for. */

import { sha256 } from "../../../format/sha256.ts";
import type { Spot } from "./folder.ts";
import type { Rewriting } from "./replace.ts";

type Edit = Rewriting["edit"];

export type OwnWrites = {
  isOf(spot: Spot): (digest: string) => boolean;
  /** The same edit; what it gives is known afterwards. */
  remembering(spot: Spot, edit: Edit): Edit;
};

export function ownWrites(): OwnWrites {
  const digests = new Map<string, readonly string[]>();
  const keyOf = ({ root, file }: Spot): string => `${root}\0${file}`;
  return {
    isOf: (spot) => (digest) => digests.get(keyOf(spot))?.includes(digest) === true,
    remembering: (spot, edit) => (now) => {
      const wanted = edit(now);
      if (wanted === undefined) return wanted;
      // Also what is there until then.
      const [before] = digests.get(keyOf(spot)) ?? [];
      digests.set(keyOf(spot), [sha256(wanted.bytes), ...(before === undefined ? [] : [before])]);
      return wanted;
    },
  };
}
