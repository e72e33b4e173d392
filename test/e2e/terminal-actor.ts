/** A process of its own that acts: `node terminal-actor.ts HOME tell|kill|close LAUNCH-AS-JSON`. What it tells is "hello". */
import { homeAt } from "../../src/adapters/home/paths.ts";
import { shimProcesses } from "../../src/adapters/process/processes.ts";
import type { Launch } from "../../src/engine/ports/process.ts";

const [root = "", act = "", json = ""] = process.argv.slice(2);
const processes = shimProcesses({ home: homeAt(root) });
const launch = JSON.parse(json) as Launch;
if (act === "tell") await processes.tell(launch, "hello");
else if (act === "kill") await processes.kill(launch);
else await processes.close(launch.terminal?.session ?? "");
