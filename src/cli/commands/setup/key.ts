/** `signalbox key`: where the human key is, what it is worth, and how to change that. */

import {
  acceptKey,
  replaceKey,
  replaceLostKey,
  setPassphrase,
  viewKey,
  type KeyView,
  type Tier,
} from "../../../adapters/person/key.ts";
import { keyPath } from "../../../adapters/person/key-file.ts";
import { whoActs } from "../../../adapters/person/who.ts";
import { UserError } from "../../../adapters/user-error.ts";
import { storeOf } from "../../../app/runs/find.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command, Door } from "../../command.ts";

const CHANGES = ["passphrase", "no-passphrase", "new", "lost"] as const;
type Change = (typeof CHANGES)[number];

/** What `--json` gives. */
export type KeyData = {
  readonly exists: boolean;
  readonly path: string;
  readonly fingerprint: string;
  readonly tier: Tier | "";
  readonly madeAt: string;
  /** When a key of yours was replaced without its own word; empty where each named the next. */
  readonly lostAt: string;
  readonly former: KeyView["former"];
  /** Where a key that could not be used was put; empty unless `--new --lost` found one. */
  readonly aside: string;
};

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
    const path = keyPath(door.env);
    const asked = CHANGES.filter((name) => options[name] !== undefined);
    if (asked.length > 1 && asked.join(" ") !== "new lost")
      throw new UserError(
        "bad-usage",
        `--${asked.join(" and --")} do not go together`,
        "signalbox key --help",
      );
    const aside = asked.length === 0 ? "" : await change(asked, door);
    const view = viewKey(path);
    const data: KeyData = {
      exists: view !== undefined,
      path,
      fingerprint: view?.fingerprint ?? "",
      tier: view?.tier ?? "",
      madeAt: view?.madeAt ?? "",
      lostAt: view?.lostAt ?? "",
      former: view?.former ?? [],
      aside,
    };
    const next = view?.tier === "detected" ? "signalbox key --passphrase" : "";
    return {
      exit: EXIT_OK,
      code: "ok",
      message: view === undefined ? "there is no key yet" : `the key is ${view.fingerprint}`,
      data: () => data,
      text: () => show(data, door),
      next,
      ...(next === "" ? {} : { talk: `  next: ${next}\n` }),
    };
  },
};

async function change(asked: readonly Change[], door: Door): Promise<string> {
  const store = storeOf(door);
  try {
    const who = whoActs({ env: door.env, store, ...(door.procs === undefined ? {} : { procs: door.procs }) });
    const [isNew, isLost] = [asked.includes("new"), asked.includes("lost")];
    if (isNew && isLost) return (await replaceLostKey(who, { pins: store })).aside;
    if (isNew) await replaceKey(who, { pins: store });
    else if (isLost) acceptKey(who, store);
    else await setPassphrase(who, asked.includes("passphrase"));
    return "";
  } finally {
    store?.close();
  }
}

const TIERS: Readonly<Record<Tier, string>> = {
  detected: [
    "detected: an agent is refused wherever it can be told from you, and an act that is not signed with this key is",
    "          found by `signalbox verify`. An agent of your user that detaches itself completely could read the key.",
  ].join("\n"),
  prevented: [
    "prevented: nothing is signed with this key without the passphrase, which no agent has. Another key in its place is",
    "           refused, or is shown with everything it signs by `signalbox history` and `signalbox verify`.",
  ].join("\n"),
};

function show(data: KeyData, { paint }: Door): string {
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
