/** The grammar of artifacts and of the shapes of their content. */

import * as z from "zod/mini";
import { FACTS } from "../../../core/model/vocabulary.ts";
import {
  Bound,
  File,
  Name,
  Names,
  Param,
  Scalar,
  Severity,
  Some,
  Text,
  told,
  Verdict,
  Whole,
} from "./primitives.ts";

const Shape: z.ZodMiniType = z.lazy(() =>
  z.union([
    z.enum(["text", "number", "boolean"]),
    z.array(Scalar).check(z.minLength(1)),
    z.strictObject({ list: Shape, min: z.optional(Whole) }),
    z.strictObject({ begins: z.array(Text).check(z.minLength(1)) }),
    z.strictObject({ object: z.record(z.string(), Shape), open: z.optional(z.boolean()) }),
  ]),
);

const ReviewOf = z.strictObject({
  verdict: told(Text, "Path of the field that holds the verdict, like status"),
  values: told(z.record(Text, Verdict), "The allowed words, and the meaning of each"),
  issues: z.optional(told(Text, "Path of the list of issues")),
  severity: z.optional(told(Text, "The field of an issue with its severity")),
  location: z.optional(
    told(Text, "The field of an issue that names its file; with it, the artifact has the list files"),
  ),
  tests: z.optional(
    told(Text, "Path of the test counts: total, passed and failed, and optionally skipped and status"),
  ),
  tested: z.optional(told(z.literal(true), "A passing verdict needs at least one test that was run")),
  checklist: z.optional(
    told(
      z.strictObject({
        at: told(Text, "Path of a map of headings, with a word for each"),
        found: told(Text, "The word for a heading with issues"),
        by: told(Text, "The field of an issue that names its heading"),
      }),
      "A heading with that word needs a listed issue that names the heading",
    ),
  ),
  strict: z.optional(
    told(z.literal(true), "A review that contradicts itself does not count; without this, its issues decide"),
  ),
  severities: z.optional(
    told(
      z.record(Text, Severity),
      "The meaning of each word for a severity; an unknown word counts as the highest",
    ),
  ),
});

const ListOf = z.strictObject({
  from: told(Text, "Path of the list; of a document, in its front matter"),
  id: z.optional(told(Text, "The key with the name of each map; default: id")),
  depends: z.optional(told(Text, "The key with the names of its dependencies")),
  each: z.optional(told(Text, "The key of each map with a list of texts; the list combines all of them")),
  begins: z.optional(told(Text, "Only texts with this prefix")),
});

/** The keys of an artifact except its path: used by `artifacts` and by the `out` of a phase. */
export const artifactKeys = {
  in: z.optional(
    told(
      File,
      "The file, relative to the workspace; {session}, {run}, {change} and, with each, {slot} are filled in",
    ),
  ),
  section: z.optional(told(Text, "Reader: the section of this level-2 heading")),
  any: z.optional(told(Names, "Fields of the section of which at least one must have content")),
  all: z.optional(told(Names, "Fields of the section that must all have content")),
  verdict: z.optional(
    told(
      z.record(Text, Verdict),
      "The words of the section's first line `Verdict: WORD`, and what each means",
    ),
  ),
  document: z.optional(told(z.array(Text), "Reader: a Markdown file with these headings")),
  front: z.optional(
    told(
      z.union([z.literal(true), Shape]),
      "With document and tasks: its front matter is a map of this shape",
    ),
  ),
  under: z.optional(
    told(
      z.record(Text, z.union([Whole, z.enum(["numbered", "scenarios"])])),
      "With document: what a section must contain: a minimum number of characters, numbered requirements, or scenarios",
    ),
  ),
  json: z.optional(told(z.union([z.literal(true), Shape]), "Reader: a JSON file of this shape")),
  yaml: z.optional(told(z.union([z.literal(true), Shape]), "Reader: a YAML file of this shape")),
  tasks: z.optional(
    told(z.enum(["markdown", "yaml", "checkbox"]), "Reader: a list of tasks with files and dependencies"),
  ),
  file: z.optional(told(z.literal(true), "Reader: any file that is not empty")),
  most: z.optional(
    told(
      Whole,
      "With document and file: the maximum number of characters. With children: the maximum number of child runs at the same time; default: 4",
    ),
  ),
  lists: z.optional(
    told(
      z.record(Name, z.union([Text, ListOf])),
      "Lists in the artifact, by name: a heading or path, a list of maps with their names and dependencies, or texts inside of maps",
    ),
  ),
  review: z.optional(told(ReviewOf, "The paths of the verdict and the issues in a JSON or YAML artifact")),
  block: z.optional(told(z.union([Severity, Param]), "The lowest severity that blocks; default: low")),
};

