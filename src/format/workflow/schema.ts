/**
 * The workflow file, as people write it. One source for the types, the errors and the published JSON Schema.
 *
 * Only shapes are checked here; whether names exist and states are reachable is decided later.
 */

import * as z from "zod/mini";
import { FAILING } from "../../core/verdict.ts";
import { FACTS } from "../../core/vocabulary.ts";
import {
  Bound,
  File,
  Name,
  Names,
  Param,
  Scalar,
  Setting,
  Severity,
  Some,
  Text,
  told,
  Verdict,
  Whole,
} from "./words.ts";

export const SCHEMA_VERSION = 1;

const Action = told(
  z
    .string()
    .check(
      z.regex(
        /^(start|stop|tell|mark|run|release|archive|perform) \S/,
        "an action is one of: start, stop, tell, mark, run, release, archive, perform",
      ),
    ),
  "start ROLE [as PROMPT] | start ROLE each ARTIFACT | start tasks ARTIFACT | start next | stop ROLE | stop all | tell ROLE MESSAGE [or start [as PROMPT]] | mark ROLE | run ARTIFACT | release RESOURCE | archive ARTIFACT... | perform commit from ARTIFACT [without $PARAMETER] | perform pull-request from ARTIFACT | perform notify",
);
const Actions = z.array(Action);

const When = told(
  z.record(z.string(), z.union([Scalar, z.array(Scalar), z.strictObject({ min: z.number() })])),
  "What must hold, all of it: an artifact's standing, a counter (below, spent), a parameter, the origin, or artifact.field",
);

const setting = z.optional(
  told(
    Setting,
    "Where people set it in their settings, below the name of the workflow; its own name unless said",
  ),
);

const ParamShape = z.union([
  z.strictObject({ int: z.tuple([z.int(), z.int()]), default: z.int(), setting }),
  z.strictObject({ enum: z.array(Text).check(z.minLength(1)), default: Text, setting }),
  z.strictObject({ bool: z.boolean(), setting }),
  z.strictObject({ text: z.string(), set: z.optional(Names), setting }),
]);

