/** Writes the published JSON Schemas from their sources: workflow files, settings, what commands print with `--json`, what tasks and agents are given and give, what a session says of itself. */

import { mkdirSync, writeFileSync } from "node:fs";
import { AGENT_SCHEMAS } from "./agent-contract.ts";
import { answersSchema } from "../src/app/answers.ts";
import { configSchema } from "../src/format/settings/config.ts";
import { STATUS_SCHEMAS } from "./status-contract.ts";
import { TASK_SCHEMAS } from "./task-contract.ts";
import { jsonSchema } from "../src/format/workflow/schema/schema.ts";

const folder = new URL("../schema/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, schema] of [
  ["workflow-1.schema.json", jsonSchema()],
  ["config-1.schema.json", configSchema()],
  ["answers-1.schema.json", answersSchema()],
  ...Object.entries({ ...TASK_SCHEMAS, ...AGENT_SCHEMAS, ...STATUS_SCHEMAS }).map(
    ([file, made]) => [file, made()] as const,
  ),
] as const)
  writeFileSync(new URL(name, folder), `${JSON.stringify(schema, undefined, 2)}\n`);
