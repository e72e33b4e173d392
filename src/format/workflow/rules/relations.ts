/** Relations between the parts of a definition: every dependency exists, and no part depends on itself. */

import type { Path } from "../../problem.ts";
import { closest } from "../../../core/text/closest.ts";
import { FILES, isGrouped } from "../../../core/gates/fan-out-groups.ts";
import type { Artifact } from "../../../core/model/artifact.ts";
import type { AskRule, Definition } from "../../../core/model/workflow.ts";
import { fieldOf, type Objection } from "../artifacts/fields.ts";
import { isDoubtful, report, type BuildContext } from "../build/context.ts";

/** Returns the position of a part in the file. */
type PathOf = (kind: "artifacts" | "roles", name: string) => Path;

export function checkRelations(context: BuildContext, definition: Definition, pathOf: PathOf): void {
  for (const [name, artifact] of Object.entries(definition.artifacts)) {
    const path = pathOf("artifacts", name);
    checkChildren(context, definition, { artifact, path });
    checkTaken(context, definition, { artifact, path });
    checkList(context, definition, { artifact, path });
    checkListed(context, definition, { artifact, path });
    requireWholes(context, definition, { names: artifact.bind, path: [...path, "bind"] });
  }
  for (const [name, ask] of Object.entries(definition.asks)) {
    const [names, path] = [shownAlone(ask), ["asks", name, "shows"]] as const;
    requireWholes(context, definition, { names, path });
    requireReadable(context, definition, { names, path });
    checkParts(context, definition, { ask, path: ["asks", name, "parts"] });
  }
  checkVouching(context, definition);
  checkCircles(context, definition, pathOf);
  checkBeginnings(context, definition, pathOf);
  checkEnds(context, definition);
}

type ArtifactPart = { readonly artifact: Artifact; readonly path: Path };

function checkChildren(
  context: BuildContext,
  { artifacts }: Definition,
  { artifact, path }: ArtifactPart,
): void {
  const { reader } = artifact;
  if (reader.type !== "children" && reader.type !== "files") return;
  if ("only" in reader || !("tasks" in reader)) return;
  const { tasks } = reader;
  const source = artifacts[tasks];
  if (source === undefined || source.reader.type === "tasks" || isDoubtful(context, tasks)) return;
  const message = `${tasks} is not a list of tasks`;
  report(context, context.placeOf([...path, reader.type]), { code: "bad-artifact", message });
}

/** A value that children are started with must be a possible value of its source. */
function checkTaken(
  context: BuildContext,
  { artifacts }: Definition,
  { artifact, path }: ArtifactPart,
): void {
  const { reader } = artifact;
  if (reader.type !== "children") return;
  const list = reader.only === undefined ? artifacts[reader.tasks]?.reader : undefined;
  const isOpen = list?.type === "tasks" && list.style === "yaml";
  const isKnown = reader.only !== undefined || (list?.type === "tasks" && !isDoubtful(context, reader.tasks));
  for (const [name, value] of Object.entries(reader.with)) {
    if (typeof value !== "object" || !("from" in value)) continue;
    const tell = (key: string, { message, suggestion }: Objection): void =>
      report(context, context.placeOf([...path, "with", name, key]), {
        code: "bad-artifact",
        message,
        suggestion,
      });
    const { from, or } = value;
    if (isKnown && !isOpen && ("task" in from || or !== undefined))
      tell("task" in from ? "from" : "or", { message: "only tasks in YAML have keys of their own" });
    const source = "task" in from ? undefined : artifacts[from.artifact];
    if ("task" in from || source === undefined || isDoubtful(context, from.artifact)) continue;
    const field = fieldOf(source, from.field);
    if ("message" in field) tell("from", { ...field, message: `${from.artifact}: ${field.message}` });
  }
}

function checkList(context: BuildContext, { artifacts }: Definition, { artifact, path }: ArtifactPart): void {
  for (const key of ["each", "every"] as const) {
    const wanted = artifact[key];
    const source = wanted === undefined ? undefined : artifacts[wanted.artifact];
    if (wanted === undefined || source === undefined || isDoubtful(context, wanted.artifact)) continue;
    requireList(context, source, { wanted, path: [...path, key] });
  }
}

