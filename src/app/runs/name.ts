/**
 * Names of runs: the value of the parameter that identifies a run in its repository.
 *
 * The key of a run is made of its workflow and its name, so the same name is the same run, found without looking at any other. A run that
 * was cancelled frees its name.
 */

import { newRunId } from "../../adapters/home/run-id.ts";
import { sha256 } from "../../format/sha256.ts";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { workflowNames } from "../../adapters/library/find.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { Definition } from "../../core/model/workflow.ts";
import { slugOf } from "../../core/text/generated-names.ts";
import type { Kept } from "../../engine/ports/journal.ts";
import type { Store } from "../../engine/ports/store.ts";
import { EXIT_NOT_YOURS } from "../exit-codes.ts";
import type { Invocation } from "../invocation.ts";

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
/** How often a name can be freed and used again. */
const LIVES = 1000;

type Loading = Pick<Store, "load">;

/** A name of a workflow's runs in a repository. */
export type RunName = { readonly repo: string; readonly workflow: string; readonly name: string };

/** The parameter whose value names a run; undefined where runs have no name. */
export function nameParam({ params }: Definition): string | undefined {
  return Object.entries(params).find(([, param]) => param.type === "text" && param.identifies === true)?.[0];
}

/** The key that the run of this name has or would have, and the run where it exists. */
export async function runNamed(
  store: Loading,
  of: RunName,
): Promise<{ readonly key: string; readonly kept: Kept | undefined }> {
  if (!NAME.test(of.name))
    throw new UserError(
      "bad-name",
      `"${of.name}" cannot name a run: use a-z, 0-9 and -, at most 64, with a letter or a digit at both ends`,
      "choose a name like add-login",
    );
  const { key, kept } = await lifeOf(store, of);
  if (key !== "") return { key, kept };
  throw new UserError("too-many-lives", `${of.name} was cancelled ${LIVES} times`, "choose another name");
}

/** A run that begins makes its files: what exists at their paths is not its own. */
export function requireUnused({ artifacts }: Definition, param: string, { repo, name }: RunName): void {
  const files = Object.values(artifacts)
    .map(({ file }) => file.replaceAll(`{${param}}`, name))
    .filter((file) => file.includes(name) && !file.includes("{"));
  const taken = files.find((file) => existsSync(join(repo, file)));
  if (taken === undefined) return;
  const folder = taken.slice(0, taken.indexOf(name) + name.length);
  throw new UserError("file-exists", `${taken} exists, and no run made it`, {
    next: `mv ${folder} ${folder}.old`,
    exit: EXIT_NOT_YOURS,
  });
}

/** A name made of what the run is about, with a number where that is taken. */
export async function freeRunName(store: Loading, of: Omit<RunName, "name">, about: string): Promise<string> {
  const slug = slugOf(about).replaceAll(/[^a-z0-9-]/g, "") || "run";
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? slug : `${slug}-${number}`;
    if ((await lifeOf(store, { ...of, name })).kept === undefined) return name;
  }
}

/** The run of this name in a folder or in one above it; of a name that is free, the run that had it last. */
export async function runOfName(
  store: Loading,
  { cwd, env }: Pick<Invocation, "cwd" | "env">,
  name: string,
): Promise<string | undefined> {
  if (!NAME.test(name)) return undefined;
  const workflows = workflowNames({ cwd, home: env["HOME"] ?? "" });
  for (let repo = cwd; ; repo = dirname(repo)) {
    for (const workflow of workflows) {
      const { kept, last } = await lifeOf(store, { repo, workflow, name });
      const found = kept?.run.id ?? last;
      if (found !== undefined) return found;
    }
    if (repo === dirname(repo)) return undefined;
  }
}

/** The name by which people can type a run; empty where its name leads to another run or to none. */
export function nameOfRun({ row, run }: Pick<Kept, "row" | "run">, definition: Definition): string {
  const param = nameParam(definition);
  const name = param === undefined ? "" : String(run.params[param] ?? "");
  if (!NAME.test(name)) return "";
  const of = { repo: row.repo, workflow: row.workflow, name };
  for (let life = 1; life <= LIVES; life += 1) if (idOf(row.repo, keyOf(of, life)) === run.id) return name;
  return "";
}

function keyOf({ workflow, name }: RunName, life: number): string {
  return life === 1 ? `${workflow}:${name}` : `${workflow}:${name}:${life}`;
}

type Life = {
  /** Empty where every life of the name is over. */
  readonly key: string;
  /** The run of this life; undefined where the name is free. */
  readonly kept: Kept | undefined;
  /** The run of the life before. */
  readonly last: string | undefined;
};

async function lifeOf(store: Loading, of: RunName): Promise<Life> {
  let last: string | undefined;
  for (let life = 1; life <= LIVES; life += 1) {
    const key = keyOf(of, life);
    const kept = await store.load(idOf(of.repo, key));
    if (kept?.row.status !== "cancelled") return { key, kept, last };
    last = kept.run.id;
  }
  return { key: "", kept: undefined, last };
}

/** The same key in the same repository is the same run, whoever asks and however often. */
export function idOf(repo: string, key: string): string {
  const bytes = Buffer.from(sha256(`${repo}\0${key}`), "hex");
  return newRunId((length) => bytes.subarray(0, length));
}
