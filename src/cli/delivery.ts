/** The options of commands that deliver, and what they say. */

import type { Given } from "../app/invocation.ts";
import { badUsage } from "../app/failure.ts";
import type { InputOf } from "../app/schemas.ts";
import type { Option } from "./command.ts";

type DeliveryInput = NonNullable<InputOf<"accept">["delivery"]>;

const STRATEGIES = ["ff", "merge", "squash"] as const;

export const DELIVERY: Readonly<Record<string, Option>> = {
  strategy: {
    takes: "ff|merge|squash",
    about: "only a fast-forward, always a merge commit, or one new commit",
  },
  squash: { about: "short for --strategy squash" },
  leave: { about: "leave out commits on the branch of the task that were not reviewed" },
  "allow-undo": {
    about: "merge also what undoes changes that the default branch got since the task began",
  },
  message: { takes: "TEXT", about: "the message of the new commit" },
  "delete-remote": { about: "delete the branch on the project's remote afterwards" },
};

export function deliveryIn({ options }: Given, help: string): DeliveryInput {
  const strategy = strategyOf(options, help);
  const { message, leave } = options;
  return {
    ...(strategy === undefined ? {} : { strategy }),
    ...(message === undefined ? {} : { message }),
    leave: leave !== undefined,
    allowUndo: options["allow-undo"] !== undefined,
    deleteRemote: options["delete-remote"] !== undefined,
  };
}

function strategyOf(options: Given["options"], help: string): DeliveryInput["strategy"] {
  const given = options["strategy"] ?? (options["squash"] === undefined ? undefined : "squash");
  const known = STRATEGIES.find((each) => each === given);
  if (given !== undefined && known === undefined)
    throw badUsage(`--strategy ${given}: use ff, merge or squash`, help);
  if (options["squash"] !== undefined && known !== "squash")
    throw badUsage(`--squash and --strategy ${given} exclude each other`, help);
  return known;
}