type WantedList = {
  readonly wanted: { readonly artifact: string; readonly list: string };
  readonly path: Path;
};

function requireList(context: BuildContext, source: Artifact, { wanted, path }: WantedList): void {
  const lists = listsOf(source);
  if (lists.includes(wanted.list)) return;
  report(context, context.placeOf(path), {
    code: "unknown-list",
    message: `${wanted.artifact} has no list "${wanted.list}"`,
    suggestion: closest(wanted.list, lists),
  });
}

/** The list of parts is shown even if `shows` does not name it. */
function shownAlone({ shows, parts }: AskRule): readonly string[] {
  const isNamed = parts === undefined || parts.more !== undefined;
  return isNamed || shows.indexOf(parts.artifact) < shows.length - 1 ? shows : shows.slice(0, -1);
}

function checkParts(
  context: BuildContext,
  { artifacts }: Definition,
  { ask: { parts }, path }: { readonly ask: AskRule; readonly path: Path },
): void {
  const lists = parts === undefined ? [] : [parts, ...(parts.more ?? [])];
  for (const [index, wanted] of lists.entries()) {
    const at = lists.length === 1 ? path : [...path, index];
    const source = artifacts[wanted.artifact];
    if (source === undefined || isDoubtful(context, wanted.artifact)) continue;
    if (source.each !== undefined)
      report(context, context.placeOf(at), {
        code: "bad-artifact",
        message: `nothing can be asked of the parts of ${wanted.artifact}, a fan-out: ask of what is merged from it instead`,
      });
    requireList(context, source, { wanted, path: at });
  }
}

export function listsOf(artifact: Artifact): string[] {
  const { reader } = artifact;
  const own = "lists" in reader ? Object.keys(reader.lists) : [];
  if (reader.type === "tasks") return ["tasks", ...own];
  return isGrouped(artifact, FILES) ? [...own, FILES] : own;
}

/** A fan-out has no single content: its members change one by one. */
function requireWholes(
  context: BuildContext,
  { artifacts }: Definition,
  { names, path }: { readonly names: readonly string[]; readonly path: Path },
): void {
  for (const [index, name] of names.entries()) {
    if (artifacts[name]?.each === undefined || isDoubtful(context, name)) continue;
    report(context, context.placeOf([...path, index]), {
      code: "bad-artifact",
      message: `nothing can be bound to ${name}, a fan-out: bind what is merged from it instead`,
    });
  }
}

/** The work as a whole is too large for a person to read before an answer. */
function requireReadable(
  context: BuildContext,
  { artifacts }: Definition,
  { names, path }: { readonly names: readonly string[]; readonly path: Path },
): void {
  for (const [index, name] of names.entries()) {
    const reader = artifacts[name]?.reader;
    if (reader?.type !== "files" || reader.select !== "besides") continue;
    report(context, context.placeOf([...path, index]), {
      code: "bad-artifact",
      message: `${name} is the work itself: a question can show only texts`,
    });
  }
}

/** If artifacts are about each other, each new version makes the others stale: they are never valid together. */
function checkCircles(context: BuildContext, { artifacts }: Definition, pathOf: PathOf): void {
  const told = new Set<string>();
  for (const name of Object.keys(artifacts)) {
    const circle = circleFrom(name, (each) => sourcesOf(artifacts[each]));
    if (circle === undefined || circle.some((each) => told.has(each))) continue;
    for (const each of circle) told.add(each);
    const message =
      circle.length === 1
        ? `${name} depends on itself: it could never be valid`
        : `${circle.join(", ")} depend on each other: a new one always makes the others stale`;
    report(context, context.keyPlaceOf(pathOf("artifacts", name)), { code: "circular", message });
  }
}

function sourcesOf(artifact: Artifact | undefined): string[] {
  if (artifact === undefined) return [];
  const { bind, each, reader } = artifact;
  return [
    ...bind.filter((name) => name !== "tree"),
    ...(each === undefined ? [] : [each.artifact]),
    ...(reader.type === "children" && reader.only === undefined ? [reader.tasks] : []),
    ...(reader.type === "files" && reader.select === "tasks" ? [reader.tasks] : []),
  ];
}

