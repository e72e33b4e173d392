/** The sockets of confined agents, one for each job: opened before the job begins, and again by the next supervisor. */

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../home/paths.ts";
import { listenToCell, type Listening, type NoticeHandler } from "../supervisor/listen.ts";
import type { Store } from "../../engine/ports/store.ts";
import { socketOf } from "./grants.ts";
import { cellFolder } from "./sandbox.ts";

/** Contract: `open` resolves once calls are heard at the socket in this folder, and may be repeated; `close` hears no more. */
export type Ears = {
  open(job: { readonly id: string; readonly folder: string }): Promise<void>;
  close(folder: string): void;
};

export type AllEars = Ears & { end(): Promise<void> };

export function earsOf(home: Home, answerTo: (job: { readonly id: string }) => NoticeHandler): AllEars {
  const open = new Map<string, Promise<Listening | undefined>>();
  return {
    async open({ id, folder }) {
      const known = open.get(folder) ?? listenToCell(home, socketOf(folder), answerTo({ id }));
      open.set(folder, known);
      if ((await known) === undefined) throw new Error(`nobody can listen at ${socketOf(folder)}`);
    },
    close(folder) {
      const known = open.get(folder);
      if (known === undefined) return;
      open.delete(folder);
      // The job is over: nobody inside is left to ask.
      void known.then((listening) => listening?.close()).catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
    async end() {
      await Promise.all([...open.values()].map(async (known) => (await known)?.close()));
    },
  };
}

/** Jobs outlive a supervisor, and their folders with them: a socket in the same folder is found again from inside. */
export async function hearAgain(home: Home, store: Pick<Store, "jobs">, ears: Ears): Promise<void> {
  const cells = join(home.root, "cells");
  if (!existsSync(cells)) return;
  const live = new Map(
    (await store.jobs({ status: "live" })).map((job) => [cellFolder(home, job.dir), job.id]),
  );
  for (const name of readdirSync(cells)) {
    const folder = join(cells, name);
    const id = live.get(folder);
    if (id === undefined) rmSync(folder, { recursive: true, force: true });
    else await ears.open({ id, folder });
  }
}
