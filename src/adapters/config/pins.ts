/** What a run is pinned to: what files of settings say, the digests of other trusted files, and program files of this machine. */

import { realpathSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { PinEntry, Pins, ProgramFile } from "../../engine/ports/pins.ts";
import { sha256 } from "../../format/sha256.ts";
import { isObject } from "../../format/json/shape.ts";
import { driverOf } from "../drivers/drivers.ts";
import { askProgram } from "../process/ask.ts";
import { programAt } from "../process/program.ts";
import type { TrustContent } from "../trust/content.ts";
import type { Surveyed } from "./read.ts";

type PinSource = Pick<Surveyed, "layers"> & { readonly content: TrustContent };

const OWN_FILE = "your config.yaml";
const OF_REPOSITORY = ".signalbox";
const CONFIG = "config.yaml";
const DIGEST_LENGTH = 12;

/** Workflows are not in it: a run keeps its definition, and tasks take what `trust` covers when they begin. */
export function pinEntries({ layers, content }: PinSource): readonly PinEntry[] {
  const settings = layers.flatMap(({ from, config }) => {
    const file = from === "user" ? OWN_FILE : `${OF_REPOSITORY}/${CONFIG}`;
    return leavesOf(config).map(([key, value]) => ({ file, key, value }));
  });
  const files = content.files
    .filter(({ path }) => path !== CONFIG && !path.startsWith("workflows/"))
    .map(({ path, bytes }) => ({
      file: `${OF_REPOSITORY}/${path}`,
      key: "",
      value: sha256(bytes).slice(0, DIGEST_LENGTH),
    }));
  return [...settings, ...files];
}

function leavesOf(value: unknown, path: readonly string[] = []): readonly (readonly [string, string])[] {
  if (isObject(value))
    return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
  if (value === undefined) return [];
  return [[path.join("."), typeof value === "string" ? value : JSON.stringify(value)]];
}

/** Where it is, and by what one sees that it was replaced: a link that leads elsewhere, or another file in its place. */
function programFile(name: string, path: string): ProgramFile | undefined {
  const place = programAt(name, path);
  if (place === undefined) return undefined;
  const real = realpathSync(place);
  const { size, mtimeMs } = statSync(real);
  return { place, mark: `${real} ${size} ${Math.round(mtimeMs)}` };
}

/** Asked once for each file: a program that is written in JavaScript takes a moment to start. */
const known = new Map<string, Promise<string>>();

function programVersion(
  { place, mark }: ProgramFile,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  if (argv.length === 0) return Promise.resolve("");
  const asked = known.get(mark) ?? askVersion(place, argv, env);
  known.set(mark, asked);
  return asked;
}

async function askVersion(
  place: string,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { stdout } = await askProgram(place, argv, env);
  return /\d+\.\d+[\w.+-]*/.exec(stdout)?.[0] ?? "";
}

/** None where the file is another program, such as a script around it: nobody knows what that does with the arguments. */
function versionArgv(name: Parameters<Pins["version"]>[0], { place }: ProgramFile): readonly string[] {
  const { program, version } = driverOf(name);
  return program === basename(place) ? version : [];
}

type PinsOf = {
  readonly read: (repo: string) => Promise<PinSource>;
  readonly env: Readonly<Record<string, string | undefined>>;
};

export function pinsOf({ read, env }: PinsOf): Pins {
  return {
    entries: async (repo) => pinEntries(await read(repo)),
    program: programFile,
    version: (driver, file) => programVersion(file, versionArgv(driver, file), env),
  };
}