/** A shortest path from a name back to itself. */
function circleFrom(start: string, next: (name: string) => readonly string[]): string[] | undefined {
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const name of next(way.at(-1) ?? "")) {
      if (name === start) return way;
      if (seen.has(name)) continue;
      seen.add(name);
      ways.push([...way, name]);
    }
  }
  return undefined;
}

/** Roles that can start only after each other, because each needs context that only the others write. */
function checkBeginnings(context: BuildContext, { artifacts, roles }: Definition, pathOf: PathOf): void {
  const able = new Set(["human", "engine"]);
  const canBegin = (role: string): boolean => {
    const { context: needed = [], optional = [] } = roles[role] ?? {};
    const isMade = (name: string): boolean => artifacts[name]?.by.some((who) => able.has(who)) ?? true;
    return needed.every((name) => optional.includes(name) || isMade(name));
  };
  let before = 0;
  while (before !== able.size) {
    before = able.size;
    for (const role of Object.keys(roles)) if (canBegin(role)) able.add(role);
  }
  const never = Object.keys(roles).filter((role) => !able.has(role));
  const [first] = never;
  if (first === undefined) return;
  const message =
    never.length === 1
      ? `${first} can never begin: no other role writes its context`
      : `${never.join(", ")} can never begin: each waits for what another of them writes`;
  report(context, context.keyPlaceOf(pathOf("roles", first)), { code: "circular", message });
}

function checkEnds(context: BuildContext, { ends }: Definition): void {
  const seen = new Set<string>();
  for (const end of ends) {
    const which = `${end.role} in ${end.in}`;
    const message = `the end of ${which} already has a rule`;
    if (seen.has(which)) report(context, end.at, { code: "duplicate-end", message });
    seen.add(which);
  }
}

/** Commands that artifacts list for checks: the lists must be complete, and a person must be asked about them. */

/** A shortened text would be another command: only lists of whole texts are allowed. */
function checkListed(
  context: BuildContext,
  { artifacts }: Definition,
  { artifact, path }: { readonly artifact: Artifact; readonly path: Path },
): void {
  const { reader } = artifact;
  if (reader.type !== "check") return;
  for (const [index, { artifact: name, list }] of (reader.from ?? []).entries()) {
    const source = artifacts[name];
    if (source === undefined || isDoubtful(context, name)) continue;
    const at = context.placeOf([...path, "check", "from", index]);
    const lists = "lists" in source.reader ? source.reader.lists : {};
    const declared = Object.hasOwn(lists, list) ? lists[list] : undefined;
    if (declared === undefined)
      report(context, at, {
        code: "unknown-list",
        message: `${name} has no list "${list}"`,
        suggestion: closest(list, Object.keys(lists)),
      });
    else if (typeof declared !== "object" || "id" in declared)
      report(context, at, {
        code: "bad-artifact",
        message: `${name}.${list} is not a list of whole texts: it needs "each" or "begins"`,
      });
  }
}

/** A person can approve only commands that the question shows and that a check runs. */
function checkVouching(context: BuildContext, { asks, artifacts }: Definition): void {
  const run = new Set(
    Object.values(artifacts).flatMap(({ reader }) =>
      reader.type === "check" ? (reader.from ?? []).map(({ artifact }) => artifact) : [],
    ),
  );
  for (const [ask, { shows, options, parts }] of Object.entries(asks))
    for (const [option, { vouch = [] }] of Object.entries(options))
      for (const [index, name] of vouch.entries()) {
        const why =
          parts !== undefined
            ? "a question in parts has several answers: none of them vouches for a whole artifact"
            : !shows.includes(name)
              ? `"shows" does not name ${name}: a person can approve only what the question shows`
              : `no check takes commands from ${name}`;
        if (parts === undefined && shows.includes(name) && run.has(name)) continue;
        report(context, context.placeOf(["asks", ask, "options", option, "vouch", index]), {
          code: "bad-option",
          message: why,
        });
      }
}