const TakenFrom = z.strictObject({
  from: told(
    Text,
    "The value of a key of the task, as task.KEY, or of a field of an artifact, as ARTIFACT.FIELD",
  ),
  or: z.optional(
    told(
      z.record(z.string().check(z.regex(/^task\../, "a key of the task, like task.type")), z.array(Scalar)),
      "Also true if the task has one of these values under task.KEY",
    ),
  ),
});

/** One value, one for each complexity of a task, or a value from the task or an artifact. */
export const With = z.record(
  Name,
  z.union([Scalar, z.strictObject({ easy: Scalar, medium: Scalar, hard: Scalar }), TakenFrom]),
);

/** A single child run without a list. */
const Only = z.strictObject({
  id: told(Name, "The id of its task"),
  title: told(Text, "Its title: a text, or a parameter like $goal"),
});

const Paths = z.strictObject({
  paths: told(z.array(File).check(z.minLength(1)), "Files of the work, which may be missing"),
});

const Besides = z.strictObject({
  besides: told(
    Param,
    "The parameter with patterns, as in gitignore, of files of the work that do not count",
  ),
});

const Command = z.union([Text, Param]);
export const Commands = z.union([Text, Param, z.array(Command).check(z.minLength(1))]);

const Begin = z.strictObject({
  when: z.optional(told(z.record(Name, Scalar), "Only for runs that start with these parameters")),
  as: told(z.enum(["json", "yaml", "sections"]), "How: data, or a page with a section for each key"),
  data: told(z.unknown(), "A tree as in projection, of params and lines only"),
});

const ListedChecks = z.strictObject({
  commands: z.optional(told(Commands, "Commands that are run in any case")),
  from: told(
    z.union([Text, z.array(Text).check(z.minLength(1))]),
    "Lists, as artifact.list, with further commands: cmd: and a command, or manual: and a step for a person. They are run if a person has approved them, or if the settings contain them",
  ),
});

export const Artifact = z.strictObject({
  ...artifactKeys,
  check: z.optional(
    told(
      z.union([Commands, ListedChecks]),
      "Reader: a command that the engine runs; it passes with exit code 0. Several commands are all run, and must all pass",
    ),
  ),
  fact: z.optional(
    told(
      z.enum(Object.keys(FACTS)),
      "Reader: a fact that the engine observes, or the result of an effect that it was asked to perform",
    ),
  ),
  files: z.optional(
    told(
      z.union([Name, Paths, Besides]),
      "Reader: files of the work in their current content: those that this list of tasks names, these, or all except some",
    ),
  ),
  children: z.optional(
    told(
      z.union([Name, Only]),
      "Reader: the results of the child runs for these tasks, or of a single child run without a list",
    ),
  ),
  workflow: z.optional(told(Name, "With children: the workflow that each of them follows")),
  with: z.optional(told(With, "With children: parameters that each of them is started with")),
  earlier: z.optional(
    told(Names, "With children: artifacts whose newest archived version each child run can read"),
  ),
  scored: z.optional(
    told(z.union([z.boolean(), Param]), "With children: whether `with` uses the complexity of a task"),
  ),
  by: z.optional(told(Some, "Authors whose submissions count: roles, human, engine")),
  fresh: z.optional(
    told(Name, "It must have changed since: run, entry, a scope, or the last change of a counter"),
  ),
  bind: z.optional(
    told(Names, "What it is about: tree, or artifacts; a later change of those makes it stale"),
  ),
  each: z.optional(told(Text, "One for each member of a list of another artifact, as artifact.list")),
  max: z.optional(told(Bound, "With each: the maximum number of members; default: 10")),
  in_order: z.optional(
    told(
      z.literal(true),
      "With each: the members are processed one after the other, in the order of the list",
    ),
  ),
  there: z.optional(
    told(
      z.array(File).check(z.minLength(1)),
      "Files of the work; at least one must exist and have content, or the artifact is invalid",
    ),
  ),
  begin: z.optional(
    told(Begin, "The first content if a run starts without one, built from the parameters that a person set"),
  ),
  every: z.optional(
    told(
      Text,
      "A file for every member of a list of another artifact, as artifact.list, combined into one reading",
    ),
  ),
});

/** The grammar of the rules for `perform archive`. */
export const Archive = z.strictObject({
  each: told(Text, "The list whose members are put in place, as artifact.list"),
  from: told(File, "The new text of a member; {slot} is the member"),
  into: told(File, "Where it goes; {slot} is the member"),
  log: z.optional(told(File, "A Markdown file that gets an entry with the date, below its heading")),
  entry: z.optional(
    told(Text, "With log: the text of the entry, as artifact.heading of a document or artifact.field"),
  ),
  folder: told(File, "The folder that is moved away when everything is in place"),
  to: told(File, "The target folder, which must not exist yet; {date} is the day, as in 20260131"),
});

export type ArchiveFile = z.infer<typeof Archive>;
