/** An artifact of a workflow, as data: its path, its reader, and the authors whose submissions count. */

import type { Literal, Value } from "./value.ts";
import type { Severity, Verdict } from "./verdict.ts";
import type { DataTree } from "./workflow.ts";

export type Shape =
  | {
      readonly type: "text" | "number" | "boolean";
      readonly values?: readonly Literal[];
      /** A text must start with one of these prefixes and continue after it. */
      readonly begins?: readonly string[];
      /** The only valid value is the value that this parameter has in the run. */
      readonly is?: { readonly param: string };
    }
  | { readonly type: "list"; readonly of: Shape; readonly min?: number }
  | {
      readonly type: "object";
      readonly required: Readonly<Record<string, Shape>>;
      readonly optional: Readonly<Record<string, Shape>>;
      readonly open: boolean;
    };

/** The paths of the verdict, issues and test counts in a JSON or YAML review, and the rank of each severity. */
export type ReviewShape = {
  readonly verdictAt: string;
  readonly verdicts: Readonly<Record<string, Verdict>>;
  readonly issuesAt?: string;
  readonly severityAt?: string;
  readonly severities?: Readonly<Record<string, Severity>>;
  /** The field of an issue that names its file. With it, issues can be grouped by file. */
  readonly locationAt?: string;
  /** The path of the test counts. */
  readonly testsAt?: string;
  /** A passing verdict needs at least one passed test. */
  readonly tested?: true;
  readonly checklist?: Checklist;
  /** A review whose verdict contradicts its issues is rejected. Without this key, the issues decide. */
  readonly strict?: true;
  /** A projection shows this review, so the reading keeps its text. */
  readonly shown?: true;
};

/** Headings with a value for each. Where the value is `found`, the issues must list one whose field `by` names that heading. */
export type Checklist = { readonly at: string; readonly found: string; readonly by: string };

/** The texts of a review, for people. Empty where the review has none. */
export type ReviewText = {
  readonly summary: string;
  readonly security: string;
  readonly next: string;
  /** Sorted by severity, highest first. */
  readonly issues: readonly ReviewIssue[];
  /** The number of issues that were dropped because the list was too long. */
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
 * A list in an artifact: the heading above it, or its path in data. For a list of maps, `id` is the key with each member's name
 * and `depends` the key with the names of its dependencies.
 */
export type ListAt =
  | string
  | { readonly from: string; readonly id: string; readonly depends?: string }
  | Gathered;

/** Texts of a list, or of all lists under the key `each` of its maps. With `begins`, only texts that have this prefix. */
export type Gathered = { readonly from: string; readonly each?: string; readonly begins?: string };

/** The artifact has front matter, of this shape. */
export type FrontRule = { readonly shape?: Shape };

/** What a section must contain: a minimum number of characters, numbered requirements, or scenarios. */
export type Under = number | "numbered" | "scenarios";

/**
 * How the bytes of an artifact become facts. The kinds are a closed vocabulary: a new kind needs code, a new use needs only data.
 */
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
      /** The maximum number of characters. */
      readonly most?: number;
      readonly front?: FrontRule;
      readonly under?: Readonly<Record<string, Under>>;
    }
  | {
      readonly type: "json" | "yaml";
      readonly shape?: Shape;
      readonly review?: ReviewShape;
      readonly lists: Readonly<Record<string, ListAt>>;
      /** The file is also a list of tasks, and the engine writes the status of each task. */
      readonly shown?: true;
    }
  | {
      readonly type: "tasks";
      readonly style: "markdown" | "yaml" | "checkbox";
      readonly front?: FrontRule;
      /** Texts of its tasks; only in YAML. */
      readonly lists?: Readonly<Record<string, Gathered>>;
      /** The engine writes the status of each task, so the status is not part of the content. */
      readonly shown?: true;
    }
  | {
      readonly type: "check";
      readonly command: Value<string>;
      /** Further commands. The check passes when all of them pass. */
      readonly more?: readonly Value<string>[];
      /**
       * Lists that may contain further commands, written by agents. The engine runs them only after a person has approved them.
       */
      readonly from?: readonly ListName[];
    }
  | { readonly type: "fact"; readonly fact: string }
  | Children
  | { readonly type: "file"; readonly most?: number; readonly shown?: true }
  | FilesReader;