const Shape: z.ZodMiniType = z.lazy(() =>
  z.union([
    z.enum(["text", "number", "boolean"]),
    z.array(Scalar).check(z.minLength(1)),
    z.strictObject({ list: Shape, min: z.optional(Whole) }),
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
  severities: z.optional(
    told(z.record(Text, Severity), "What each word for a severity means; an unknown one ranks highest"),
  ),
});

/** What an artifact is, without where it is: used by `artifacts` and by the `out` of a phase. */
const artifactKeys = {
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
  lists: z.optional(told(z.record(Name, Text), "Lists to take out of the artifact: name to heading or path")),
  review: z.optional(told(ReviewOf, "Where a JSON or YAML artifact has its verdict and its issues")),
  block: z.optional(
    told(z.union([Severity, Param]), "The lowest severity that blocks; low unless said otherwise"),
  ),
};

/** One value, or one for each complexity that a task can have. */
const With = z.record(
  Name,
  z.union([Scalar, z.strictObject({ easy: Scalar, medium: Scalar, hard: Scalar })]),
);

const Command = z.union([Text, Param]);
const Commands = z.union([Text, Param, z.array(Command).check(z.minLength(1))]);

const Artifact = z.strictObject({
  ...artifactKeys,
  check: z.optional(
    told(
      Commands,
      "Reader: a command that the engine runs; it passes with exit code 0. Of several all are run, and all must pass",
    ),
  ),
  fact: z.optional(
    told(
      z.enum(Object.keys(FACTS)),
      "Reader: something the engine observes, or how something ended that it was asked to do",
    ),
  ),
  children: z.optional(told(Name, "Reader: how the child runs made of these tasks ended")),
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
});

const Role = z.strictObject({
  session: z.optional(
    told(z.enum(["fresh", "persistent"]), "One process per dispatch, or one for the whole run"),
  ),
  access: z.optional(told(z.enum(["read", "write"]), "Whether it may change the work")),
  prompt: z.optional(told(Name, "prompts/NAME.md; the role's own name unless said otherwise")),
  again: z.optional(told(Name, "The prompt of a second or later attempt")),
  harness: z.optional(told(z.union([Param, Name]), "What runs it")),
  model: z.optional(told(z.union([Param, Text]), "The model the harness is asked for")),
  minutes: z.optional(told(Bound, "It is ended after this time")),
  stall: z.optional(told(Bound, "It is ended after this many minutes without output")),
  context: z.optional(told(Names, "Artifacts that must be there when it starts")),
  earlier: z.optional(
    told(Names, "Artifacts of which it is told, when it starts, where the newest archived one is"),
  ),
});

const State = z.strictObject({
  title: z.optional(told(Text, "Words for people")),
  final: z.optional(told(z.enum(["done", "cancelled", "failed"]), "The run ends here")),
  waits: z.optional(told(z.boolean(), "The run waits for a person here")),
  ask: z.optional(told(Name, "The question that is open here")),
  stage: z.optional(told(Name, "The group it is drawn in")),
  enter: z.optional(told(Actions, "Done on every entry, after the actions of the move")),
});

const moveKeys = {
  remember: z.optional(told(z.boolean(), "The target remembers where the run came from")),
  when: z.optional(When),
  need: z.optional(told(Names, "Artifacts that must be valid, new and passing, or waived")),
  count: z.optional(told(Names, "Counters that go up by one; a spent counter shuts the move")),
  new: z.optional(told(Names, "Scopes that begin anew, each read by a counter or an artifact")),
  waive: z.optional(told(Names, "By human only: artifacts the person answers for, as the work is now")),
  do: z.optional(told(Actions, "What follows, in this order")),
};

const Move = z.strictObject({
  from: told(Some, "States; start makes a run"),
  to: told(Name, "A state, or origin: where the run came from"),
  by: told(Some, "Who may: roles, human, or engine (by itself, when everything holds)"),
  reserve: z.optional(told(Names, "Resources that must be there first, like workspace")),
  ...moveKeys,
});

const End = z.strictObject({
  role: told(Name, "Whose death"),
  in: told(Some, "In which states"),
  try: z.optional(told(Name, "If what it left opens its own move to this state, that move is taken")),
  then: z.optional(told(Actions, "What follows when the run went on")),
  else: told(
    z.strictObject({
      count: z.optional(told(Name, "The counter that goes up")),
      do: z.optional(told(Actions, "What follows while the run is still here")),
    }),
    "What follows when it left nothing that counts",
  ),
});

const Way = z.strictObject({ to: told(Name, "Where the answer leads: a state, or origin"), ...moveKeys });
const Option = z.strictObject({
  label: z.optional(told(Text, "Words for people")),
  text: z.optional(told(z.enum(["none", "optional", "required"]), "Whether the answer comes with a text")),
  to: z.optional(told(Name, "Where the answer leads: a state, or origin")),
  ways: z.optional(told(z.array(Way), "Several targets for one answer; the first that is open is taken")),
  routes: z.optional(told(z.record(Name, Way), "The person also chooses one of these")),
  ...moveKeys,
});

const Ask = z.strictObject({
  id: z.optional(told(Name, "The id of the decision; UD-1, UD-2 ... unless said otherwise")),
  question: told(Name, "prompts/NAME.md: what is asked"),
  shows: z.optional(told(Names, "Artifacts the answer is bound to")),
  reask: z.optional(told(Name, "The counter of answers that are none of the options")),
  options: told(z.record(Name, Option), "The only answers there are"),
});

const Out = z.union([File, z.strictObject(artifactKeys)]);
const tries = z.optional(
  told(Bound, "How often an agent may end without leaving what it owes; 3 unless said otherwise"),
);
const Fix = z.strictObject({
  by: told(Name, "The role that mends"),
  max: told(Bound, "How often"),
  to: z.optional(told(Name, "Where the run goes when it is mended; back to what found it unless said")),
  each: z.optional(
    told(
      z.literal("file"),
      "With review: one agent for each file that issues are about, all at the same time",
    ),
  ),
  part: z.optional(told(Out, "With each: the note that each of them leaves")),
  failing: z.optional(
    told(
      z.array(z.enum(FAILING)).check(z.minLength(1)),
      "With check: only where it failed there; what failed elsewhere is left to moves of the file",
    ),
  ),
});
const PHASE_TYPES = ["dispatch", "inline", "review", "command", "question"] as const;
const Phase = z.strictObject({
  title: z.optional(Text),
  run: z.optional(told(Name, "The role that produces the output")),
  out: z.optional(told(Out, "The output: a file, or an artifact")),
  part: z.optional(told(Out, "With each: what every member produces")),
  each: z.optional(told(Text, "Fan-out over artifact.list")),
  split: z.optional(
    told(
      z.strictObject({
        by: told(Name, "The role that says what there is to do"),
        out: told(Out, "The artifact with the list"),
      }),
      "With each: who first says what there is to do; each is then the name of a list of it",
    ),
  ),
  most: z.optional(told(Bound, "With each: the most members. With tasks: how many at the same time")),
  failed: z.optional(told(z.enum(["ask", "tolerate"]), "With each or tasks: when some fail")),
  merge: z.optional(told(Name, "With each: the role that makes one output of the parts")),
  review: z.optional(told(Some, "What is reviewed: phases with an output, or tree, the work itself")),
  by: z.optional(told(Name, "With review: the reviewing role")),
  fix: z.optional(told(Fix, "With review or check: who mends what was found, how often")),
  check: z.optional(told(Commands, "A command the engine runs, or several of which all must pass")),
  tasks: z.optional(told(Name, "Child runs made of the tasks of this phase's output")),
  workflow: z.optional(told(Name, "With tasks: the workflow that each child run follows")),
  with: z.optional(told(With, "With tasks: parameters that each child run is started with")),
  earlier: z.optional(
    told(Names, "With tasks: artifacts of which each is told where the newest archived one is"),
  ),
  scored: z.optional(
    told(z.union([z.boolean(), Param]), "With tasks: whether the complexity of a task counts in `with`"),
  ),
  ask: z.optional(told(Name, "A question to a person")),
  hand: z.optional(
    told(
      z.array(Name).check(z.minLength(1)),
      "By hand: states of the file that are this phase; it begins in the first, and the file's own moves lead on",
    ),
  ),
  makes: z.optional(told(Names, "With hand: artifacts of the file that must be good when it is left")),
  type: z.optional(told(z.enum(PHASE_TYPES), "With hand: how it is told; inline unless said")),
  then: z.optional(told(Name, "Where it leads when it is good; the next phase unless said otherwise")),
  tries,
});

const Stage = z.strictObject({
  enabled: z.optional(
    told(
      z.union([z.boolean(), Param]),
      "Whether the stage is part of the run; whatever would enter it leads past it when not",
    ),
  ),
  restart: z.optional(
    told(
      z.union([
        z.strictObject({ max: told(Bound, "How often the stage begins again by itself") }),
        z.strictObject({
          stages: told(
            z.array(Name).check(z.minLength(1)),
            "Begins an earlier stage again instead, counted there: the first of these that is enabled",
          ),
        }),
      ]),
      "When fixes do not help, outputs are archived and work begins again",
    ),
  ),
  exhausted: z.optional(
    told(Name, "The question that is asked when fixes and restarts are spent; the same as stuck unless said"),
  ),
  summary: z.optional(
    told(
      z.strictObject({
        by: told(Name, "The role that writes it"),
        out: told(Out, "The file it is written to"),
        when: z.optional(told(z.union([z.boolean(), Param]), "Whether it is written; it is unless said")),
        phases: z.optional(
          told(
            z.union([z.boolean(), Param]),
            "Whether one is also written after every phase that produces something; not unless said",
          ),
        ),
      }),
      "What is written after the last phase for those who come later",
    ),
  ),
  stuck: told(Name, "The question that is asked when nothing else is left"),
  then: z.optional(told(Name, "Where the last phase leads; the next stage unless said otherwise")),
  phases: told(z.record(Name, Phase), "In this order"),
});

const AnyOf = z.union([When, z.array(When)]);
const Claim = z.strictObject({
  in: told(Some, "The states it is about"),
  when: z.optional(told(AnyOf, "Only when this holds; a list means any of them")),
  unless: z.optional(told(AnyOf, "Except when this holds; a list means any of them")),
});
const Assertion = z.union([
  z.strictObject({ never: Claim }),
  z.strictObject({ always: Claim }),
  z.strictObject({
    eventually: z.strictObject({ in: told(Some, "The states of which one can always be reached") }),
  }),
]);

const Projection = z.strictObject({
  file: told(File, "The file that is rewritten from the run"),
  as: told(z.enum(["front-matter", "json", "yaml"]), "How"),
  data: told(
    z.record(z.string(), z.unknown()),
    "A tree of literals, {from: path}, {each: path, give: tree} and {each: path, key: path, give: tree}",
  ),
});

export const WorkflowFile = z.strictObject({
  $schema: told(z.string(), "Path of the schema; its name carries the version, like workflow-1.schema.json"),
  name: told(Name, "The workflow's name"),
  title: told(Text, "One line for people"),
  params: z.optional(told(z.record(Name, ParamShape), "What a run may be started with")),
  counters: z.optional(
    told(
      z.record(
        Name,
        z.strictObject({
          max: told(Bound, "It is spent at this number"),
          per: z.optional(told(Name, "run, entry, or a scope")),
        }),
      ),
      "Budgets of loops",
    ),
  ),
  artifacts: z.optional(told(z.record(Name, Artifact), "What roles must produce")),
  roles: z.optional(told(z.record(Name, Role), "Who works")),
  states: told(z.record(Name, State), "Where a run can be"),
  moves: told(z.array(Move), "How it gets from one to another"),
  ends: z.optional(told(z.array(End), "What follows an agent's death")),
  asks: z.optional(told(z.record(Name, Ask), "Questions to people")),
  stages: z.optional(told(z.record(Name, Stage), "Sugar: phases that produce, review, fix and restart")),
  assert: z.optional(told(z.array(Assertion), "What `check` must prove")),
  projection: z.optional(told(z.array(Projection), "Files that show the run")),
});

export type WorkflowFile = z.infer<typeof WorkflowFile>;
export type ArtifactFile = z.infer<typeof Artifact>;
export type PhaseFile = z.infer<typeof Phase>;
export type StageFile = z.infer<typeof Stage>;
export type WhenFile = z.infer<typeof When>;
export type WayFile = z.infer<typeof Way>;
export type AskFile = z.infer<typeof Ask>;

/** The JSON Schema that editors use. */
export function jsonSchema(): unknown {
  return z.toJSONSchema(WorkflowFile, { target: "draft-2020-12" });
}
