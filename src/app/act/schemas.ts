/** What acts on runs take and give. */

import * as z from "zod/mini";
import { told } from "../../format/workflow/schema/primitives.ts";
import {
  Acknowledgement,
  Count,
  Flag,
  GivenText,
  Key,
  MaybeFlag,
  MaybeText,
  Run,
  Task,
  Text,
  Texts,
} from "../shapes.ts";
import { SHOW } from "../view/run-view.ts";

const DELIVERY = {
  /** A pull request leaves the run where it is, until what it proposes has been merged. */
  strategy: z.optional(z.enum(["ff", "merge", "squash", "pull-request"])),
  /** The message of the new commit. */
  message: MaybeText,
  /** Commits on the branch that were not reviewed are left out. */
  leave: MaybeFlag,
  /** Also what undoes changes that the default branch got since the run began. */
  allowUndo: MaybeFlag,
  /** The branch is deleted on the remote of the project afterwards. */
  deleteRemote: MaybeFlag,
};

const DELIVERED = {
  branch: Text,
  work: Text,
  into: Text,
  commit: Text,
  how: z.enum(["already", "ff", "merge", "squash", "pull-request"]),
  /** Of the pull request; empty where the work was merged. */
  url: Text,
  files: Count,
  checkout: Text,
  remote: z.enum(["kept", "deleted", "failed"]),
};

/** The visit of its state in which the person saw the run, as `show` counts them: in another one the decision is refused. */
const Entry = { entry: z.optional(Count) };

/** `text` is what the person says; `to` chooses one of several ways: a state, an option, or a route of an option. */
const VERB = {
  ...Task,
  ...Key,
  text: MaybeText,
  to: MaybeText,
  /** What the person saw of the question, as one word: another one is refused. */
  shown: MaybeText,
  ...Entry,
  /** `run` may be the text: it is the run only where one has that name. */
  either: MaybeFlag,
};

/** By the id of the question, by RUN/ID, or by the run. */
const DECISION = { decision: MaybeText };

