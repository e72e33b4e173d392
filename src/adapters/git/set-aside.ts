/** Moves what is in the way and cannot be used to the quarantine, with the reason beside it. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../home/folders.ts";
import { moveInto } from "./move.ts";
import type { On } from "./own.ts";

export type Aside = { readonly from: string; readonly name: string; readonly why: string };

export function setAside({ home }: On, { from, name, why }: Aside): string {
  makeFolder(home.quarantine);
  const kept = moveInto(from, home.quarantine, name);
  const path = join(home.quarantine, kept);
  writeFileSync(`${path}.reason.txt`, `${from}\n${why}\n`, { mode: 0o600 });
  return path;
}
