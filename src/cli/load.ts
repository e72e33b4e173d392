/**
 * Loads the chunks of the bundle together with what V8 made of them the last time.
 *
 * Node's own compile cache keeps what is compiled while a file is loaded, and that is almost nothing: a function is compiled when it
 * is called first, so at every start again. Here each command has a file with everything that it called, read at once.
 *
 * A cache only saves time: whatever goes wrong with it, there is none. V8 refuses one of another version or of other flags, but tells
 * sources apart by their length alone. So the folder's name holds a digest of this build, and the cache the times of its files.
 *
 * Loaded by `scripts/entry.cjs`, before everything else: it imports nothing of ours.
 */

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { constants, Script } from "node:vm";

type Require = (id: string) => unknown;

type Chunk = { readonly made: { exports: unknown }; readonly script: Script; readonly time: number };

type Kept = {
  /** How many more good ends are learned from: a command calls other functions the next time. */
  readonly lessons: number;
  dataOf(name: string, time: number): Buffer | undefined;
};

const LESSONS = 4;
/** Whoever is here this long stays. */
const LONG_MS = 3000;
const LENGTH_BYTES = 4;
const ALIGNED_BYTES = 8;

/** Gives a `require` for the chunks in a folder; what is no chunk is for the other one. */
export function loader(folder: string, build: string, other: Require): Require {
  const places = placesOf(folder, build);
  const kept = keptIn(places);
  const loaded = new Map<string, Chunk>();
  let isNew = kept.lessons > 0;

  const load = (name: string): unknown => {
    const known = loaded.get(name);
    if (known !== undefined) return known.made.exports;
    const file = join(folder, name);
    const time = statSync(file).mtimeMs;
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, "utf8")}\n})`,
      {
        filename: file,
        cachedData: kept.dataOf(name, time),
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      },
    );
    isNew ||= script.cachedDataRejected !== false;
    const made = { exports: {} };
    loaded.set(name, { made, script, time });
    const run: unknown = script.runInThisContext();
    if (typeof run === "function")
      Reflect.apply(run, undefined, [made.exports, requireChunk, made, file, folder]);
    return made.exports;
  };
  const requireChunk = (id: string): unknown =>
    id.startsWith("./") && id.endsWith(".cjs") ? load(id.slice(2)) : other(id);

  const learn = (): void => {
    if (isNew) keep(places, loaded, Math.max(kept.lessons - 1, 0));
    isNew = false;
  };
  process.on("exit", (code) => {
    if (code === 0) learn();
  });
  // Whoever stays may end in any way.
  setTimeout(learn, LONG_MS).unref();
  return requireChunk;
}

/** Beside the code, where whoever may change the code may write; otherwise in the user's own cache. */
function placesOf(folder: string, build: string): readonly string[] {
  const { SIGNALBOX_TOKEN: token = "", XDG_CACHE_HOME: caches = "", HOME: home = "" } = process.env;
  const word = /^[a-z]{1,20}$/.exec(process.argv[2] ?? "")?.[0] ?? "other";
  const file = join(
    `${build}-${process.versions.v8}-${process.arch}`,
    `${token === "" ? "person" : "agent"}-${word}`,
  );
  const own = caches.startsWith("/") ? caches : home.startsWith("/") ? join(home, ".cache") : undefined;
  const beside = join(folder, ".cache", file);
  return own === undefined ? [beside] : [beside, join(own, "signalbox", file)];
}

/** What the first of these files holds that can be read. */
function keptIn(places: readonly string[]): Kept {
  for (const place of places)
    try {
      const bytes = readFileSync(place);
      const from = LENGTH_BYTES + bytes.readUInt32LE(0);
      const [first = "", ...rows] = bytes.toString("latin1", LENGTH_BYTES, from).trimEnd().split("\n");
      const [lessons = 0, end] = first.split(" ").map(Number);
      if (from + (end ?? Number.NaN) !== bytes.length) continue;
      const chunks = new Map(
        rows.map((row) => {
          const [name = "", ...numbers] = row.split(" ");
          return [name, numbers.map(Number)];
        }),
      );
      const dataOf: Kept["dataOf"] = (name, time) => {
        const [at = 0, length = 0, then] = chunks.get(name) ?? [];
        return then === time ? bytes.subarray(from + at, from + at + length) : undefined;
      };
      return { lessons, dataOf };
    } catch {
      // Then the next one.
    }
  return { lessons: LESSONS, dataOf: () => undefined };
}

/** Whole or not at all, also after a power failure: V8 trusts every byte of it, as it does those of the program. */
function keep(places: readonly string[], loaded: ReadonlyMap<string, Chunk>, lessons: number): void {
  for (const place of places)
    try {
      mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
      put(place, () => bytesOf(loaded, lessons));
      return;
    } catch {
      // Then somewhere else, or nowhere.
    }
}

function put(place: string, bytes: () => Buffer): void {
  const whole = `${place}.${process.pid}`;
  const fd = openSync(whole, "wx", 0o600);
  try {
    writeFileSync(fd, bytes());
    fsyncSync(fd);
    renameSync(whole, place);
  } finally {
    closeSync(fd);
    rmSync(whole, { force: true });
  }
}

/** The length of a table of contents, the table, and what V8 gives for each chunk. */
function bytesOf(loaded: ReadonlyMap<string, Chunk>, lessons: number): Buffer {
  const rows: string[] = [];
  const parts: Buffer[] = [];
  let end = 0;
  for (const [name, { script, time }] of loaded) {
    const data = script.createCachedData();
    const padding = Buffer.alloc(-data.length & (ALIGNED_BYTES - 1));
    rows.push(`${name} ${end} ${data.length} ${time}`);
    parts.push(data, padding);
    end += data.length + padding.length;
  }
  const text = [`${lessons} ${end}`, ...rows].join("\n");
  const table = Buffer.from(text + " ".repeat(-(LENGTH_BYTES + text.length) & (ALIGNED_BYTES - 1)));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(table.length);
  return Buffer.concat([length, table, ...parts]);
}
