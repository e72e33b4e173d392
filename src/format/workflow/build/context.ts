/** Data that every part of the build needs: the known names, and a list for problems. */

import { closest } from "../../../core/text/closest.ts";
import type { SourcePlace } from "../../../core/model/workflow.ts";
import type { Problem, Path } from "../../problem.ts";

export type Names = {
  readonly states: ReadonlySet<string>;
  readonly roles: ReadonlySet<string>;
  readonly artifacts: ReadonlySet<string>;
  readonly counters: ReadonlySet<string>;
  readonly params: ReadonlySet<string>;
  readonly asks: ReadonlySet<string>;
  readonly stages: ReadonlySet<string>;
  readonly scopes: ReadonlySet<string>;
  /** The states of each stage. */
  readonly statesIn: ReadonlyMap<string, readonly string[]>;
  /** The states of each stage in which a run can stop. The name of a stage means these states where an origin is named. */
  readonly stopsIn: ReadonlyMap<string, readonly string[]>;
};

export type BuildContext = {
  readonly names: Names;
  readonly problems: Problem[];
  placeOf(path: Path): SourcePlace;
  keyPlaceOf(path: Path): SourcePlace;
  /** Whether this named thing already has a problem, so that its content is not reliable. */
  isTroubled(path: Path): boolean;
  /** Whether a name may be unknown only because its declaration was dropped for another problem. */
  isLost(name: string): boolean;
  /** Unknown names that are already reported at their phase; the pieces of the phase repeat them. */
  readonly told: Set<string>;
};

export function report(
  context: BuildContext,
  at: SourcePlace,
  problem: { code: string; message: string; suggestion?: string | undefined },
): void {
  const { suggestion, ...rest } = problem;
  context.problems.push({ ...at, ...rest, ...(suggestion === undefined ? {} : { suggestion }) });
}

/** Finds positions in the file. */
export type FilePlaces = Pick<BuildContext, "placeOf" | "keyPlaceOf">;

/** The name of a thing that is declared in the file, and its position. */
export type NamedPath = { readonly name: string; readonly path: Path };

/** Where names of these kinds are declared. */
const KNOWN = {
  state: "states",
  role: "roles",
  artifact: "artifacts",
  counter: "counters",
  parameter: "params",
  ask: "asks",
  scope: "scopes",
} as const;

type NameReference = {
  readonly name: string | readonly string[] | undefined;
  readonly path: Path;
} & (
  | { readonly kind: keyof typeof KNOWN; readonly known?: undefined }
  | { readonly kind: string; readonly known: Iterable<string> }
);

/** Reports each unknown name, with the closest known one. */
export function requireName(context: BuildContext, reference: NameReference): boolean {
  const { kind, name: named, path } = reference;
  const known = [...(reference.known === undefined ? context.names[KNOWN[reference.kind]] : reference.known)];
  const names = listOf(named).map((name, index) => ({
    name,
    at: typeof named === "string" ? path : [...path, index],
  }));
  const unknown = names.filter(({ name }) => !known.includes(name));
  for (const { name, at } of unknown) {
    const isTold = path[0] === "stages" && context.told.has(`${kind} ${name}`);
    if (context.isLost(name) || isTold) continue;
    report(context, context.placeOf(at), {
      code: `unknown-${kind}`,
      message: `unknown ${kind} "${name}"`,
      suggestion: closest(name, known) ?? personIn(name, known),
    });
  }
  return unknown.length === 0;
}

const PEOPLE = new Set(["person", "people", "user", "me", "somebody", "operator"]);

/** The word for people, if they may act at all. */
function personIn(name: string, known: readonly string[]): string | undefined {
  return PEOPLE.has(name.toLowerCase()) && known.includes("human") ? "human" : undefined;
}

/** Whether the known data of this artifact may be incomplete because of a problem. */
export function isDoubtful(context: BuildContext, artifact: string): boolean {
  return context.isTroubled(["artifacts", artifact]) || context.isLost(artifact);
}

export function requireActors(
  context: BuildContext,
  names: string | readonly string[] | undefined,
  path: Path,
): void {
  const known = [...context.names.roles, "human", "engine"];
  requireName(context, { kind: "role", name: names, known, path });
}

/** The name of a stage means all of its states in which a run can stop. */
export function statesOf({ stopsIn, states }: Names, names: readonly string[]): readonly string[] {
  const all = names.flatMap((name) => (states.has(name) ? [name] : (stopsIn.get(name) ?? [name])));
  return [...new Set(all)];
}

export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return isList(value) ? value : [value];
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
