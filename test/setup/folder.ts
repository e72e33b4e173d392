/** One folder for everything that the tests make, and nothing of it is left. */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function setup(): () => void {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "signalbox-tests-"));
  process.env["TMPDIR"] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
