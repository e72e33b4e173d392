/**
 * The settings of a repository on this machine: built in, the person's, and the repository's where it is trusted.
 *
 * The repository's file is taken from the content that was trusted, never read a second time.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../../engine/ports/settings.ts";
import type { ParsedConfig, ConfigScope } from "../../format/settings/config.ts";
import { showProblem, type Problem } from "../../format/problem.ts";
import { configFolder, homeOf, type Env } from "../home/paths.ts";
import type { Content } from "../trust/content.ts";
import { requireTrust, trustOf, type TrustStore } from "../trust/trust.ts";
import { codeOf, unreadable } from "../library/find.ts";
import { UserError } from "../user-error.ts";
import { builtInHarnesses } from "./built-in.ts";
import { mergeLayers, type Layer } from "./merge.ts";

const CONFIG_FILE = "config.yaml";

type On = { readonly repo: string; readonly env: Env; readonly store: TrustStore };

/** One file of settings as it is, for whoever must know what stands where. */
export type SettingsFile = Pick<ParsedConfig, "config" | "placeOf" | "valuePlaceOf"> & {
  readonly from: ConfigScope;
};

export type Surveyed = {
  readonly settings: Settings;
  /** The person's first. */
  readonly layers: readonly SettingsFile[];
  /** Files that say something, the person's first. */
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Where it is not, nothing of the repository is in the settings. */
  readonly isTrusted: boolean;
};

/** For those who act: throws what must be mended or trusted first. */
export async function readSettings(on: On): Promise<Settings & Pick<Surveyed, "layers" | "warnings">> {
  const content = await requireTrust(on, on.repo);
  const { settings, layers, problems, warnings } = await survey(on, content);
  refuseProblems(problems);
  return { ...settings, layers, warnings };
}

/** Nothing is run with settings that have problems. */
export function refuseProblems(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  const { file, line, col } = first;
  throw new UserError("invalid-config", `${showProblem(first)}${more}`, {
    next: "signalbox doctor",
    at: { file, line, col },
  });
}

/** For those who look: everything that is wrong, and the settings as far as they are good. */
export async function surveySettings(on: On): Promise<Surveyed> {
  const { content, isTrusted } = await trustOf(on, on.repo);
  return { ...(await survey(on, isTrusted ? content : { digest: "", files: [] })), isTrusted };
}

/** What this content of a repository sets. */
async function settingsOfContent(
  on: Pick<On, "repo" | "env">,
  content: Content,
): Promise<ParsedConfig | undefined> {
  const own = content.files.find(({ path }) => path === CONFIG_FILE);
  if (own === undefined) return undefined;
  return parse({ file: join(on.repo, ".signalbox", CONFIG_FILE), bytes: own.bytes, scope: "repository" });
}

async function survey(on: Pick<On, "repo" | "env">, content: Content): Promise<Omit<Surveyed, "isTrusted">> {
  const folder = configFolder(on.env);
  const file = folder === undefined ? undefined : join(folder, CONFIG_FILE);
  const bytes = file === undefined ? undefined : readIfThere(file);
  const layers: (Layer & ParsedConfig & { file: string; from: ConfigScope })[] = [];
  if (folder !== undefined && file !== undefined && bytes !== undefined) {
    layers.push({ ...(await parse({ file, bytes, scope: "user" })), folder, file, from: "user" });
  }
  const ofRepository = await settingsOfContent(on, content);
  if (ofRepository !== undefined) {
    const own = { folder: on.repo, file: join(on.repo, ".signalbox", CONFIG_FILE) };
    layers.push({ ...ofRepository, ...own, from: "repository" });
  }
  const builtIn = builtInHarnesses(homeOf(on.env)?.root ?? "");
  const { settings, problems } = mergeLayers(builtIn, layers, on.env["HOME"] ?? "");
  return {
    settings,
    layers,
    files: layers.map((layer) => layer.file),
    problems: [...layers.flatMap((layer) => layer.problems), ...problems],
    warnings: layers.flatMap((layer) => layer.warnings),
  };
}

/** What was parsed last of each file: whoever starts many agents reads the same again and again. */
const known = new Map<string, { readonly bytes: Uint8Array; readonly parsed: ParsedConfig }>();

/** Most have no settings at all: only those who do pay for the parser. */
async function parse(of: { file: string; bytes: Uint8Array; scope: ConfigScope }): Promise<ParsedConfig> {
  const key = `${of.scope} ${of.file}`;
  const last = known.get(key);
  if (last !== undefined && Buffer.compare(last.bytes, of.bytes) === 0) return last.parsed;
  const { parseConfig } = await import("../../format/settings/config.ts");
  const parsed = parseConfig(of);
  known.set(key, { bytes: of.bytes, parsed });
  return parsed;
}

function readIfThere(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw unreadable(file, error);
  }
}
