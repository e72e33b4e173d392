/** `signalbox worker`: carries out what runs need, on one of several machines that share a database. */

import { badUsage } from "../../../app/failure.ts";
import { success } from "../../../app/outcome.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";

const SLOTS = 4;
const TAKE_OVER_SECONDS = 60;
const MAX = 10_000;

export const command: Command = {
  usage: "[--database URL] [--slots N] [--take-over-after SECONDS]",
  about:
    "Works on runs of a database that several machines share, until it is ended: docs/cluster.md. Its state home, SIGNALBOX_HOME, is this machine's; no other worker uses it.",
  words: { min: 0, max: 0 },
  options: {
    database: { takes: "URL", about: "the PostgreSQL database; SIGNALBOX_DATABASE unless said" },
    slots: { takes: "N", about: `how many agents work here at the same time; ${SLOTS} unless said` },
    "take-over-after": {
      takes: "SECONDS",
      about: `how long another machine is waited for before its runs go on here; ${TAKE_OVER_SECONDS} unless said`,
    },
  },
  examples: [
    "signalbox worker --database postgres://signalbox@db.example/signalbox --slots 4",
    "SIGNALBOX_HOME=/var/lib/signalbox signalbox worker --slots 8",
  ],
  async answer({ options }, door): Promise<Answer> {
    const database = options["database"] ?? door.env["SIGNALBOX_DATABASE"] ?? "";
    if (!/^postgres(?:ql)?:\/\//.test(database))
      throw badUsage(
        "--database must be an address such as postgres://user@host/name",
        "signalbox worker --help",
      );
    const slots = countIn(options["slots"], SLOTS, "--slots");
    const takeOverSeconds = countIn(options["take-over-after"], TAKE_OVER_SECONDS, "--take-over-after");
    const { work } = await import("../../../app/cluster/worker.ts");
    return answerOf(success(await work(door, { database, slots, takeOverSeconds }), {}), () => "");
  },
};

function countIn(text: string | undefined, usual: number, option: string): number {
  const count = text === undefined ? usual : Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MAX) return count;
  throw badUsage(`${option} ${text ?? ""} is not a number from 1 to ${MAX}`, "signalbox worker --help");
}
