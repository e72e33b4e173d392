/**
 * A run that is begun gets the names that its workflow asks for, each of them once in the repository.
 *
 * Nobody begins between the look and the beginning: of two who want one name at the same moment, the second finds it taken.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { whileLocked } from "../../adapters/git/call/locks.ts";
import { UserError } from "../../adapters/user-error.ts";
import { freeName, isName, namedIn, nameFor, unnamedIn } from "../../core/text/generated-names.ts";
import type { Literal } from "../../core/model/value.ts";
import type { Definition } from "../../core/model/workflow.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Acting } from "../context.ts";

const ALL = 100_000;

type Unnamed = {
  readonly definition: Definition;
  readonly params: Readonly<Record<string, Literal>>;
  readonly repo: string;
  /** The run that it is for. */
  readonly id: string;
};

export async function whileNamed<T>(
  { box, home }: Acting,
  of: Unnamed,
  work: (params: Record<string, Literal>) => Promise<T>,
): Promise<T> {
  const { definition, params, repo, id } = of;
  // Whoever begins the same once more is told the same.
  if ((await box.store.load(id)) === undefined) requireNames(of);
  return whileLocked({ folder: home.locks, repo: `${repo}\0names of runs` }, async () => {
    const day = new Date(box.clock.now()).toISOString().slice(0, 10);
    const others = await begunSince(box.store, of, day);
    const named = unnamedIn(definition, params).map(([name, source]) => {
      const about = String(params[source] ?? definition.params[source]?.default ?? "");
      const folders = foldersOf(definition, name);
      const isTaken = (wanted: string): boolean =>
        others.some((other) => other[name] === wanted) ||
        folders.some((folder) => existsSync(join(repo, folder.replaceAll(`{${name}}`, wanted))));
      return [name, freeName(nameFor(day, about, definition.name), isTaken)] as const;
    });
    return work({ ...params, ...Object.fromEntries(named) });
  });
}

/** A folder that is there is an earlier one's, which is read and never written. */
function requireNames({ definition, params, repo }: Unnamed): void {
  for (const [name, said] of namedIn(definition, params)) {
    const next = `--param ${name}=ANOTHER, or leave it out`;
    if (!isName(said)) {
      const message = `${name} is no name: letters and digits, with "-", "_" and "." between them, 80 at most`;
      throw new UserError("bad-usage", message, next);
    }
    const folders = foldersOf(definition, name).map((folder) => folder.replaceAll(`{${name}}`, said));
    const taken = folders.find((folder) => existsSync(join(repo, folder)));
    if (taken !== undefined)
      throw new UserError("bad-usage", `${taken} is there already, of an earlier one`, next);
  }
}

/** What other runs of the repository began with that may have a name of this day. Of a damaged one nothing is known. */
async function begunSince(store: Store, { repo, id }: Unnamed, day: string): Promise<Unnamed["params"][]> {
  const { rows } = await store.list({ repo, hidden: true, limit: ALL });
  return (
    await Promise.all(
      rows
        .filter((row) => row.id !== id && row.startedAt >= day)
        .map(async (row) => {
          try {
            return [(await store.load(row.id))?.run.params ?? {}];
          } catch (error) {
            if (error instanceof UserError) return [];
            throw error;
          }
        }),
    )
  ).flat();
}

/** Where files of the workflow have it in their path: a folder that is there is some earlier one's. */
function foldersOf({ artifacts }: Definition, name: string): readonly string[] {
  const found = Object.values(artifacts).flatMap(({ file }) => {
    const end = file.lastIndexOf(`{${name}}`);
    if (end === -1) return [];
    const [rest = ""] = file.slice(end).split("/");
    return [file.slice(0, end) + rest];
  });
  return [...new Set(found)].filter((folder) => !folder.replaceAll(`{${name}}`, "").includes("{"));
}
