/** Any other program: the person writes its command lines, and its output is not understood. */

import { EFFORTS } from "../../core/model/vocabulary.ts";
import type { Driver, LineReader, Turn } from "../../engine/ports/drivers.ts";
import { filled } from "./argv.ts";
import { clipped } from "./lines.ts";

export const command: Driver = {
  name: "command",
  program: "",
  argv,
  reader,
  env: [],
  set: {},
  // As the placeholder {effort}, which may say anything to the program.
  efforts: EFFORTS,
  canStay: true,
  takesTools: false,
  files: () => ({ settings: [], credentials: [] }),
  version: [],
  login: undefined,
  logIn: "",
};

function argv(turn: Turn): readonly string[] {
  const { seat, isFirst, harness } = turn;
  const { program, again, terminal, terminalAgain } = harness;
  if (seat === "resident" && terminal !== undefined)
    return filled(turn, isFirst ? terminal : (terminalAgain ?? terminal));
  return filled(turn, isFirst ? program : (again ?? program));
}

/** Its lines are texts, and nothing is known of its failures. */
function reader(): LineReader {
  return { take: (line) => [{ type: "text", text: clipped(line) }], end: () => [] };
}
