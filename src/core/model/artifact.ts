/** An artifact of a workflow, as data: where it is, how it is read, and whose word about it counts. */

import type { Literal, Value } from "./value.ts";
import type { Severity, Verdict } from "./verdict.ts";
import type { Tree } from "./workflow.ts";

export type Shape =
  | {
      readonly type: "text" | "number" | "boolean";
      readonly values?: readonly Literal[];
      /** Of a text: it begins with one of these, and something follows. */
      readonly begins?: readonly string[];
      /** Only what this parameter says in the run. */
      readonly is?: { readonly param: string };
    }
  | { readonly type: "list"; readonly of: Shape; readonly min?: number }
  | {
      readonly type: "object";
      readonly required: Readonly<Record<string, Shape>>;
      readonly optional: Readonly<Record<string, Shape>>;
      readonly open: boolean;
    };

/** Where the verdict of a JSON or YAML artifact stands, and how its issues are ranked. */
export type ReviewShape = {
  readonly verdictAt: string;
  readonly verdicts: Readonly<Record<string, Verdict>>;
  readonly issuesAt?: string;
  readonly severityAt?: string;
  readonly severities?: Readonly<Record<string, Severity>>;
  /** The field of an issue that says where it is: with it, issues can be told by their files. */
  readonly locationAt?: string;
  /** Where it says how the tests went. */
  readonly testsAt?: string;
  /** It passes nothing without a test that passed. */
  readonly tested?: true;
  readonly checklist?: Checklist;
  /** What contradicts itself does not count, instead of counting as what it lists. */
  readonly strict?: true;
  /** Some file shows it: its words are kept. */
  readonly shown?: true;
};

/** Headings with a word for each: under one with the word `found`, an issue of that heading must be listed, by its field `by`. */
export type Checklist = { readonly at: string; readonly found: string; readonly by: string };

/** The words of a review, for people. Empty where it has none. */
export type ReviewText = {
  readonly summary: string;
  readonly security: string;
  readonly next: string;
  /** The highest severity first. */
  readonly issues: readonly ReviewIssue[];
  /** How many more there are than are kept. */
  readonly more: number;
};

export type ReviewIssue = {
  readonly severity: Severity;
  readonly word: string;
  readonly title: string;
  readonly file: string;
  readonly line: string;
  readonly description: string;
  readonly recommendation: string;
};

/**
 * A list to take out of an artifact: the heading it stands under, or its path in data. Of maps in data, `id` is the key that names each,
 * and `depends` the one that says behind which others it stands.
 */
export type ListAt =
  | string
  | { readonly from: string; readonly id: string; readonly depends?: string }
  | Gathered;

/** Texts of a list, or of all lists that its maps have under `each`; where it says so, only those that begin like this. */
export type Gathered = { readonly from: string; readonly each?: string; readonly begins?: string };

/** That front matter is read, and which shape it must have. */
export type Front = { readonly shape?: Shape };

/** What must stand under a heading: so many characters, requirements with numbers, or scenarios. */
export type Under = number | "numbered" | "scenarios";

/** How the bytes of an artifact become facts. A closed vocabulary: a new kind is code, a new use is data. */
export type Reader =
  | {
      readonly type: "section";
      readonly heading: string;
      readonly any: readonly string[];
      readonly all: readonly string[];
      readonly verdicts?: Readonly<Record<string, Verdict>>;
    }
  | {
      readonly type: "document";
      readonly headings: readonly string[];
      readonly lists: Readonly<Record<string, ListAt>>;
      /** The most characters that it may have. */
      readonly most?: number;
      readonly front?: Front;
      readonly under?: Readonly<Record<string, Under>>;
    }
  | {
      readonly type: "json" | "yaml";
      readonly shape?: Shape;
      readonly review?: ReviewShape;
      readonly lists: Readonly<Record<string, ListAt>>;
      /** It is a list of tasks, too, and the status of those is the engine's. */
      readonly shown?: true;
    }
  | {
      readonly type: "tasks";
      readonly style: "markdown" | "yaml" | "checkbox";
      readonly front?: Front;
      /** Texts of its tasks, in YAML. */
      readonly lists?: Readonly<Record<string, Gathered>>;
      /** The status of its tasks is the engine's, and no part of it. */
      readonly shown?: true;
    }
  | {
      readonly type: "check";
      readonly command: Value<string>;
      /** Further commands: it passes when all do. */
      readonly more?: readonly Value<string>[];
      /** Lists in which somebody may have written further ones. They are run only where a person has said so. */
      readonly from?: readonly ListName[];
    }
  | { readonly type: "fact"; readonly fact: string }
  | Children
  | { readonly type: "file"; readonly most?: number; readonly shown?: true }
  | Files;

