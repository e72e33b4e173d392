/** Every property draws from the seed of this run. */

import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["SIGNALBOX_SEED"]) });
