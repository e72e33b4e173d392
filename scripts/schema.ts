/** Writes the published JSON Schema of workflow files from its one source. */

import { mkdirSync, writeFileSync } from "node:fs";
import { jsonSchema } from "../src/format/workflow/schema.ts";

const folder = new URL("../schema/", import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL("workflow-1.schema.json", folder), `${JSON.stringify(jsonSchema(), undefined, 2)}\n`);
