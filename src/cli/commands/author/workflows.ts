/** `signalbox workflows`: which workflows have a name here, and where each comes from. */

import { builtInWorkflows, listWorkflows } from "../../../adapters/library/find.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command } from "../../command.ts";
import { loadWorkflow, type Loaded } from "../../../app/workflows/load.ts";

const HASH_SHOWN = 12;

export const command: Command = {
  usage: "",
  about: "Lists the available workflows: the built-in ones, and those of this repository, which come first.",
  words: { min: 0, max: 0 },
  options: {},
  examples: ["signalbox workflows", "signalbox workflows --json"],
  async answer(_given, door): Promise<Answer> {
    const builtIn = new Set(builtInWorkflows().map(({ name }) => name));
    const loaded = await Promise.all(listWorkflows(door).map((found) => loadWorkflow(found, door)));
    const rows = loaded.map((each) => rowOf(each, builtIn));
    const width = (pick: (row: Row) => string): number => Math.max(...rows.map((row) => pick(row).length), 0);
    const [name, from] = [width((row) => row.name), width((row) => row.from)];
    const lines = rows.map(
      (row) =>
        `${door.paint.bold(row.name.padEnd(name))}  ${row.from.padEnd(from)}  ${door.paint.dim(shortHash(row.hash))}  ${row.title}\n`,
    );
    return {
      exit: EXIT_OK,
      code: "ok",
      message: `${rows.length} workflows`,
      data: () => ({ workflows: rows }),
      text: () => lines.join(""),
      next: "signalbox check NAME",
      talk: "  next: signalbox check NAME\n",
    };
  },
};

function shortHash(hash: string): string {
  return hash.replace("sha256:", "").slice(0, HASH_SHOWN).padEnd(HASH_SHOWN);
}

type Row = {
  readonly name: string;
  readonly from: string;
  readonly hash: string;
  readonly title: string;
  readonly file: string;
  readonly ok: boolean;
};

function rowOf(loaded: Loaded, builtIn: ReadonlySet<string>): Row {
  const { found, file } = loaded;
  const { name } = found;
  const from = found.from === "override" ? (builtIn.has(name) ? "overriding" : "repository") : "built-in";
  if (!loaded.ok)
    return { name, from, hash: "", title: `(it has problems: signalbox check ${name})`, file, ok: false };
  const { workflow } = loaded;
  return {
    name,
    from,
    hash: workflow.hash(),
    title: workflow.definition.title,
    file,
    ok: true,
  };
}
