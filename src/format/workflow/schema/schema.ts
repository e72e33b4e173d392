/**
 * The grammar of the workflow file. One source for the types, the errors and the published JSON Schema.
 *
 * Only shapes are checked here; later steps check whether names exist and states are reachable.
 */

import * as z from "zod/mini";
import { Archive, Artifact } from "./artifacts.ts";
import { Stage, type Phase } from "./stages.ts";
import { Bound, File, Name, Named, Names, Param, Scalar, Setting, Some, Text, told } from "./primitives.ts";
import { EFFORTS } from "../../../core/model/vocabulary.ts";
import { CALLS, STEPS, VERBS } from "../../../core/model/workflow.ts";

export const SCHEMA_VERSION = 1;

/** A command that a workflow declares. */
const Command = z.strictObject({
  about: z.optional(told(Text, "One line for people; that of the called command unless said")),
  short: z.optional(told(z.literal(true), "It can be typed without the name of the workflow")),
  call: z.optional(told(z.enum(CALLS), "Another name for this command of Signalbox")),
  with: z.optional(
    told(
      z.record(Name, Scalar),
      "With call: options of that command that are always given, with their values",
    ),
  ),
  in: z.optional(
    told(
      z.record(Name, z.enum(STEPS)),
      "By state or phase, what is done before the run is followed: a verb of people where it is open, or only follow",
    ),
  ),
  begin: z.optional(told(z.literal(true), "With in: a run that does not exist is begun")),
});

const WithText = z.enum(["none", "optional", "required"]);

const verb = z.optional(told(z.enum(VERBS), "The verb of people that means this"));

/** Further keys of a move that a verb means. */
const markKeys = {
  text: z.optional(told(WithText, "With verb: whether a text goes with it; default: optional")),
  into: z.optional(told(Name, "With verb: the artifact that the text becomes with the move")),
  deliver: z.optional(told(z.literal(true), "With verb accept: the reviewed commit is delivered first")),
};

const VerbPath = z.strictObject({
  verb: told(z.enum(VERBS), "The verb of people that means this path"),
  in: told(Some, "The states in which it applies"),
  path: told(
    z.array(Text).check(z.minLength(1)),
    "The moves, one after the other: a STATE, origin (where the run came from) or answer:OPTION",
  ),
  ...markKeys,
});

const Action = told(
  z
    .string()
    .check(
      z.regex(
        /^(start|stop|tell|mark|run|release|archive|perform) \S/,
        "an action is one of: start, stop, tell, mark, run, release, archive, perform",
      ),
    ),
  "start ROLE [as PROMPT] | start ROLE each ARTIFACT | start tasks ARTIFACT | start next | stop ROLE | stop all | tell ROLE MESSAGE [or start [as PROMPT]] | mark ROLE | run ARTIFACT | release RESOURCE | archive ARTIFACT... | perform commit from ARTIFACT [without $PARAMETER] | perform pull-request from ARTIFACT | perform tag from ARTIFACT as $PARAMETER | perform note-base | perform archive | perform notify",
);
const Actions = z.array(Action);

const When = told(
  z.record(
    z.string(),
    z.union([
      Scalar,
      z.array(Scalar),
      z.strictObject({ min: z.optional(z.number()), max: z.optional(z.number()) }),
    ]),
  ),
  "Conditions that must all hold: an artifact's status, a counter (below, spent), a parameter, the origin, or artifact.field",
);

const setting = z.optional(
  told(Setting, "The key in people's settings, below the name of the workflow; default: its own name"),
);

const ParamShape = z.union([
  z.strictObject({ int: z.tuple([z.int(), z.int()]), default: z.int(), setting }),
  z.strictObject({
    enum: z.array(Text).check(z.minLength(1)),
    default: Text,
    about: z.optional(
      told(z.record(z.string(), Text), "A description of each word for people who start a run"),
    ),
    setting,
  }),
  z.strictObject({ bool: z.boolean(), setting }),
  z.strictObject({
    text: z.string(),
    set: z.optional(Names),
    named: z.optional(
      told(
        Name,
        "The text parameter that its default is derived from: the day and the first words, unique in the repository",
      ),
    ),
    kept: z.optional(
      told(
        z.literal(true),
        "Only the run sets it: its moves do, and a parent run that starts it for a task; a caller cannot",
      ),
    ),
    identifies: z.optional(
      told(
        z.literal(true),
        "Its value names the run in its repository, so that people can type it wherever a run is named; for one parameter",
      ),
    ),
    setting,
  }),
]);