export const ACTS = {
  submit: {
    about: "Submit an artifact, with its text or as it is in its file",
    tool: {
      name: "submit_artifact",
      title: "Submit an artifact",
      about:
        "Submits an artifact. With content, that becomes its text; without, it is read as you have written it to its file. It is checked at once: it is accepted, or you are told what is wrong and where.",
      fields: ["artifact", "content", "key"],
    },
    input: z.strictObject({
      ...Run,
      ...Key,
      artifact: told(Text, "its name, as get_task and next have it"),
      content: told(MaybeText, "its whole text; leave it out where the file is written already"),
      file: z.optional(GivenText),
      /** `artifact` may be the name of the run, and the name of the file that of the artifact. */
      either: MaybeFlag,
    }),
    output: Acknowledgement,
  },
  "review-create": {
    about: "Submit a review field by field",
    tool: {
      name: "create_review",
      title: "Submit your review",
      about:
        "Submits your review, field by field. It is written to where the workflow has it and counts at once. A verdict that does not agree with its issues, or with tests that failed, is refused.",
      fields: ["artifact", "key"],
    },
    input: z.strictObject({
      ...Run,
      ...Key,
      artifact: told(MaybeText, "which review, where you write several"),
      file: GivenText,
    }),
    output: Acknowledgement,
  },
  move: {
    about: "Ask for a move of a run to a state",
    input: z.strictObject({
      ...Run,
      ...Key,
      to: Text,
      note: MaybeText,
      from: MaybeText,
      seq: z.optional(z.number()),
    }),
    output: Acknowledgement,
  },
  update: {
    about: "Change details of a task, then ask for a move",
    tool: {
      name: "update_status",
      title: "Ask for a move",
      about:
        "Asks for a move of your run to another state, as its workflow lets your role, and changes details of it. Refused with what is missing where the gate is closed.",
      fields: ["status", "note", "summary", "branch", "key"],
    },
    input: z.strictObject({
      ...Task,
      ...Key,
      status: told(MaybeText, "the state to move to"),
      note: told(MaybeText, "why, for the history"),
      summary: told(MaybeText, "one line that says what the task is"),
      branch: told(MaybeText, "the new name of the branch"),
      dependsOn: z.optional(Texts),
    }),
    output: Acknowledgement,
  },
  complete: {
    about: "Ask for the one move forward of the caller's role, or submit its verdict",
    input: z.strictObject({ ...Task, ...Key, note: MaybeText }),
    output: Acknowledgement,
  },
  "ask-permission": {
    about:
      "Asks a person whether the program of an agent may use a tool; called again, it says what became of it",
    input: z.strictObject({
      /** Chosen by the caller, the same for every call about one request. */
      id: Text,
      /** What *always* allows for the rest of the run. */
      tool: Text,
      input: Text,
    }),
    output: z.strictObject({ status: z.enum(["open", "allow", "always", "deny", "dropped"]) }),
  },
  "ask-questions": {
    about: "Write down questions for a person, and pass the run on to one",
    tool: {
      name: "ask_questions",
      title: "Ask a person",
      about:
        "Writes down questions to a person, and passes the run on to one where the workflow has it so. Nothing is waited for: end your turn. The answers are in get_task when you are called again.",
      fields: ["questions", "key"],
    },
    input: z.strictObject({
      ...Key,
      questions: told(
        Texts.check(z.minLength(1)),
        "two or three, each precise enough to be answered in a sentence",
      ),
    }),
    output: Acknowledgement,
  },
  accept: {
    about: "Accept what a run shows, and deliver it where the workflow says so",
    input: z.strictObject({ ...VERB, delivery: z.optional(z.strictObject(DELIVERY)) }),
    // What was merged is there where accepting delivers.
    output: z.strictObject({
      ...Acknowledgement.shape,
      branch: z.optional(DELIVERED.branch),
      work: z.optional(DELIVERED.work),
      into: z.optional(DELIVERED.into),
      commit: z.optional(DELIVERED.commit),
      how: z.optional(DELIVERED.how),
      url: z.optional(DELIVERED.url),
      files: z.optional(DELIVERED.files),
      checkout: z.optional(DELIVERED.checkout),
      remote: z.optional(DELIVERED.remote),
    }),
  },
  "send-back": {
    about: "Send the work of a run back to its agent, with what to change",
    input: z.strictObject(VERB),
    output: Acknowledgement,
  },
  retry: {
    about: "Try again what holds a run up, or what the workflow calls a retry",
    input: z.strictObject(VERB),
    output: Acknowledgement,
  },
  cancel: {
    about: "End a run early",
    input: z.strictObject({ ...Run, ...Key, ...Entry, text: MaybeText }),
    output: Acknowledgement,
  },
  answer: {
    about: "Answer an open question",
    input: z.strictObject({
      ...DECISION,
      ...Key,
      ...Entry,
      value: MaybeText,
      /** `decision` may be the value: it names a decision only where one has that name. */
      either: MaybeFlag,
      text: MaybeText,
      /** `N=VALUE` or `N=VALUE: TEXT`, of a question in parts. */
      parts: z.optional(Texts),
      /** Only if this is what the question shows. */
      shown: MaybeText,
      /** A person typed the value at a terminal: it may be the beginning of an option, or its number. */
      typed: MaybeFlag,
    }),
    output: Acknowledgement,
  },
  question: {
    about: "The open question of a run, with what it is about",
    input: z.strictObject(DECISION),
    output: z.strictObject({
      run: Text,
      /** Null where the run asks nothing that has options. */
      question: SHOW.question,
      /** Why it is asked, one line each. */
      cause: Texts,
      /** The option that takes an answer in words. */
      free: z.nullable(Text),
      /** What is asked without options, one line each; null where nothing is. */
      inWords: z.nullable(Texts),
      /** The entry of the state that asks. */
      entry: Count,
    }),
  },
  deliver: {
    about: "Merge the reviewed commit of a task into the default branch, and end the task",
    input: z.strictObject({ ...Task, ...Key, ...DELIVERY, note: MaybeText }),
    output: z.strictObject({ ...Acknowledgement.shape, ...DELIVERED }),
  },
  waive: {
    about: "Let a gate pass that an artifact keeps closed, with a reason",
    input: z.strictObject({ ...Run, ...Key, artifact: Text, reason: Text }),
    output: Acknowledgement,
  },
  stop: {
    about: "Halt a run and the runs made of its tasks",
    input: z.strictObject({ ...Run, now: Flag }),
    output: z.strictObject({
      run: Text,
      state: Text,
      halted: Flag,
      /** Whether this call halted it. */
      changed: Flag,
      /** Roles and checks that finish first; none where everything is ended. */
      waitsFor: Texts,
    }),
  },
  resume: {
    about: "Go on with a run: retry what failed, start crashed agents again, or restart a stage",
    input: z.strictObject({
      ...Run,
      back: z.optional(
        z.strictObject({
          how: z.enum(["from-phase", "retry-failed", "restart-stage", "restart-previous"]),
          phase: Text,
        }),
      ),
    }),
    output: z.strictObject({
      run: Text,
      state: Text,
      /** Whether it was halted. */
      unhalted: Flag,
      /** Effects that are tried again, its turn in the queue, what needed attention without either, and reading its files. */
      retried: Texts,
      /** Roles whose agent is started again. */
      respawned: Texts,
      /** The answer that restarted it somewhere; empty where that was not asked for. */
      answered: Text,
    }),
  },
  respawn: {
    about: "Start a crashed agent again",
    input: z.strictObject({ ...Key, project: MaybeText, /** The run, the role, or both. */ words: Texts }),
    output: Acknowledgement,
  },
  delete: {
    about: "Put a finished run away: lists leave it out",
    input: z.strictObject(Task),
    output: z.strictObject({ run: Text, state: Text, hidden: Flag }),
  },
} as const;
