/**
 * Three layers become one: built in, the person's, the repository's; the later one wins.
 *
 * A harness with a `command` is complete in itself: nothing of an earlier harness of its name is kept, least of all the
 * variables that were meant for another program. Without a `command` it only changes the keys that it has.
 */

import { isAbsolute, join, resolve } from "node:path";
import { closest } from "../../core/text/closest.ts";
import type { SourcePlace } from "../../core/model/workflow.ts";
import type { Harness, Settings } from "../../engine/ports/settings.ts";
import type { ConfigFile, HarnessFile, ParsedConfig } from "../../format/settings/config.ts";
import type { Problem } from "../../format/problem.ts";

const HARNESS = "claude";
const MINUTES = 120;
const STALL_MINUTES = 30;
const COMMIT_MESSAGE = "{goal} ({state})";
const WORKSPACES_MAX = 100;
const FREE_MB_MIN = 1024;

export type Layer = Pick<ParsedConfig, "config" | "placeOf"> & {
  /** Programs that are named by a relative path are looked for from here. */
  readonly folder: string;
};

export type Merged = { readonly settings: Settings; readonly problems: readonly Problem[] };

export function mergeLayers(
  builtIn: Readonly<Record<string, HarnessFile>>,
  layers: readonly Layer[],
  home: string,
): Merged {
  const { harnesses, problems } = mergeHarnesses(builtIn, layers, home);
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
    workspace: workspaceOf(configs),
    // Only one of the layers can have it.
    notify: layers.flatMap(({ config, folder }) => placedArgv(config.notify ?? [], { folder, home })),
  };
  return { settings, problems };
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
  builtIn: Readonly<Record<string, HarnessFile>>,
  layers: readonly Layer[],
  home: string,
): { harnesses: ReadonlyMap<string, HarnessFile>; problems: readonly Problem[] } {
  const harnesses = new Map(Object.entries(builtIn));
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
  for (const { config, placeOf, folder } of layers) {
    for (const [name, own] of Object.entries(config.harnesses ?? {})) {
      const below = own.command === undefined ? harnesses.get(name) : {};
      if (below !== undefined) harnesses.set(name, { ...below, ...placed(own, { folder, home }) });
      else {
        const message = `the harness "${name}" is not built in: it needs a command`;
        tell(message, name, placeOf(["harnesses", name]));
      }
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

function complete(name: string, harnesses: ReadonlyMap<string, HarnessFile>): Harness | undefined {
  const file = harnesses.get(name);
  if (file?.command === undefined) return undefined;
  return {
    name,
    command: file.command,
    again: file.again,
    terminal: file.terminal,
    terminalAgain: file.terminal_again,
    env: file.env ?? [],
    set: file.set ?? {},
    stdin: file.stdin ?? true,
    minutes: file.minutes,
    stallMinutes: file.stall_minutes,
  };
}

type From = { readonly folder: string; readonly home: string };

/** An agent's working folder holds what agents wrote: a program is never looked for there. */
function placed(harness: HarnessFile, from: From): HarnessFile {
  const { command, again, terminal, terminal_again: terminalAgain } = harness;
  return {
    ...harness,
    ...(command === undefined ? {} : { command: placedArgv(command, from) }),
    ...(again === undefined ? {} : { again: placedArgv(again, from) }),
    ...(terminal === undefined ? {} : { terminal: placedArgv(terminal, from) }),
    ...(terminalAgain === undefined ? {} : { terminal_again: placedArgv(terminalAgain, from) }),
  };
}

function placedArgv([program, ...rest]: readonly string[], { folder, home }: From): string[] {
  if (program === undefined) return [];
  if (program.startsWith("~/")) return [join(home, program.slice(2)), ...rest];
  return [program.includes("/") && !isAbsolute(program) ? resolve(folder, program) : program, ...rest];
}