const Role = z.strictObject({
  session: z.optional(
    told(z.enum(["fresh", "persistent"]), "One process per dispatch, or one for the whole run"),
  ),
  access: z.optional(told(z.enum(["read", "write"]), "Whether it may change the work")),
  prompt: z.optional(told(Name, "prompts/NAME.md; default: the role's own name")),
  again: z.optional(told(Name, "The prompt of a second or later attempt")),
  harness: z.optional(told(z.union([Param, Name]), "The harness that runs it")),
  model: z.optional(told(z.union([Param, Text]), "The model that the harness should use")),
  effort: z.optional(told(z.union([Param, z.enum(EFFORTS)]), "How hard the model thinks")),
  minutes: z.optional(told(Bound, "Its turn is ended after this number of minutes")),
  stall: z.optional(told(Bound, "Its turn is ended after this number of minutes without output")),
  context: z.optional(
    told(Named, "Artifacts that must exist when it starts; a name that ends in ? may be missing"),
  ),
  earlier: z.optional(told(Names, "Artifacts whose newest archived version it can read")),
  input: z.optional(
    told(
      z.strictObject({
        file: told(File, "The JSON file that is written before each of its turns"),
        data: told(
          z.record(z.string(), z.unknown()),
          "A tree as in projection, which may read dispatch, too",
        ),
      }),
      "Its input, as a JSON file",
    ),
  ),
});

const State = z.strictObject({
  title: z.optional(told(Text, "Words for people")),
  final: z.optional(told(z.enum(["done", "cancelled", "failed"]), "The run ends here")),
  waits: z.optional(told(z.boolean(), "The run waits for a person here")),
  ask: z.optional(told(Name, "The question that is open here")),
  stage: z.optional(told(Name, "The group it is drawn in")),
  phase: z.optional(
    told(Name, "The name that people see for this part of the run; several states may share one"),
  ),
  enter: z.optional(told(Actions, "Actions at every entry, after the actions of the move")),
});

const moveKeys = {
  remember: z.optional(told(z.boolean(), "The target remembers where the run came from")),
  when: z.optional(When),
  need: z.optional(told(Names, "Artifacts that must be valid, new and passing, or waived")),
  count: z.optional(told(Names, "Counters that are raised by one; a spent counter closes the move")),
  new: z.optional(told(Names, "Scopes that start again, each used by a counter or an artifact")),
  waive: z.optional(told(Names, "By human only: artifacts that the person waives for the current work")),
  set: z.optional(told(z.record(Name, z.string()), "New values of text parameters")),
  do: z.optional(told(Actions, "Actions, in this order")),
};

const Move = z.strictObject({
  from: told(Some, "States; start creates a run"),
  to: told(Name, "A state, or origin: where the run came from"),
  by: told(Some, "Who may take it: roles, human, or engine (by itself, when everything holds)"),
  reserve: z.optional(
    told(Names, "What the run needs first: workspace, a private clone, or place, the user's checkout"),
  ),
  verb,
  ...markKeys,
  ...moveKeys,
});

const End = z.strictObject({
  role: told(Name, "The role whose agent ended"),
  in: told(Some, "The states of the rule"),
  try: z.optional(told(Name, "If its output opens its own move to this state, that move is taken")),
  then: z.optional(told(Actions, "Actions after that move")),
  else: told(
    z.strictObject({
      count: z.optional(told(Name, "The counter that is raised")),
      do: z.optional(told(Actions, "Actions if the run stays in the state")),
    }),
    "Actions if it left no valid output",
  ),
});

const Way = z.strictObject({ to: told(Name, "Where the answer leads: a state, or origin"), ...moveKeys });
const Option = z.strictObject({
  label: z.optional(told(Text, "Words for people")),
  text: z.optional(told(WithText, "Whether the answer comes with a text")),
  verb,
  to: z.optional(told(Name, "Where the answer leads: a state, or origin")),
  ways: z.optional(told(z.array(Way), "Several targets for one answer; the first that is open is taken")),
  routes: z.optional(told(z.record(Name, Way), "The person also chooses one of these")),
  vouch: z.optional(
    told(
      Names,
      "Artifacts that the question shows: the commands that they list for checks may be run, as they are",
    ),
  ),
  ...moveKeys,
});

