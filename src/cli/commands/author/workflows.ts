/** `signalbox workflows`: which workflows have a name here, and where each comes from. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
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
    const [name, from] = [
      Math.max(...rows.map((row) => row.name.length), 0),
      Math.max(...rows.map((row) => row.from.length), 0),
    ];
    const { bold, dim } = door.paint;
    return answerOf(outcome, () =>
      rows
        .map(
          (row) =>
            `${bold(row.name.padEnd(name))}  ${row.from.padEnd(from)}  ${dim(shortHash(row.hash))}  ${row.title}\n`,
        )
        .join(""),
    );
  },
};

function shortHash(hash: string): string {
  return hash.replace("sha256:", "").slice(0, HASH_SHOWN).padEnd(HASH_SHOWN);
}
