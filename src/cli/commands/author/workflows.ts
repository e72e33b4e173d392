/** `signalbox workflows`: which workflows have a name here, and where each comes from. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import { fitted } from "../../fit.ts";
import type { Answer, Command } from "../../command.ts";

const HASH_SHOWN = 12;

export const command: Command = {
  usage: "",
  about: "Lists the available workflows: the built-in ones, and those of this repository, which come first.",
  words: { min: 0, max: 0 },
  options: {},
  examples: ["signalbox workflows", "signalbox workflows --json"],
  async answer(_given, door): Promise<Answer> {
    const outcome = await call(door, "workflows", {});
    const { workflows: rows } = outcome.data;
    const { bold, dim } = door.paint;
    return answerOf(outcome, () =>
      fitted(
        rows.map(({ name, from, hash, title }) => [bold(name), from, dim(shortHash(hash)), title]),
        door.width,
      ),
    );
  },
};

function shortHash(hash: string): string {
  return hash.replace("sha256:", "").slice(0, HASH_SHOWN).padEnd(HASH_SHOWN);
}
