/**
 * The settings of a repository on this machine: built in, the person's, and the repository's where it is trusted.
 *
 * The repository's file is taken from the content that was trusted, never read a second time.
 */

import { readFileSync } from "node:fs";
import { join, isAbsolute, resolve } from "node:path";
import type { Settings, Harness } from "../../engine/ports/settings.ts";
import {
  LINE_KEYS,
  type ConfigFile,
  type ConfigScope,
  type DriverName,
  type HarnessFile,
  type ParsedConfig,
} from "../../format/settings/config.ts";
import { showProblem, type Problem } from "../../format/problem.ts";
import { configFolder, homeOf, type Env } from "../home/paths.ts";
import { isWithin } from "../sandbox/within.ts";
import { filesNamed } from "../../format/settings/argv.ts";
import type { TrustContent } from "../trust/content.ts";
import { requireTrust, trustOf, type TrustStore } from "../trust/trust.ts";
import type { Prices } from "../../format/settings/prices.ts";
import { codeOf, unreadable } from "../files/errno.ts";
import { UserError } from "../user-error.ts";
import { driverOf } from "../drivers/drivers.ts";
import { BUILT_IN_HARNESSES } from "./built-in.ts";
import PRICES from "./prices.json" with { type: "json" };
import { closest } from "../../core/text/closest.ts";
import type { SourcePlace } from "../../core/model/workflow.ts";

const CONFIG_FILE = "config.yaml";

type SettingsSource = { readonly repo: string; readonly env: Env; readonly store: TrustStore };

/** One file of settings as it is, for whoever must know what stands where. */
export type SettingsFile = Pick<ParsedConfig, "config" | "placeOf" | "valuePlaceOf"> & {
  readonly from: ConfigScope;
};

export type Surveyed = {
  readonly settings: Settings;
  /** The person's first. */
  readonly layers: readonly (SettingsFile & { readonly file: string })[];
  /** Files that say something, the person's first. */
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Where it is not, nothing of the repository is in the settings. */
  readonly isTrusted: boolean;
};

