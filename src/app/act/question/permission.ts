/**
 * Permission to use a tool: an agent's program asks and waits, a person answers.
 *
 * The program asks again under the same id until it has the answer, so that it may be asked through any number of restarts of the
 * supervisor. Only a person answers: the event is signed like every decision.
 */

import { UserError } from "../../../adapters/user-error.ts";
import { plainly } from "../../../core/gates/vouched-commands.ts";
import { PERMISSION_ANSWERS, type Permission, type PermissionAnswer } from "../../../core/model/run.ts";
import { noToken } from "../../caller.ts";
import { ask, voiceOf, type Acting } from "../../context.ts";
import { EXIT_USAGE } from "../../exit-codes.ts";
import { success, type Outcome } from "../../outcome.ts";
import type { Seen } from "../../runs/find.ts";
import { requireKept } from "../../runs/load.ts";
import type { DataOf, InputOf } from "../../schemas.ts";
import { answersTo } from "../../view/decision/permission.ts";
import { acknowledge, type Acknowledgement } from "../acknowledged.ts";

const ID = /^p-[a-z0-9]{8,32}$/;
const TOOL_MAX = 200;
const INPUT_MAX = 16_000;
const LEFT_OUT = "\n(the rest is left out)";

export async function askPermission(
  on: Acting,
  { id, tool, input }: InputOf<"ask-permission">,
): Promise<Outcome<DataOf<"ask-permission">>> {
  const { who, box } = on;
  if (who.type !== "agent") throw noToken("ask-permission");
  if (!ID.test(id))
    throw new UserError("bad-usage", `"${id}" is no id of a request`, { next: "", exit: EXIT_USAGE });
  const asked = (await box.store.questions({ run: who.run, id })).at(-1);
  if (asked !== undefined) {
    if (asked.closedAt === "") return success("a person is asked", { status: "open" });
    return success("it is decided", {
      status: PERMISSION_ANSWERS.find((is) => is === asked.answer) ?? "dropped",
    });
  }
  const name = plainly(tool).slice(0, TOOL_MAX);
  const { run } = await requireKept(on, who.run);
  if (run.granted?.includes(name) === true)
    return success(`a person allowed ${name} for the rest of the run`, { status: "always" });
  await ask(on, {
    run: who.run,
    key: id,
    facts: {},
    event: ({ at }, by) => ({ type: "permission-asked", by, at, id, tool: name, input: shortened(input) }),
  });
  return success("a person is asked", { status: "open" });
}

/** A person sees every character, and no more of a text than they can read. */
function shortened(input: string): string {
  const plain = input.slice(0, INPUT_MAX).split("\n").map(plainly).join("\n");
  const isWhole = input.length <= INPUT_MAX && plain.length <= INPUT_MAX;
  return isWhole ? plain : `${plain.slice(0, INPUT_MAX)}${LEFT_OUT}`;
}

/**
 * The request that a person answers with this word, if they mean one: by its id, by RUN/ID, or the only one of the run. Several at
 * once must be named, so that nobody allows what they have not seen.
 */
export function permissionMeant(
  { run }: Pick<Seen, "run">,
  { decision = "", value }: Pick<InputOf<"answer">, "decision" | "value">,
): Permission | undefined {
  const open = run.permissions ?? [];
  const named = open.find(({ id }) => decision === id || decision.endsWith(`/${id}`));
  if (named !== undefined) return named;
  const [only, another] = open;
  const isOwnQuestion = run.question !== undefined && (value === undefined || answerIn(value) === undefined);
  if (only === undefined || isOwnQuestion || decision.includes("/")) return undefined;
  if (another === undefined) return only;
  throw new UserError("which-decision", `agents of run ${run.id} ask for permission ${open.length} times`, {
    next: open
      .flatMap((each) => answersTo(run.id, each).slice(0, 1))
      .map(({ command }) => command)
      .join(", or: "),
    exit: EXIT_USAGE,
  });
}

export async function givePermission(
  on: Acting,
  of: {
    readonly run: string;
    readonly asked: Permission;
    readonly value: string | undefined;
    readonly key: string | undefined;
  },
): Promise<Outcome<Acknowledgement>> {
  const { run, asked, value = "", key } = of;
  const answer = answerIn(value);
  if (answer === undefined)
    throw new UserError("not-an-option", `"${value}" is not one of ${PERMISSION_ANSWERS.join(", ")}`, {
      next: answersTo(run, asked)
        .map(({ command }) => command)
        .join(", or: "),
      exit: EXIT_USAGE,
    });
  const { id } = asked;
  const done = await ask(on, {
    run,
    voice: await voiceOf(on, run),
    ...(key === undefined ? {} : { key }),
    facts: {},
    event: ({ at }, by) => ({ type: "permission-answered", by, at, id, answer }),
  });
  return acknowledge(done, `the answer is ${answer}`);
}

/** In any case, also where only its beginning was typed. */
function answerIn(value: string): PermissionAnswer | undefined {
  const word = value.trim().toLowerCase();
  const meant = PERMISSION_ANSWERS.filter((each) => each === word);
  const begun = word === "" ? [] : PERMISSION_ANSWERS.filter((each) => each.startsWith(word));
  const [only, another] = meant.length > 0 ? meant : begun;
  return another === undefined ? only : undefined;
}