const Ask = z.strictObject({
  id: z.optional(told(Name, "The id of the decision; default: UD-1, UD-2 ...")),
  question: told(Name, "prompts/NAME.md with the question"),
  shows: z.optional(told(Names, "Artifacts the answer is bound to")),
  reask: z.optional(told(Name, "The counter for answers that are not one of the options")),
  parts: z.optional(
    told(
      z.union([Text, z.array(Text).check(z.minLength(1))]),
      "A list of an artifact, as artifact.list, or several, whose members are answered one by one; of the options that any of them has, the first decides",
    ),
  ),
  rest: z.optional(
    told(z.enum(["ask", "cancel"]), "Parts without an answer: asked again, or cancelled; default: ask"),
  ),
  options: told(z.record(Name, Option), "The possible answers"),
});

const AnyOf = z.union([When, z.array(When)]);
const Claim = z.strictObject({
  in: told(Some, "The states of the assertion"),
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
  as: told(
    z.enum(["front-matter", "json", "yaml", "lines", "sections", "task-status", "review", "review-block"]),
    "How: a tree of data, the members of a list as lines of JSON, a page with a section for each key, the status of the tasks in a list that others write, a review as a page for people, or its rounds as blocks at the end of a file that others write",
  ),
  data: z.optional(
    told(
      z.record(z.string(), z.unknown()),
      "A tree of literals, {from: path}, {from: [path, ...], else: tree}, {from: path, cases: {word: tree}, else: tree}, {join: [tree, ...]}, {each: path, give: tree} and {each: path, key: path, give: tree}, where each may be a list of paths",
    ),
  ),
  of: z.optional(told(Name, "As review or review-block: the review that is shown")),
});

export const WorkflowFile = z.strictObject({
  $schema: told(z.string(), "Path of the schema; its name carries the version, like workflow-1.schema.json"),
  name: told(Name, "The workflow's name"),
  title: told(Text, "One line for people"),
  params: z.optional(told(z.record(Name, ParamShape), "Parameters that a run can be started with")),
  counters: z.optional(
    told(
      z.record(
        Name,
        z.strictObject({
          max: told(Bound, "The counter is spent at this number"),
          per: z.optional(told(Name, "run, entry, or a scope")),
        }),
      ),
      "Budgets of loops",
    ),
  ),
  artifacts: z.optional(told(z.record(Name, Artifact), "The outputs of roles, and facts")),
  roles: z.optional(told(z.record(Name, Role), "Who works")),
  states: told(z.record(Name, State), "The states of a run"),
  moves: told(z.array(Move), "The moves between states"),
  verbs: z.optional(
    told(
      z.array(VerbPath),
      "Verbs of people that take several moves, or go back to the origin; used if no marked move or answer of the verb is open, and the first open one is taken",
    ),
  ),
  commands: z.optional(
    told(z.record(Name, Command), "What people type about its runs: signalbox WORKFLOW COMMAND"),
  ),
  ends: z.optional(told(z.array(End), "Rules for the end of an agent")),
  asks: z.optional(told(z.record(Name, Ask), "Questions to people")),
  stages: z.optional(told(z.record(Name, Stage), "Sugar: phases that produce, review, fix and restart")),
  archive: z.optional(
    told(Archive, "The files that `perform archive` installs, and the folder that it moves away"),
  ),
  assert: z.optional(told(z.array(Assertion), "Assertions that `check` must prove")),
  projection: z.optional(told(z.array(Projection), "Files that show the run")),
});

export type WorkflowFile = z.infer<typeof WorkflowFile>;
export type ArtifactFile = z.infer<typeof Artifact>;
export type PhaseFile = z.infer<typeof Phase>;
export type StageFile = z.infer<typeof Stage>;
export type WhenFile = z.infer<typeof When>;
export type WayFile = z.infer<typeof Way>;
export type AskFile = z.infer<typeof Ask>;
export type MoveFile = z.infer<typeof Move>;
export type CommandFile = z.infer<typeof Command>;
export type VerbFile = z.infer<typeof VerbPath>;

/** The JSON Schema that editors use. */
export function jsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(WorkflowFile, { target: "draft-2020-12" });
}
