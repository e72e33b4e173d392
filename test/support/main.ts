/** The command line as a process that runs these sources, for tests that cannot use what is built. */

import { main } from "../../src/cli/main.ts";

await main();
