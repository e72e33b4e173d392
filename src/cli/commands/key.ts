/** `signalbox key`: where the human key is, what it is worth, and how to change that. */

import { replaceKey, setPassphrase, viewKey, type KeyView, type Tier } from "../../adapters/person/key.ts";
import { keyPath } from "../../adapters/person/key-file.ts";
import { whoActs } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { storeOf } from "../box.ts";
import { EXIT_OK, type Answer, type Command, type Door } from "../command.ts";

const CHANGES = ["passphrase", "no-passphrase", "new"] as const;
type Change = (typeof CHANGES)[number];

/** What `--json` gives. */
export type KeyData = {
  readonly exists: boolean;
  readonly path: string;
  readonly fingerprint: string;
  readonly tier: Tier | "";
  readonly madeAt: string;
  readonly former: KeyView["former"];
  /** Where a key that could not be used was put; empty unless `--new` found one. */
  readonly aside: string;
};

export const command: Command = {
  usage: "[--passphrase | --no-passphrase | --new]",
  about:
    "Shows the key that your answers and moves are signed with, and what it protects against.\nIt is made when you first need it. Agents can neither make nor change it.",
  words: { min: 0, max: 0 },
  options: {
    passphrase: { about: "put the key under a passphrase, asked for at the terminal" },
    "no-passphrase": { about: "take it from under its passphrase" },
    new: { about: "replace a key that is lost or damaged; what the old one signed is shown as such" },
  },
  examples: ["signalbox key", "signalbox key --passphrase"],
  async answer({ options }, door): Promise<Answer> {
    const path = keyPath(door.env);
    const asked = CHANGES.filter((name) => options[name] !== undefined);
    if (asked.length > 1)
      throw new UserError(
        "bad-usage",
        `--${asked.join(" and --")} do not go together`,
        "signalbox key --help",
      );
    const aside = asked[0] === undefined ? "" : await change(asked[0], door);
    const view = viewKey(path);
    const data: KeyData = {
      exists: view !== undefined,
      path,
      fingerprint: view?.fingerprint ?? "",
      tier: view?.tier ?? "",
      madeAt: view?.madeAt ?? "",
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

async function change(wanted: Change, door: Door): Promise<string> {
  const store = storeOf(door);
  try {
    const who = whoActs({ env: door.env, store, ...(door.procs === undefined ? {} : { procs: door.procs }) });
    if (wanted === "new") {
      const { aside } = await replaceKey(who);
      return aside;
    }
    await setPassphrase(who, wanted === "passphrase");
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
    "prevented: nothing is signed without the passphrase, which no agent has. Should the key itself be replaced,",
    "           what was signed before is shown by `signalbox verify` as signed with another key.",
  ].join("\n"),
};

function show(data: KeyData, { paint }: Door): string {
  if (data.tier === "") return `There is no key yet. It is made at ${data.path} when you first need it.\n`;
  return [
    `${paint.bold("key")}    ${data.fingerprint}`,
    `file   ${data.path}`,
    `made   ${data.madeAt}`,
    `agents ${TIERS[data.tier]}`,
    ...data.former.map(({ fingerprint, until }) => `before ${fingerprint}, until ${until}`),
    ...(data.aside === "" ? [] : [`The file that could not be used is kept as ${data.aside}.`]),
    "",
  ].join("\n");
}
