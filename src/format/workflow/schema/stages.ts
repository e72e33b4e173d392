/** The grammar of stages and their phases. */

import * as z from "zod/mini";
import { FAILING } from "../../../core/model/verdict.ts";
import { artifactKeys, With, Commands } from "./artifacts.ts";
import { Bound, File, Name, Names, Param, Some, Text, told } from "./primitives.ts";

const Out = z.union([File, z.strictObject(artifactKeys)]);
const tries = z.optional(told(Bound, "How often an agent may end without a valid output; default: 3"));
const Fix = z.strictObject({
  by: told(Name, "The role that fixes"),
  max: told(Bound, "How often"),
  to: z.optional(told(Name, "The target after the fix; default: back to the review or check")),
  each: z.optional(
    told(z.literal("file"), "With review: one agent for each file with issues, all at the same time"),
  ),
  part: z.optional(told(Out, "With each: the note that each agent writes")),
  failing: z.optional(
    told(
      z.array(z.enum(FAILING)).check(z.minLength(1)),
      "With check: only for failures in this place; moves of the file handle failures elsewhere",
    ),
  ),
});
const PHASE_TYPES = ["dispatch", "inline", "review", "command", "question"] as const;
export const Phase = z.strictObject({
  title: z.optional(Text),
  run: z.optional(told(Name, "The role that produces the output")),
  out: z.optional(told(Out, "The output: a file, or an artifact")),
  part: z.optional(told(Out, "With each: the output of every member")),
  each: z.optional(told(Text, "Fan-out over artifact.list")),
  split: z.optional(
    told(
      z.strictObject({
        by: told(Name, "The role that divides the work"),
        out: told(Out, "The artifact with the list"),
      }),
      "With each: the role that first divides the work; each is then the name of a list in its output",
    ),
  ),
  most: z.optional(
    told(Bound, "With each: the maximum number of members. With tasks: the maximum number at the same time"),
  ),
  failed: z.optional(told(z.enum(["ask", "tolerate"]), "With each or tasks: when some fail")),
  merge: z.optional(told(Name, "With each: the role that combines the outputs of the members")),
  review: z.optional(told(Some, "The reviewed phases with an output, or tree for the work itself")),
  by: z.optional(told(Name, "With review: the reviewing role")),
  fix: z.optional(told(Fix, "With review or check: the role that fixes the findings, and how often")),
  check: z.optional(told(Commands, "A command that the engine runs, or several that must all pass")),
  tasks: z.optional(told(Name, "Child runs made of the tasks of this phase's output")),
  workflow: z.optional(told(Name, "With tasks: the workflow that each child run follows")),
  with: z.optional(told(With, "With tasks: parameters that each child run is started with")),
  earlier: z.optional(
    told(Names, "With tasks: artifacts whose newest archived version each child run can read"),
  ),
  scored: z.optional(
    told(z.union([z.boolean(), Param]), "With tasks: whether `with` uses the complexity of a task"),
  ),
  ask: z.optional(told(Name, "A question to a person")),
  hand: z.optional(
    told(
      z.array(Name).check(z.minLength(1)),
      "By hand: states of the file that form this phase; it starts in the first, and the file's own moves lead on",
    ),
  ),
  makes: z.optional(
    told(Names, "With hand: artifacts of the file that must be valid when the run leaves the phase"),
  ),
  type: z.optional(told(z.enum(PHASE_TYPES), "With hand: the type that views show; default: inline")),
  then: z.optional(told(Name, "The next state after success; default: the next phase")),
  tries,
});

export const Stage = z.strictObject({
  enabled: z.optional(
    told(
      z.union([z.boolean(), Param]),
      "Whether the stage is part of the run; if not, moves into it lead past it",
    ),
  ),
  restart: z.optional(
    told(
      z.union([
        z.strictObject({ max: told(Bound, "How often the stage may restart by itself") }),
        z.strictObject({
          stages: told(
            z.array(Name).check(z.minLength(1)),
            "Restarts an earlier stage instead, counted there: the first of these that is enabled",
          ),
        }),
      ]),
      "When fixes are spent, outputs are archived and the stage restarts",
    ),
  ),
  exhausted: z.optional(
    told(Name, "The question when fixes and restarts are spent; default: the same as stuck"),
  ),
  summary: z.optional(
    told(
      z.strictObject({
        by: told(Name, "The role that writes it"),
        out: told(Out, "The file it is written to"),
        when: z.optional(told(z.union([z.boolean(), Param]), "Whether it is written; default: true")),
        phases: z.optional(
          told(
            z.union([z.boolean(), Param]),
            "Whether one is also written after every phase with an output; default: false",
          ),
        ),
      }),
      "A summary for later agents, written after the last phase",
    ),
  ),
  stuck: told(Name, "The question when nothing else is possible"),
  then: z.optional(told(Name, "The next state after the last phase; default: the next stage")),
  phases: told(z.record(Name, Phase), "In this order"),
});
