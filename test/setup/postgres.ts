/** Where the one PostgreSQL server of a run of the tests lives. The first test that needs it starts it: see test/support/postgres.ts. */

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { serverIn } from "../../scripts/postgres.ts";
import { addressOf } from "../support/postgres.ts";

export function setup(): () => Promise<void> {
  const parent = mkdtempSync(join(dirname(tmpdir()), "signalbox-tests-"));
  // The server runs as another user.
  chmodSync(parent, 0o711);
  process.env["SIGNALBOX_TEST_POSTGRES"] = parent;
  return async () => {
    const started = join(parent, "started");
    if (existsSync(started)) {
      const { folder, port } = addressOf(readFileSync(started, "utf8"));
      await serverIn(folder, port).remove();
    }
    rmSync(parent, { recursive: true, force: true });
  };
}
