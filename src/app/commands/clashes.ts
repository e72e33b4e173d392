/** Commands of a workflow that cannot be typed as declared: each clash is reported with both places. */

import type { SourcePlace } from "../../core/model/workflow.ts";
import { EXIT_GATE } from "../exit-codes.ts";
import type { Invocation } from "../invocation.ts";
import type { Outcome } from "../outcome.ts";
import type { DataOf } from "../schemas.ts";
import { shownPath } from "../workflows/load.ts";
import {
  commandsOf,
  declaringHere,
  placeOfCommand,
  sayPlace,
  type Declaring,
  type OwnCommand,
} from "./declared.ts";

/** What is wrong, or what a person should know, of a command; `at` is where the command is declared. */
type Clash = { readonly message: string; readonly at: SourcePlace; readonly isProblem: boolean };

/** The words of Signalbox, each with how to learn its options. */
type Words = ReadonlyMap<string, () => Promise<ReadonlySet<string>>>;

type Checks = Outcome<DataOf<"check">>;

/** What `check` found of these workflows, and how their commands clash with others here. */
export async function withClashes(checks: Checks, door: Invocation, words: Words): Promise<Checks> {
  const files = new Set(checks.data.workflows.map(({ file }) => file));
  const checkedHere = await declaringHere(door, {
    isMeant: (found) => files.has(shownPath(door, found, found.file)),
  });
  // Only a command that can be typed alone clashes with those of other workflows.
  const hasShort = checkedHere.flatMap(commandsOf).some(isShort);
  const here = hasShort ? await declaringHere(door) : checkedHere;
  const looks = checks.data.workflows.map(async (checked) => {
    const own = here.find(({ file }) => file === checked.file);
    const clashes = own === undefined ? [] : await clashesOf(own, here, words);
    const [defects, notes] = [true, false].map((isProblem) =>
      clashes
        .filter((each) => each.isProblem === isProblem)
        .map(({ message, at }) => ({ code: CODE, message, at })),
    );
    return {
      ...checked,
      ok: checked.ok && defects?.length === 0,
      defects: [...checked.defects, ...(defects ?? []).map((defect) => ({ ...defect, trace: [] }))],
      notes: [...checked.notes, ...(notes ?? [])],
    };
  });
  const workflows = await Promise.all(looks);
  const bad = workflows.filter(({ ok }) => !ok).map(({ name }) => name);
  if (bad.length === checks.data.workflows.filter(({ ok }) => !ok).length)
    return { ...checks, data: { workflows } };
  return {
    ...checks,
    exit: EXIT_GATE,
    code: "invalid-workflow",
    message: `${bad.join(", ")}: there are problems`,
    data: { workflows },
    next: `fix what is named, then: signalbox check ${bad.join(" ")}`,
  };
}

const CODE = "command-clash";

async function clashesOf(
  own: Declaring,
  here: readonly Declaring[],
  words: Words,
): Promise<readonly Clash[]> {
  const all = here.filter(({ definition }) => definition.name !== own.definition.name);
  const clashes = commandsOf(own).map(async (command) => [
    ...(await unknownOptions(command, words)),
    ...hiddenBy(command, words),
    ...(isShort(command) ? sharedWith(command, all, words) : []),
  ]);
  return (await Promise.all(clashes)).flat();
}

/** `create: { call: create, short: true }` takes no word: it says which workflow `create` begins. */
function isShort({ name, command }: OwnCommand): boolean {
  return command.short && !("call" in command && command.call === name);
}

async function unknownOptions(own: OwnCommand, words: Words): Promise<readonly Clash[]> {
  const { command } = own;
  if (!("call" in command)) return [];
  const given = Object.keys(command.with);
  const known = given.length === 0 ? undefined : await words.get(command.call)?.();
  return given
    .filter((option) => known?.has(option) === false)
    .map((option) => problem(own, `signalbox ${command.call} has no option "${option}"`));
}

/** A word of Signalbox comes first. */
function hiddenBy(own: OwnCommand, words: Words): readonly Clash[] {
  const { name, definition } = own;
  if (words.has(definition.name))
    return [
      problem(
        own,
        `"signalbox ${definition.name}" is a command of Signalbox, so that the commands of this workflow cannot be typed: give it another name`,
      ),
    ];
  if (!isShort(own) || !words.has(name)) return [];
  return [problem(own, `"signalbox ${name}" is a command of Signalbox: leave out "short"`)];
}

function sharedWith(own: OwnCommand, all: readonly Declaring[], words: Words): readonly Clash[] {
  const { name, found } = own;
  if (words.has(name)) return [];
  const workflow = all.find(({ definition }) => definition.name === name);
  if (workflow !== undefined)
    return [
      problem(own, `"signalbox ${name}" stands for the commands of the workflow ${name} (${workflow.file})`),
    ];
  const others = all.flatMap(commandsOf).filter((other) => other.name === name && isShort(other));
  return others.map((other) => {
    const where = `${other.definition.name} (${sayPlace(placeOfCommand(other))})`;
    const isEqual = (other.found.from === "built-in") === (found.from === "built-in");
    if (isEqual)
      return problem(own, `"signalbox ${name}" is also a command of ${where}: neither can be typed alone`);
    const first = found.from === "built-in" ? where : own.definition.name;
    return {
      ...problem(own, `"signalbox ${name}" is also a command of ${where}; here it is that of ${first}`),
      isProblem: false,
    };
  });
}

function problem(own: OwnCommand, message: string): Clash {
  return { message, at: placeOfCommand(own), isProblem: true };
}
