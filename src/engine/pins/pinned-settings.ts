/** The settings of one run, as it began with them: every process of the run is started with these. */

import { valueOf } from "../../core/gates/artifact-status.ts";
import type { Run } from "../../core/model/run.ts";
import type { Definition } from "../../core/model/workflow.ts";
import type { Works } from "../box.ts";
import { noteAll } from "../notes.ts";
import type { Kept } from "../ports/journal.ts";
import type { ProgramFile } from "../ports/pins.ts";
import type { Harness, Settings } from "../ports/settings.ts";
import { needsPerson } from "../supervise/later.ts";
import { changesIn, newPin, PIN, pinFrom, sayChanges, type Pin, type Uses } from "./pin.ts";

export type PinnedSettings = Settings & {
  /** The PATH that the run began with, without the folder of `signalbox`. */
  readonly path: string;
};

const TRUST = "signalbox trust";
const USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Throws while they are others than those that the run began with. A run without a pin begins with those of now. */
export async function pinnedSettings(works: Works, { row, run }: Kept): Promise<PinnedSettings> {
  const settings = await works.settings(row.repo);
  const entries = await works.pins.entries(row.repo);
  const pin = pinFrom(await works.store.projection(row.id, PIN));
  if (pin === undefined) {
    const path = latestPath(works);
    const fields = newPin({ entries, path, notify: settings.notify });
    await works.store.commit([{ type: "put-projection", run: row.id, file: PIN, fields }]);
    return { ...settings, path };
  }
  const { definition } = await works.workflow(row.definition);
  const changes = changesIn(pin, entries, usesOf(definition, run));
  if (changes.length > 0) {
    const message = `settings have changed since the run began: ${sayChanges(changes)}`;
    throw needsPerson(message, TRUST);
  }
  return { ...settings, path: pin.path };
}

/** The command for notifications that the run began with: another one runs only after a person has looked at it. */
export async function notifyOf(works: Works, { row }: Kept): Promise<readonly string[]> {
  const pin = pinFrom(await works.store.projection(row.id, PIN));
  return pin?.notify ?? (await works.settings(row.repo)).notify;
}

export function usesOf({ roles, artifacts }: Definition, run: Run): Uses {
  const harnesses = Object.values(roles).map(({ harness }) => String(valueOf(run, harness)));
  const checks = Object.values(artifacts).flatMap(({ reader }) =>
    reader.type === "check"
      ? [reader.command, ...(reader.more ?? [])].map((command) => String(valueOf(run, command)))
      : [],
  );
  // Commands that a list names may be names of checks, too.
  const isListed = Object.values(artifacts).some(
    ({ reader }) => reader.type === "check" && reader.from !== undefined,
  );
  return {
    harnesses: new Set(harnesses),
    isUsual: harnesses.includes(""),
    checks: isListed ? EVERYTHING : new Set(checks),
  };
}

const EVERYTHING: ReadonlySet<string> = Object.assign(new Set<string>(), { has: () => true });

function latestPath({ person }: Pick<Works, "person">): string {
  return person.env["PATH"] ?? USUAL_PATH;
}

async function keepPin({ store }: Pick<Works, "store">, run: string, pin: Pin): Promise<void> {
  await store.commit([{ type: "put-projection", run, file: PIN, fields: JSON.stringify(pin) }]);
}

/** The PATH on which the program of a harness is: that of the pin; or the user's latest one, which the run has from then on. */
export async function pathFor(
  works: Works,
  of: { readonly run: string; readonly program: string; readonly path: string },
): Promise<string | undefined> {
  const { run, program, path } = of;
  if (works.finds(program, path)) return path;
  const latest = latestPath(works);
  if (latest === path || !works.finds(program, latest)) return undefined;
  const pin = pinFrom(await works.store.projection(run, PIN));
  if (pin !== undefined) await keepPin(works, run, { ...pin, path: latest });
  await noteAll(works, { run, kind: "pin" }, [
    `${program} is only on your present PATH: the run has that one now`,
  ]);
  return latest;
}

type HarnessProgram = {
  readonly run: string;
  readonly harness: Harness;
  readonly program: string;
  readonly path: string;
  readonly pin: Settings["pin"];
};

/** Before a turn: with `pin: strict`, a program that was replaced stops the run. */
export async function requireProgram(works: Works, of: HarnessProgram): Promise<void> {
  if (of.pin !== "strict") return;
  const { file, known } = await programOf(works, of);
  if (file === undefined || known === undefined || known.mark === file.mark) return;
  const { name } = of.harness;
  const version = await works.pins.version(of.harness.driver, file);
  throw needsPerson(
    `the program of ${name} was replaced since the run began (${known.version || "unknown version"} -> ${version || "unknown version"})`,
    TRUST,
  );
}

/** After the start of a turn, so that no agent waits for it: which version it is, and a note if it is another one than before. */
export async function noteProgram(works: Works, of: HarnessProgram): Promise<void> {
  const { pin, file, known } = await programOf(works, of);
  if (pin === undefined || file === undefined || known?.mark === file.mark) return;
  const { run, harness } = of;
  const version = await works.pins.version(harness.driver, file);
  const programs = { ...pin.programs, [harness.name]: { mark: file.mark, version } };
  if (known !== undefined)
    await noteAll(works, { run, kind: "pin" }, [
      `the program of ${harness.name} was updated: ${known.version || "unknown version"} -> ${version || "unknown version"}`,
    ]);
  await keepPin(works, run, { ...pin, programs });
}

async function programOf(
  { store, pins }: Works,
  { run, harness, program, path }: HarnessProgram,
): Promise<{
  readonly pin?: Pin;
  readonly file: ProgramFile | undefined;
  readonly known?: Pin["programs"][string];
}> {
  const pin = pinFrom(await store.projection(run, PIN));
  const file = pins.program(program, path);
  const known = pin?.programs[harness.name];
  return { file, ...(pin === undefined ? {} : { pin }), ...(known === undefined ? {} : { known }) };
}
