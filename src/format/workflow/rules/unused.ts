/** Declarations that nothing uses. Checked last: a misspelt name makes the right one look unused. */

import type { Path } from "../../problem.ts";
import { closest } from "../../../core/text/closest.ts";
import type { Action, Definition } from "../../../core/model/workflow.ts";
import { originOf, type Build } from "../build/builder.ts";
import { report, isDoubtful } from "../build/context.ts";
import { cyclesIn } from "../phases/site.ts";
import { wordsIn } from "../../prompt.ts";
import { fieldOf } from "../artifacts/fields.ts";

export function checkUnused(on: Build, definition: Definition): void {
  if (checkAsks(on, definition)) return;
  checkCounters(on, definition);
  checkRoles(on, definition);
  checkScopes(on, definition);
  checkEarlier(on, definition);
}

function tell({ context }: Build, path: Path, message: string): void {
  report(context, context.keyPlaceOf(path), { code: "unused", message });
}

/** Returns whether a question is never asked: then declarations that only its answers use are unused as a consequence. */
function checkAsks(on: Build, { asks, states }: Definition): boolean {
  const open = new Set(Object.values(states).map(({ ask }) => ask));
  const never = Object.keys(asks).filter((name) => !open.has(name));
  for (const name of never)
    tell(on, ["asks", name], `nothing asks ${name}: no state or stage opens it with "ask" or "stuck"`);
  return never.length > 0;
}

function checkCounters(on: Build, { moves, ends, asks }: Definition): void {
  const counted = new Set([
    ...moves.flatMap(({ count }) => count),
    ...ends.map(({ count }) => count),
    ...Object.values(asks).map(({ reask }) => reask),
  ]);
  // Counters that a stage generates may exist only to be spent from the start.
  for (const name of Object.keys(on.file.counters ?? {}))
    if (!counted.has(name)) tell(on, ["counters", name], `nothing counts ${name}: it would never be spent`);
}

function actionsIn({ moves, ends, states }: Definition): readonly Action[] {
  return [
    ...moves.flatMap((move) => move.do),
    ...ends.flatMap((end) => [...end.then, ...end.do]),
    ...Object.values(states).flatMap(({ enter }) => enter),
  ];
}

function checkRoles(on: Build, definition: Definition): void {
  const started = new Set(actionsIn(definition).flatMap(startedBy));
  for (const name of Object.keys(definition.roles))
    if (!started.has(name)) tell(on, ["roles", name], `nothing starts ${name}: no action is "start ${name}"`);
}

function startedBy(action: Action): string[] {
  if (action.type === "start" || action.type === "start-each") return [action.role];
  return action.type === "tell" && action.orStart !== undefined ? [action.role] : [];
}

function checkScopes(on: Build, { counters, artifacts }: Definition): void {
  const fresh = Object.values(artifacts).map((artifact) => artifact.fresh);
  const read = new Set([
    ...Object.values(counters).map(({ per }) => per),
    // An artifact that is fresh with a counter depends on that counter, not on a scope of the same name.
    ...fresh.filter((name) => !Object.hasOwn(counters, name)),
    ...on.context.names.stages,
    ...cyclesIn(on.file),
  ]);
  // These scopes start by themselves.
  read.delete("run");
  read.delete("entry");
  for (const { name, path } of on.begun) {
    if (read.has(name)) continue;
    const per = counters[name]?.per ?? "";
    report(on.context, on.context.placeOf(path), {
      code: "unknown-scope",
      message: `nothing reads the scope "${name}": no counter has it as "per" and no artifact as "fresh"`,
      suggestion: read.has(per) ? per : closest(name, [...read]),
    });
  }
}

/** An artifact that is never archived has no earlier version. */
function checkEarlier(on: Build, definition: Definition): void {
  const archived = new Set(
    actionsIn(definition).flatMap((action) => (action.type === "archive" ? action.artifacts : [])),
  );
  const whose: (readonly [Path, readonly string[]])[] = [
    ...Object.entries(definition.roles).map(
      ([name, { earlier = [] }]) => [["roles", name, "earlier"], earlier] as const,
    ),
    ...Object.entries(definition.artifacts).map(([name, { reader }]) => {
      const path = [...originOf(on.expanded, "artifacts", name), "earlier"];
      return [path, reader.type === "children" ? (reader.earlier ?? []) : []] as const;
    }),
  ];
  for (const [path, names] of whose)
    for (const name of names.filter((each) => !archived.has(each)))
      report(on.context, on.context.placeOf(path), {
        code: "unused",
        message: `nothing archives ${name}: an earlier version would never exist`,
      });
}

/** A prompt may name fields of artifacts: each artifact must have the field, and must not be a fan-out. */
export function checkPromptWords({ context, prompts, used }: Build, { artifacts }: Definition): void {
  const names = Object.keys(artifacts);
  for (const prompt of [...used].sort().flatMap((name) => prompts[name] ?? []))
    for (const { word, artifact: name, field, place } of wordsIn(prompt, names)) {
      const artifact = artifacts[name];
      if (artifact === undefined || isDoubtful(context, name)) continue;
      const { reader } = artifact;
      if (artifact.each === undefined && "lists" in reader && Object.hasOwn(reader.lists, field)) continue;
      const found = fieldOf(artifact, field);
      if (!("message" in found)) continue;
      const why = artifact.each === undefined ? found.message : `${name} is one of several`;
      report(context, place, {
        code: "bad-prompt",
        message: `{${word}} cannot be filled in: ${why}`,
        suggestion: found.suggestion,
      });
    }
}
