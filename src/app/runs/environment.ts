/**
 * The part of a person's environment that outlives the command: what the supervisor, agents and checks may be given.
 *
 * Agents can read the file it is kept in, so that it holds nothing but what the settings hand on anyway.
 */

import { join } from "node:path";
import { failpoint } from "../../adapters/failpoint.ts";
import { makeFolder, writePrivate } from "../../adapters/home/folders.ts";
import { jsonOfOwn, textOfOwn } from "../../adapters/home/own-file.ts";
import type { Env, Home } from "../../adapters/home/paths.ts";
import { isHandedOn } from "../../engine/agents/environment.ts";
import type { Settings } from "../../engine/ports/settings.ts";

export function saveEnvironment(home: Home, env: Env): void {
  const names = savedNames(home);
  const lasting = Object.entries(env).filter(
    ([name, value]) => value !== undefined && isHandedOn(name, names),
  );
  writeIfNew(home, home.environment, Object.fromEntries(lasting.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

/** Undefined where only agents have ever been: there is nobody whose environment could be used. */
export function savedEnvironment(home: Home): Env | undefined {
  const saved = jsonOfOwn(home.environment);
  if (typeof saved !== "object" || saved === null) return undefined;
  const names = savedNames(home);
  return Object.fromEntries(
    Object.entries(saved).filter(
      (pair): pair is [string, string] => typeof pair[1] === "string" && isHandedOn(pair[0], names),
    ),
  );
}

/** Variables that the settings of some repository name, beside those that everybody gets. */
export function rememberNames(home: Home, settings: Settings): void {
  const harnesses = settings.harnesses.flatMap((name) => settings.harness(name)?.env ?? []);
  const names = new Set([...savedNames(home), ...settings.env, ...harnesses]);
  writeIfNew(home, namesFile(home), [...names].toSorted());
}

function savedNames(home: Home): readonly string[] {
  const names = jsonOfOwn(namesFile(home));
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

function namesFile({ root }: Home): string {
  return join(root, "environment-names.json");
}

function writeIfNew(home: Home, file: string, value: unknown): void {
  const text = `${JSON.stringify(value)}\n`;
  if (textOfOwn(file) === text) return;
  makeFolder(home.root);
  failpoint("environment.before-write");
  writePrivate(file, text);
  failpoint("environment.after-write");
}
