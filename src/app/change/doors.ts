/** What `plan`, `impl`, `archive` and `reopen` do with a change, by its phase alone. */

export type Doing = "plan" | "impl" | "archive" | "reopen";

/** *on*: the run goes on, by a person's move where it waits. *told*: nothing is done, and the next command is said. *refused*: it is too early, or too late. */
type Rule = "on" | "told" | "refused";

type DoorRules = {
  /** Where a person's move leads, in words of phases; and at the end of which phase all of it is done. */
  readonly into: string;
  readonly until: string;
  readonly by: Readonly<Record<string, Rule>>;
};

export const DOORS: Readonly<Record<Doing, DoorRules>> = {
  plan: {
    into: "proposed",
    until: "challenged",
    by: {
      proposed: "on",
      challenged: "told",
      rejected: "told",
      implementing: "told",
      complete: "told",
      archived: "told",
    },
  },
  impl: {
    into: "implementing",
    until: "complete",
    by: { challenged: "on", implementing: "on" },
  },
  archive: {
    into: "complete",
    until: "archived",
    by: { complete: "on" },
  },
  reopen: {
    into: "proposed",
    until: "challenged",
    by: { rejected: "on", implementing: "on" },
  },
};

/** The door that goes on from one phase into another, by a person's move. */
export function doorInto(from: string, into: string): string | undefined {
  return Object.entries(DOORS).find(([, rules]) => rules.by[from] === "on" && rules.into === into)?.[0];
}

/** What to type in a phase. */
export function commandFor(phase: string, name: string): string {
  const door = {
    proposed: "plan",
    challenged: "impl",
    rejected: "reopen",
    implementing: "impl",
    complete: "archive",
  };
  const known = Object.entries(door).find(([word]) => word === phase)?.[1];
  return known === undefined ? "signalbox list --here" : `signalbox ${known} ${name}`;
}

/** What a phase means for whoever asks for something else. */
export function sayPhase(phase: string): string {
  switch (phase) {
    case "proposed":
      return "is being planned";
    case "challenged":
      return "is planned, and ready to be implemented";
    case "rejected":
      return "was rejected: edit its documents, then reopen it";
    case "implementing":
      return "is being implemented";
    case "complete":
      return "is implemented and approved, and ready for the archive";
    case "archived":
      return "is archived";
  }
  return `is ${phase}`;
}
