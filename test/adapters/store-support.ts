/** Stores in folders of their own, and what they tell when they refuse. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { homeAt, type Home } from "../../src/adapters/home/paths.ts";
import { openStore, type Options, type SqliteStore } from "../../src/adapters/store/open.ts";
import { UserError } from "../../src/adapters/user-error.ts";
import { DEFINITION, HASH } from "./store-entries.ts";

/** A state home that is gone after the test. */
export function newHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-store-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return homeAt(join(folder, "home"));
}

export async function opened(home: Home, options?: Options): Promise<SqliteStore> {
  const store = openStore(home, options);
  onTestFinished(async () => {
    await store.close();
  });
  await store.commit([{ type: "define", hash: HASH, definition: DEFINITION }]);
  return store;
}

/** What a user is told: code, exit, sentence, and the next command. Anything else is thrown on. */
export async function told(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return `${error.code} ${error.exit}: ${error.message} -> ${error.next}`;
  }
  return "nothing";
}
