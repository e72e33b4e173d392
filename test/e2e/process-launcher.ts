/** A process of its own that launches: `node process-launcher.ts HOME LAUNCH-AS-JSON`. Prints what it was told. */
import { homeAt } from "../../src/adapters/home/paths.ts";
import { shimProcesses } from "../../src/adapters/process/processes.ts";
import type { Launch } from "../../src/engine/ports/process.ts";

const [root = "", launch = ""] = process.argv.slice(2);
const seen = await shimProcesses({ home: homeAt(root) }).launch(JSON.parse(launch) as Launch);
process.stdout.write(`${JSON.stringify(seen)}\n`);
