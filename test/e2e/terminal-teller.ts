/** A process of its own that tells: `node terminal-teller.ts HOME LAUNCH-AS-JSON TEXT`. */
import { homeAt } from "../../src/adapters/home/paths.ts";
import { shimProcesses } from "../../src/adapters/process/processes.ts";
import type { Launch } from "../../src/engine/ports/process.ts";

const [root = "", launch = "", text = ""] = process.argv.slice(2);
process.stdout.write(await shimProcesses({ home: homeAt(root) }).tell(JSON.parse(launch) as Launch, text));
