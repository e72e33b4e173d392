/** A run with files in a temporary folder, and a registry that counts. */

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileArtifacts } from "../../src/adapters/files/artifacts/artifacts.ts";
import { compile } from "../../src/core/model/compile.ts";
import type { Reading } from "../../src/core/model/event.ts";
import { NO_RUN } from "../../src/core/model/run.ts";
import type { Run } from "../../src/core/model/run.ts";
import type { Artifact, Reader } from "../../src/core/model/artifact.ts";
import type { Definition, Projection, DataTree } from "../../src/core/model/workflow.ts";
import type { Artifacts, Place } from "../../src/engine/ports/files.ts";
import type { Store } from "../../src/engine/ports/store.ts";

type Memory = { -readonly [Name in "readings" | "projection" | "commit"]: Store[Name] } & {
  parsed: string[];
};

function memory(): Memory {
  const readings = new Map<string, readonly Reading[]>();
  const projections = new Map<string, string>();
  const parsed: string[] = [];
  return {
    parsed,
    readings: ({ definition, file, digest }) =>
      Promise.resolve(readings.get([definition, file, digest].join(" "))),
    projection: (run, file) => Promise.resolve(projections.get(`${run} ${file}`)),
    commit: (batch) => {
      for (const write of batch) {
        if (write.type === "put-readings") {
          parsed.push(write.file);
          readings.set([write.definition, write.file, write.digest].join(" "), write.readings);
        }
        if (write.type === "put-projection") projections.set(`${write.run} ${write.file}`, write.fields);
      }
      return Promise.resolve({ type: "written" });
    },
  };
}

export function artifact(file: string, reader: Reader, more: Partial<Artifact> = {}): Artifact {
  return { file, reader, by: [], fresh: "run", bind: [], block: "low", ...more };
}

export const section = (heading: string, file = "TASK.md"): Artifact =>
  artifact(file, { type: "section", heading, any: [], all: [] });
export const whole = (file: string): Artifact => artifact(file, { type: "file" });

export const frontMatter = (data: DataTree, file = "TASK.md"): Projection => ({
  file,
  as: "front-matter",
  data,
});

const EMPTY: Definition = {
  name: "test",
  title: "",
  params: {},
  counters: {},
  artifacts: {},
  roles: {},
  states: {},
  moves: [],
  ends: [],
  asks: {},
  prompts: {},
  assertions: [],
  projections: [],
  places: {},
};

export type Bench = {
  readonly root: string;
  readonly registry: Memory;
  readonly artifacts: Artifacts;
  readonly place: Place;
  readonly write: (file: string, text: string | Uint8Array) => void;
  text(file: string): string;
  /** Files in the root and below, sorted; without those that only wait for a late writer. */
  list(): string[];
  project(root: unknown): Promise<readonly string[]>;
  /** Shows a text that was accepted. */
  show(artifact: string, text: string): Promise<readonly string[]>;
};

export function benchAt(root: string, of: Partial<Definition>, run: Partial<Run> = {}): Bench {
  const workflow = compile({ ...EMPTY, ...of }, () => "hash");
  const registry = memory();
  const artifacts = fileArtifacts(registry);
  const place = { root, run: { ...NO_RUN, id: "r1", definition: "hash", ...run }, workflow };
  return {
    root,
    registry,
    artifacts,
    place,
    write: (file, text) => {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    },
    text: (file) => readFileSync(join(root, file), "utf8"),
    list: () => listOf(root),
    async project(view) {
      const { projections } = workflow.definition;
      return (await artifacts.project(place, { root: view, projections })).told;
    },
    async show(name, text) {
      const isCurrent = (): Promise<boolean> => Promise.resolve(true);
      return (await artifacts.show(place, { artifact: name, slot: "", text, isCurrent })).told;
    },
  };
}

export function listOf(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((name) => !name.includes(".signalbox-late-"))
    .sort();
}

const made: string[] = [];

export function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-files-")));
  made.push(path);
  return path;
}

export function tidy(): void {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
}