/**
 * Files of the work in their current content: those that a list of tasks names, those at these paths, or all files that no ignore
 * rule matches. The engine reads them at every event.
 */
type FilesReader =
  | { readonly type: "files"; readonly select: "tasks"; readonly tasks: string }
  | { readonly type: "files"; readonly select: "paths"; readonly paths: readonly string[] }
  | { readonly type: "files"; readonly select: "besides"; readonly besides: { readonly param: string } };

export type ListName = { readonly artifact: string; readonly list: string };

export type DataReader = Extract<Reader, { type: "json" | "yaml" }>;
export type DocumentReader = Extract<Reader, { type: "document" }>;
export type ObjectShape = Extract<Shape, { type: "object" }>;

/** Child runs, one for each task of a list, or a single one without a list. */
export type Children = {
  readonly type: "children";
  /** The name that `start tasks` uses: the list, or this artifact itself if it has no list. */
  readonly tasks: string;
  /** The task of a single child run that has no list. */
  readonly only?: { readonly id: string; readonly title: Value<string> };
  /** The name of the workflow that each child run follows. */
  readonly workflow: string;
  /** The maximum number of child runs at the same time. */
  readonly most: number;
  /** Whether the complexity of a task is used. If not, every task has medium complexity. */
  readonly scored?: Value<boolean>;
  /**
   * The parameters of each child run: one value for all, one for each complexity, or a value taken from the task or from an
   * artifact.
   */
  readonly with: Readonly<
    Record<string, Value | Readonly<Record<"easy" | "medium" | "hard", Value>> | TakenFrom>
  >;
  /** As in a role: artifacts of an earlier attempt that each child run gets. */
  readonly earlier?: readonly string[];
};

/** A value under a key of the task, or a field of a valid artifact. If both are missing, the child's default applies. */
export type TakenFrom = {
  readonly from: { readonly task: string } | { readonly artifact: string; readonly field: string };
  /** The value is also true if the task has one of these values under one of these keys. */
  readonly or?: Readonly<Record<string, readonly Literal[]>>;
};

/** The possible results of a list of child runs. A single child run either succeeds or fails. */
export function endsOf({ only }: Children): readonly ("all" | "some" | "none")[] {
  return only === undefined ? ["all", "some", "none"] : ["all", "none"];
}

export type Artifact = {
  /** Path of the file in the workspace; `{slot}` is replaced by the slot of a fan-out. Empty for facts and checks. */
  readonly file: string;
  readonly reader: Reader;
  /** Authors whose submissions count: role names, `human`, `engine`. */
  readonly by: readonly string[];
  /**
   * The content must have changed since this point: `run`, `entry`, a state's entry, a scope, or the last change of a counter.
   */
  readonly fresh: string;
  /** What the artifact is about: `tree`, or names of artifacts. A later change of those makes it stale. */
  readonly bind: readonly string[];
  readonly block: Value<string>;
  /** Files of the work. At least one of them must exist and have content, or the artifact is invalid. */
  readonly there?: readonly string[];
  /** The engine writes blocks at the end of the file; they are not part of the content. */
  readonly blocks?: true;
  /** One reading for each member of a list in another artifact, at most `max` of them. */
  readonly each?: {
    readonly artifact: string;
    readonly list: string;
    readonly max: Value<number>;
    /** The members are processed one after the other, in the order of the list. */
    readonly inOrder?: true;
  };
  /** One file for each member of such a list, all of them combined into one reading. */
  readonly every?: { readonly artifact: string; readonly list: string };
  /** How to create the first content from the user's own text when a run starts with these parameters. */
  readonly begin?: Begin;
};

export type Begin = {
  readonly when: Readonly<Record<string, Literal>>;
  readonly as: "json" | "yaml" | "sections";
  readonly data: DataTree;
};
