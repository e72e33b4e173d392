/** The acknowledgement of an act: the same for the same key. */

import { Count, Text } from "./envelope.ts";

export const ACTED = { run: Text, from: Text, to: Text, seq: Count };
