/** One schema for each command's `--json` document, and all of them as one published file. */

import * as z from "zod/mini";
import { answerOf, Failure, Help, type Shape } from "./envelope.ts";
import * as ofWorkflows from "./workflows.ts";

const DATA: Readonly<Record<string, Shape>> = { ...ofWorkflows };

export const ANSWERS: Readonly<Record<string, z.ZodMiniType>> = Object.fromEntries(
  Object.entries(DATA).map(([name, data]) => [name, z.union([answerOf(data), Failure, Help])]),
);

/** `$defs` holds one definition for each command, by its name. */
export function answersSchema(): unknown {
  const shared = [
    ["FAILURE", definitionOf(Failure)],
    ["HELP", definitionOf(Help)],
  ] as const;
  const references = shared.map(([name]) => ({ $ref: `#/$defs/${name}` }));
  const own = Object.entries(DATA).map(
    ([name, data]) => [name, { anyOf: [definitionOf(answerOf(data)), ...references] }] as const,
  );
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "What the commands of signalbox print with --json",
    $defs: Object.fromEntries([...shared, ...own.toSorted(([a], [b]) => (a < b ? -1 : 1))]),
  };
}

function definitionOf(schema: z.ZodMiniType): object {
  const { $schema: _same, ...definition } = z.toJSONSchema(schema, { target: "draft-2020-12" });
  return definition;
}
