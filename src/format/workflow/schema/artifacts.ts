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
  values: told(z.record(Text, Verdict), "The words that may stand there, and what each means"),
  issues: z.optional(told(Text, "Path of the list of issues")),
  severity: z.optional(told(Text, "The field of an issue that ranks it")),
  location: z.optional(
    told(Text, "The field of an issue that says where it is; with it there is the list files"),
  ),
  tests: z.optional(
    told(
      Text,
      "Path of what it says of the tests: total, passed and failed, and if it likes skipped and status",
    ),
  ),
  tested: z.optional(told(z.literal(true), "Nothing passes without a test that was run")),
  checklist: z.optional(
    told(
      z.strictObject({
        at: told(Text, "Path of a map of headings, with a word for each"),
        found: told(Text, "The word that says: there are issues"),
        by: told(Text, "The field of an issue that names its heading"),
      }),
      "Under a heading with that word, an issue of that heading must be listed",
    ),
  ),
  strict: z.optional(
    told(z.literal(true), "What contradicts itself does not count, instead of counting as what it lists"),
  ),
  severities: z.optional(
    told(z.record(Text, Severity), "What each word for a severity means; an unknown one ranks highest"),
  ),
});

const ListOf = z.strictObject({
  from: told(Text, "Path of the list; of a document, in its front matter"),
  id: z.optional(told(Text, "The key of each map that names it; id unless said")),
  depends: z.optional(told(Text, "The key that names those behind which it stands")),
  each: z.optional(
    told(Text, "The key under which each map has a list of texts: all of them together are the list"),
  ),
  begins: z.optional(told(Text, "Only texts that begin like this")),
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
      "With document: what must stand under a heading: the least characters, numbered requirements, or scenarios",
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
      "With document and file: the most characters. With children: how many may be under way at the same time; 4 unless said",
    ),
  ),
  lists: z.optional(
    told(
      z.record(Name, z.union([Text, ListOf])),
      "Lists to take out of the artifact: name to heading or path, to maps in data and what names and orders them, or to texts inside of maps",
    ),
  ),
  review: z.optional(told(ReviewOf, "Where a JSON or YAML artifact has its verdict and its issues")),
  block: z.optional(
    told(z.union([Severity, Param]), "The lowest severity that blocks; low unless said otherwise"),
  ),
};

const TakenFrom = z.strictObject({
  from: told(
    Text,
    "What the task says under a key, as task.KEY, or a field of an artifact, as ARTIFACT.FIELD",
  ),
  or: z.optional(
    told(
      z.record(z.string().check(z.regex(/^task\../, "a key of the task, like task.type")), z.array(Scalar)),
      "True as well where the task has one of these values under task.KEY",
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
  id: told(Name, "What its task is called"),
  title: told(Text, "What it is for: a text, or a parameter like $goal"),
});

const Paths = z.strictObject({
  paths: told(z.array(File).check(z.minLength(1)), "Files of the work, whether they are there or not"),
});

const Besides = z.strictObject({
  besides: told(Param, "The parameter with rules, as in gitignore: files of the work that do not count"),
});

const Command = z.union([Text, Param]);
export const Commands = z.union([Text, Param, z.array(Command).check(z.minLength(1))]);

const Begin = z.strictObject({
  when: z.optional(told(z.record(Name, Scalar), "Only in runs that begin with these parameters")),
  as: told(z.enum(["json", "yaml", "sections"]), "How: data, or a page with a section for each key"),
  data: told(z.unknown(), "A tree as in projection, of params and lines only"),
});

const ListedChecks = z.strictObject({
  commands: z.optional(told(Commands, "Commands that are run in any case")),
  from: told(
    z.union([Text, z.array(Text).check(z.minLength(1))]),
    "Lists, as artifact.list, with further ones: cmd: and a command, or manual: and what a person looks at. They are run where a person has approved of them, or settings have them",
  ),
});

export const Artifact = z.strictObject({
  ...artifactKeys,
  check: z.optional(
    told(
      z.union([Commands, ListedChecks]),
      "Reader: a command that the engine runs; it passes with exit code 0. Of several all are run, and all must pass",
    ),
  ),
  fact: z.optional(
    told(
      z.enum(Object.keys(FACTS)),
      "Reader: something the engine observes, or how something ended that it was asked to do",
    ),
  ),
  files: z.optional(
    told(
      z.union([Name, Paths, Besides]),
      "Reader: files of the work, as they are now: those that this list of tasks names, these, or all besides some",
    ),
  ),
  children: z.optional(
    told(
      z.union([Name, Only]),
      "Reader: how the child runs made of these tasks ended, or the one that is made of no list",
    ),
  ),
  workflow: z.optional(told(Name, "With children: the workflow that each of them follows")),
  with: z.optional(told(With, "With children: parameters that each of them is started with")),
  earlier: z.optional(
    told(Names, "With children: artifacts of which each is told where the newest archived one is"),
  ),
  scored: z.optional(
    told(z.union([z.boolean(), Param]), "With children: whether the complexity of a task counts in `with`"),
  ),
  by: z.optional(told(Some, "Whose word counts: roles, human, engine")),
  fresh: z.optional(
    told(Name, "It must have changed since: run, entry, a scope, or the last change of a counter"),
  ),
  bind: z.optional(
    told(Names, "What it is about: tree, or artifacts; a later change of those makes it stale"),
  ),
  each: z.optional(told(Text, "One for each member of a list of another artifact, as artifact.list")),
  max: z.optional(told(Bound, "With each: the most members; 10 unless said")),
  in_order: z.optional(
    told(
      z.literal(true),
      "With each: the members are worked off one after the other, as they stand in the list",
    ),
  ),
  there: z.optional(
    told(
      z.array(File).check(z.minLength(1)),
      "Files of the work of which one must be there and say something: otherwise it does not count",
    ),
  ),
  begin: z.optional(
    told(Begin, "What a run begins with where nobody brings a text: made of what the person has said"),
  ),
  every: z.optional(
    told(Text, "A file for every member of a list of another artifact, as artifact.list, read as one"),
  ),
});
