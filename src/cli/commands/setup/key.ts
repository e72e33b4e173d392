/** `signalbox key`: where the human key is, what it is worth, and how to change that. */

import { call } from "../../../app/client.ts";
import { badUsage } from "../../../app/failure.ts";
import type { DataOf, InputOf } from "../../../app/schemas.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command, Door } from "../../command.ts";

const CHANGES = ["passphrase", "no-passphrase", "new", "lost"] as const;

export const command: Command = {
  usage: "[--passphrase | --no-passphrase | --new [--lost] | --lost]",
  about:
    "Shows the key that your answers and moves are signed with, and what it protects against.\nIt is made when you first need it. Agents can neither make nor change it.",
  words: { min: 0, max: 0 },
  options: {
    passphrase: { about: "put the key under a passphrase, asked for at the terminal" },
    "no-passphrase": { about: "take it from under its passphrase" },
    new: { about: "replace the key by another one, which the old one names; takes the old one's passphrase" },
    lost: {
      about:
        "with --new: without the old key, or its passphrase; alone: use the key that is there although the one before it has not named it. Either is shown with everything it signs",
    },
  },
  examples: ["signalbox key", "signalbox key --passphrase"],
  async answer({ options }, door): Promise<Answer> {
    const how = changeIn(options);
    const outcome = how === undefined ? await call(door, "key", {}) : await call(door, "change-key", { how });
    return answerOf(outcome, () => show(outcome.data, door));
  },
};

function changeIn(options: Readonly<Record<string, string>>): InputOf<"change-key">["how"] | undefined {
  const [how, ...others] = CHANGES.filter((name) => options[name] !== undefined);
  if (how === "new" && others.join(" ") === "lost") return "new-lost";
  if (others.length === 0) return how;
  throw badUsage(`--${[how, ...others].join(" and --")} do not go together`, "signalbox key --help");
}

const TIERS: Readonly<Record<Exclude<DataOf<"key">["tier"], "">, string>> = {
  detected: [
    "detected: an agent is refused wherever it can be told from you, and an act that is not signed with this key is",
    "          found by `signalbox verify`. An agent of your user that detaches itself completely could read the key.",
  ].join("\n"),
  prevented: [
    "prevented: nothing is signed with this key without the passphrase, which no agent has. Another key in its place is",
    "           refused, or is shown with everything it signs by `signalbox history` and `signalbox verify`.",
  ].join("\n"),
};

function show(data: DataOf<"key">, { paint }: Door): string {
  if (data.tier === "") return `There is no key yet. It is made at ${data.path} when you first need it.\n`;
  return [
    `${paint.bold("key")}    ${data.fingerprint}`,
    `file   ${data.path}`,
    `made   ${data.madeAt}`,
    `agents ${TIERS[data.tier]}`,
    ...(data.lostAt === ""
      ? []
      : [`lost   at ${data.lostAt} a key came in that the one before it has not named`]),
    ...data.former.map(({ fingerprint, until }) => `before ${fingerprint}, until ${until}`),
    ...(data.aside === "" ? [] : [`The file that could not be used is kept as ${data.aside}.`]),
    "",
  ].join("\n");
}