/**
 * Files of the work, as they are now: every one that a list of tasks names, these, or all of them besides those that rules name, as gitignore has
 * them. The engine looks at them whenever something happens.
 */
type Files =
  | { readonly type: "files"; readonly tasks: string }
  | { readonly type: "files"; readonly paths: readonly string[] }
  | { readonly type: "files"; readonly besides: { readonly param: string } };

export type ListName = { readonly artifact: string; readonly list: string };

/** Runs made of a list of tasks, or one that is made of none. */
export type Children = {
  readonly type: "children";
  /** What `start tasks` names: the list, or this artifact itself where there is none. */
  readonly tasks: string;
  /** The one task, where there is no list. */
  readonly only?: { readonly id: string; readonly title: Value<string> };
  /** What each of them follows, by its name. */
  readonly workflow: string;
  /** How many may be under way at the same time. */
  readonly most: number;
  /** Whether the complexity of a task counts; where it does not, every task is of a medium one. */
  readonly scored?: Value<boolean>;
  /** What each is started with: the same for all, by the complexity of its task, or what somebody has written. */
  readonly with: Readonly<
    Record<string, Value | Readonly<Record<"easy" | "medium" | "hard", Value>> | TakenFrom>
  >;
  /** As of a role: what each is told of an earlier attempt. */
  readonly earlier?: readonly string[];
};

/** What a task says under a key of its own, or a field of an artifact that is good. Where neither says anything, the child's default. */
export type TakenFrom = {
  readonly from: { readonly task: string } | { readonly artifact: string; readonly field: string };
  /** True as well where the task has one of these under one of these keys. */
  readonly or?: Readonly<Record<string, readonly Literal[]>>;
};

/** How those of a list can end; one alone ends well or not. */
export function endsOf({ only }: Children): readonly ("all" | "some" | "none")[] {
  return only === undefined ? ["all", "some", "none"] : ["all", "none"];
}

export type Artifact = {
  /** Path of the file in the workspace; `{slot}` stands for the slot of a fan-out. Empty for facts and checks. */
  readonly file: string;
  readonly reader: Reader;
  /** Whose word counts: role names, `human`, `engine`. */
  readonly by: readonly string[];
  /** It must have changed since this began: `run`, `entry`, a state's entry, a scope, or the last change of a counter. */
  readonly fresh: string;
  /** What it is about: `tree`, or names of artifacts. A later change of those makes it stale. */
  readonly bind: readonly string[];
  readonly block: Value<string>;
  /** Files of the work: where none of them says something, it does not count. */
  readonly there?: readonly string[];
  /** Blocks at the end of its file are the engine's, and no part of it. */
  readonly blocks?: true;
  /** One reading for each member of a list that another artifact holds, at most `max` of them. */
  readonly each?: {
    readonly artifact: string;
    readonly list: string;
    readonly max: Value<number>;
    /** One after the other, as they stand in the list. */
    readonly inOrder?: true;
  };
  /** One reading of a file for every member of such a list, taken together. */
  readonly every?: { readonly artifact: string; readonly list: string };
  /** What a person's own words make of it when a run begins with these parameters. */
  readonly begin?: Begin;
};

export type Begin = {
  readonly when: Readonly<Record<string, Literal>>;
  readonly as: "json" | "yaml" | "sections";
  readonly data: Tree;
};
