/** The grammar of stages and their phases. */

import * as z from "zod/mini";
import { FAILING } from "../../../core/model/verdict.ts";
import { artifactKeys, With, Commands } from "./artifacts.ts";
import { Bound, File, Name, Names, Param, Some, Text, told } from "./primitives.ts";

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
export const Phase = z.strictObject({
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

export const Stage = z.strictObject({
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