/** For those who act: throws what must be mended or trusted first. */
export async function readSettings(
  on: SettingsSource,
): Promise<Settings & Pick<Surveyed, "layers" | "warnings"> & { readonly content: TrustContent }> {
  const content = await requireTrust(on, on.repo);
  const { settings, layers, problems, warnings } = await survey(on, content);
  refuseProblems(problems);
  return { ...settings, layers, warnings, content };
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
export async function surveySettings(on: SettingsSource): Promise<Surveyed> {
  const { content, isTrusted } = await trustOf(on, on.repo);
  return { ...(await survey(on, isTrusted ? content : { digest: "", files: [] })), isTrusted };
}

/** The settings as this content of the repository would have them, whether or not it is trusted. */
export function settingsWith(
  on: Pick<SettingsSource, "repo" | "env">,
  content: TrustContent,
): Promise<Omit<Surveyed, "isTrusted">> {
  return survey(on, content);
}

/** What this content of a repository sets. */
async function settingsOfContent(
  on: Pick<SettingsSource, "repo" | "env">,
  content: TrustContent,
): Promise<ParsedConfig | undefined> {
  const own = content.files.find(({ path }) => path === CONFIG_FILE);
  if (own === undefined) return undefined;
  return parse({ file: join(on.repo, ".signalbox", CONFIG_FILE), bytes: own.bytes, scope: "repository" });
}

async function survey(
  on: Pick<SettingsSource, "repo" | "env">,
  content: TrustContent,
): Promise<Omit<Surveyed, "isTrusted">> {
  const folder = configFolder(on.env);
  const file = folder === undefined ? undefined : join(folder, CONFIG_FILE);
  const bytes = file === undefined ? undefined : readIfThere(file);
  const layers: (SettingsLayer & ParsedConfig & { file: string })[] = [];
  if (folder !== undefined && file !== undefined && bytes !== undefined) {
    layers.push({ ...(await parse({ file, bytes, scope: "user" })), folder, file, from: "user" });
  }
  const ofRepository = await settingsOfContent(on, content);
  if (ofRepository !== undefined) {
    const own = { folder: on.repo, file: join(on.repo, ".signalbox", CONFIG_FILE) };
    layers.push({ ...ofRepository, ...own, from: "repository" });
  }
  const { settings, problems } = mergeLayers(layers, {
    home: on.env["HOME"] ?? "",
    repo: on.repo,
    kept: [homeOf(on.env)?.root ?? "", folder ?? ""].filter((each) => each !== ""),
  });
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

/**
 * Three layers become one: built in, the person's, the repository's; the later one wins.
 *
 * A harness changes only the keys that it has, so that setting one option drops no other; `env` is joined and `set` merged. With another
 * driver it is another harness, and nothing is kept.
 */

const HARNESS = "claude";
const MINUTES = 120;
const STALL_MINUTES = 30;
const COMMIT_MESSAGE = "{goal} ({state})";
const WORKSPACES_MAX = 100;
const FREE_MB_MIN = 1024;

type SettingsLayer = Pick<ParsedConfig, "config" | "placeOf"> & {
  /** Programs that are named by a relative path are looked for from here. */
  readonly folder: string;
  readonly from: ConfigScope;
};

type SettingsPlaces = {
  /** The person's home. */
  readonly home: string;
  /** The repository that the settings are for. */
  readonly repo: string;
  /** The state home and the folder of the person's settings, which no setting shows to agents. */
  readonly kept: readonly string[];
};

type Merged = { readonly settings: Settings; readonly problems: readonly Problem[] };

export function mergeLayers(layers: readonly SettingsLayer[], places: SettingsPlaces): Merged {
  const { harnesses, problems } = mergeHarnesses(layers, places);
  const configs = layers.map(({ config }) => config);
  const last = <K extends keyof ConfigFile>(key: K): ConfigFile[K] | undefined =>
    configs.findLast((config) => config[key] !== undefined)?.[key];
  const usual = last("harness") ?? HARNESS;
  const settings: Settings = {
    // A role that names no harness has an empty name here.
    harness: (name) => complete(name === "" ? usual : name, harnesses),
    harnesses: [...harnesses.keys()].toSorted(),
    checks: Object.fromEntries(configs.flatMap(({ checks = {} }) => Object.entries(checks))),
    env: [...new Set(configs.flatMap(({ env = [] }) => env))],
    minutes: last("minutes") ?? MINUTES,
    stallMinutes: last("stall_minutes") ?? STALL_MINUTES,
    terminal: last("terminal") ?? "auto",
    pin: last("pin") ?? "note",
    sandbox: strictest(configs),
    reach: reachOf(configs, places),
    workspace: workspaceOf(configs),
    prices: pricesOf(configs),
    // Only one of the layers can have it.
    notify: layers.flatMap(({ config, folder }) => placedArgv(config.notify ?? [], { folder, ...places })),
  };
  return { settings, problems: [...problems, ...tooWide(layers, places)] };
}

const LEVELS: readonly Settings["sandbox"][] = ["off", "auto", "required"];

/** The first layer is the person's, who alone may have less than is usual. */
function strictest(configs: readonly ConfigFile[]): Settings["sandbox"] {
  const [own, ...others] = configs.map(({ sandbox }) => LEVELS.indexOf(sandbox ?? "off"));
  return LEVELS[Math.max(0, ...others, configs[0]?.sandbox === undefined ? 1 : (own ?? 1))] ?? "auto";
}

/** What a file opens that it must not: what is kept from all agents, and, of a repository's file, anything outside of it. */
function tooWide(layers: readonly SettingsLayer[], places: SettingsPlaces): readonly Problem[] {
  return layers.flatMap(({ config, from, folder, placeOf }) => {
    const folders = Object.entries(config.harnesses ?? {}).flatMap(([name, harness]) =>
      (harness.folders ?? []).map((path) => ({ path, key: ["harnesses", name, "folders"] })),
    );
    const reach = Object.entries(config.reach ?? {}).flatMap(([project, each]) =>
      (["read", "write", "devices"] as const).flatMap((kind) =>
        (each[kind] ?? []).map((path) => ({ path, key: ["reach", project, kind] })),
      ),
    );
    return [...folders, ...reach].flatMap(({ path, key }) => {
      const message = whyTooWide(path, placedFolder(path, { folder, ...places }), { from, ...places });
      return message === undefined ? [] : [{ ...placeOf(key), code: "bad-value" as const, message }];
    });
  });
}

function whyTooWide(
  path: string,
  full: string,
  { from, kept, repo }: SettingsPlaces & { readonly from: ConfigScope },
): string | undefined {
  if (kept.some((each) => isWithin(each, full) || isWithin(full, each)))
    return `${path} cannot be opened to agents: it has your settings with the human key, or the state of Signalbox, in it`;
  if (from === "user" || isOpenToRepository(full, repo)) return undefined;
  return `${path} cannot be opened to agents by a repository, which opens only folders below its own, without .git and .signalbox: name it in your own config.yaml`;
}

function isOpenToRepository(path: string, repo: string): boolean {
  const isOwn = [".git", ".signalbox"].some((name) => isWithin(path, join(repo, name)));
  return path !== repo && isWithin(path, repo) && !isOwn;
}

function reachOf(configs: readonly ConfigFile[], { home, repo }: SettingsPlaces): Settings["reach"] {
  const inPlace = (path: string): string => (path.startsWith("~/") ? join(home, path.slice(2)) : path);
  const all = configs.flatMap(({ reach = {} }) =>
    Object.entries(reach).flatMap(([project, each]) =>
      project === "*" || inPlace(project) === repo ? [each] : [],
    ),
  );
  const paths = (key: "read" | "write" | "devices"): readonly string[] => [
    ...new Set(all.flatMap((each) => (each[key] ?? []).map(inPlace))),
  ];
  return { read: paths("read"), write: paths("write"), devices: paths("devices") };
}

function pricesOf(configs: readonly ConfigFile[]): Prices {
  const all: readonly Prices[] = [PRICES, ...configs.map(({ prices = {} }) => prices)];
  return Object.fromEntries(all.flatMap((each) => Object.entries(each)));
}

/** Key by key, as everything else. A command line is a shell's, as that of a check is. */
function workspaceOf(configs: readonly ConfigFile[]): Settings["workspace"] {
  const all = configs.map(({ workspace = {} }) => workspace);
  const setup = all.findLast((each) => each.setup !== undefined)?.setup ?? [];
  const [, name = "", email = ""] =
    /^(.+) <(.+)>$/.exec(all.findLast((each) => each.author !== undefined)?.author ?? "") ?? [];
  return {
    author: name === "" ? undefined : { name, email },
    message: all.findLast((each) => each.message !== undefined)?.message ?? COMMIT_MESSAGE,
    setup: typeof setup === "string" ? ["/bin/sh", "-c", setup] : setup,
    fetch: all.findLast((each) => each.fetch !== undefined)?.fetch ?? true,
    max: all.findLast((each) => each.max !== undefined)?.max ?? WORKSPACES_MAX,
    minFreeMb: all.findLast((each) => each.min_free_mb !== undefined)?.min_free_mb ?? FREE_MB_MIN,
  };
}

function mergeHarnesses(
  layers: readonly SettingsLayer[],
  places: SettingsPlaces,
): { harnesses: ReadonlyMap<string, MergedFile>; problems: readonly Problem[] } {
  const harnesses = new Map<string, MergedFile>(Object.entries(BUILT_IN_HARNESSES));
  const problems: Problem[] = [];
  const tell = (message: string, name: string, at: SourcePlace): void => {
    const near = closest(name, [...harnesses.keys()]);
    problems.push({
      ...at,
      code: "unknown-harness",
      message,
      ...(near === undefined ? {} : { suggestion: near }),
    });
  };
  for (const { config, placeOf, folder, from } of layers) {
    for (const [name, own] of Object.entries(config.harnesses ?? {})) {
      const earlier = harnesses.get(name) ?? {};
      // Variables that are meant for one program are not for another one.
      const below: MergedFile = own.driver === undefined || own.driver === earlier.driver ? earlier : {};
      const here = placed(own, { folder, ...places });
      const harness = joined(below, { ...here, files: filesOf(here, { from, repo: places.repo }) });
      const driver = harness.driver ?? (harness.command === undefined ? undefined : "command");
      if (driver === undefined) {
        const message = `the harness "${name}" is not built in: it needs a driver, or a command`;
        tell(message, name, placeOf(["harnesses", name]));
        continue;
      }
      harnesses.set(name, { ...harness, driver });
      for (const { key, message } of misplaced({ name, driver, own, harness }))
        problems.push({
          ...placeOf(["harnesses", name, ...(key === "" ? [] : [key])]),
          code: "bad-value",
          message,
        });
    }
  }
  // Whether a name is known shows only when all layers are together.
  for (const { config, placeOf } of layers) {
    const { harness: name } = config;
    if (name !== undefined && !harnesses.has(name))
      tell(`there is no harness "${name}"`, name, placeOf(["harness"]));
  }
  return { harnesses, problems };
}

/** With the files that command lines name, each as far as its file of settings may show it. */
type MergedFile = HarnessFile & { readonly files?: readonly string[] };

function filesOf(
  harness: HarnessFile,
  { from, repo }: { readonly from: ConfigScope; readonly repo: string },
): readonly string[] {
  const lines = [...LINE_KEYS, "program" as const, "arguments" as const].flatMap((key) => harness[key] ?? []);
  const isShown = (file: string): boolean =>
    from === "user" ||
    (file !== repo && isWithin(resolve(file), repo) && !isWithin(resolve(file), join(repo, ".git")));
  return filesNamed(lines).filter(isShown);
}

function joined(below: MergedFile, own: MergedFile): MergedFile {
  return {
    ...below,
    ...own,
    files: [...new Set([...(below.files ?? []), ...(own.files ?? [])])],
    env: [...new Set([...(below.env ?? []), ...(own.env ?? [])])],
    set: { ...below.set, ...own.set },
  };
}

type MergedHarness = {
  readonly name: string;
  readonly driver: DriverName;
  readonly own: HarnessFile;
  readonly harness: HarnessFile;
};

/** Keys that the driver has no use for, and what it cannot do. An empty key is that of the harness. */
function misplaced(of: MergedHarness): readonly { readonly key: string; readonly message: string }[] {
  const { name, driver, own, harness } = of;
  const { efforts, canStay, takesTools } = driverOf(driver);
  const isCommand = driver === "command";
  const wrong = isCommand
    ? (["program", "arguments", "folders", "mcp", "permissions", "stays"] as const)
    : ([...LINE_KEYS, "stdin", ...(driver === "acp" ? [] : (["permissions"] as const))] as const);
  const remedy = isCommand
    ? `which has command lines of its own: write it into "command"`
    : `which makes its command lines itself: use "program", "arguments", "model" and "effort", or say driver: command`;
  const { effort, mcp, stays } = own;
  return [
    ...wrong
      .filter((key) => own[key] !== undefined)
      .map((key) => ({
        key,
        message: `"${key}" is nothing for the harness ${name} with the driver ${driver}, ${remedy}`,
      })),
    ...(isCommand && harness.command === undefined
      ? [{ key: "", message: `the harness ${name} with the driver command needs a command` }]
      : []),
    ...(driver === "acp" && harness.program === undefined
      ? [{ key: "", message: `the harness ${name} with the driver acp needs a program` }]
      : []),
    ...(effort === undefined || efforts.includes(effort)
      ? []
      : [{ key: "effort", message: `${driver} has no option for the effort` }]),
    ...(mcp === true && !takesTools && !isCommand
      ? [{ key: "mcp", message: `${driver} takes its tools only from files of its own: docs/mcp.md` }]
      : []),
    ...(stays === true && !canStay ? [{ key: "stays", message: `${driver} cannot stay in a terminal` }] : []),
  ];
}

function complete(name: string, harnesses: ReadonlyMap<string, MergedFile>): Harness | undefined {
  const file = harnesses.get(name);
  if (file?.driver === undefined) return undefined;
  const driver = driverOf(file.driver);
  return {
    name,
    driver: driver.name,
    program: file.command ?? file.program ?? [driver.program],
    arguments: file.arguments ?? [],
    model: file.model ?? "",
    effort: file.effort ?? "",
    folders: file.folders ?? [],
    files: file.files ?? [],
    mcp: file.mcp ?? false,
    permissions: file.permissions ?? "ask",
    stays: file.stays ?? file.terminal !== undefined,
    again: file.again,
    terminal: file.terminal,
    terminalAgain: file.terminal_again,
    env: [...new Set([...driver.env, ...(file.env ?? [])])],
    set: { ...driver.set, ...file.set },
    stdin: file.stdin ?? true,
    minutes: file.minutes,
    stallMinutes: file.stall_minutes,
  };
}

type From = SettingsPlaces & { readonly folder: string };

/** An agent's working folder holds what agents wrote: a program is never looked for there. */
function placed(harness: HarnessFile, from: From): HarnessFile {
  const { arguments: more, folders } = harness;
  return {
    ...harness,
    ...Object.fromEntries(
      [...LINE_KEYS, "program" as const].flatMap((key) => {
        const argv = harness[key];
        return argv === undefined ? [] : [[key, placedArgv(argv, from)]];
      }),
    ),
    ...(more === undefined ? {} : { arguments: more.map((argument) => placedArgument(argument, from)) }),
    ...(folders === undefined ? {} : { folders: folders.map((folder) => placedFolder(folder, from)) }),
  };
}

function placedFolder(name: string, { folder, home }: From): string {
  return name.startsWith("~/") ? join(home, name.slice(2)) : resolve(folder, name);
}

function placedArgv([program, ...rest]: readonly string[], from: From): string[] {
  if (program === undefined) return [];
  return [placedProgram(program, from), ...rest.map((argument) => placedArgument(argument, from))];
}

function placedProgram(program: string, { folder, home }: From): string {
  if (program.startsWith("~/")) return join(home, program.slice(2));
  return program.includes("/") && !isAbsolute(program) ? resolve(folder, program) : program;
}

/** A path, or an option with one: `--config=.signalbox/x`. */
const OF_TRUSTED = /^(-[^=\s]*=)?((?:\.\/)*\.signalbox(?:\/.*)?)$/s;

/**
 * Files of `.signalbox` are trusted as they are in the repository. In an agent's working folder another agent may have changed them, for
 * example the script that a judge is started with.
 */
function placedArgument(argument: string, { repo }: From): string {
  const [, option = "", path] = OF_TRUSTED.exec(argument) ?? [];
  if (path === undefined || path.split("/").includes("..")) return argument;
  return `${option}${join(repo, path)}`;
}
