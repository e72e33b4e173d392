/** The most memory that the command itself ever holds while it checks a product. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PROMPTS, productText } from "./product.ts";

const command = fileURLToPath(new URL("../../dist/signalbox.cjs", import.meta.url));
const REPORT =
  "data:text/javascript,process.on('exit', () => console.log(process.resourceUsage().maxRSS / 1024))";

export function peakMegabytes(max: number): number {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  try {
    mkdirSync(join(folder, "prompts"));
    writeFileSync(join(folder, "workflow.yaml"), productText(max));
    for (const [name, text] of Object.entries(PROMPTS))
      writeFileSync(join(folder, "prompts", `${name}.md`), text);
    const printed = execFileSync(
      process.execPath,
      ["--import", REPORT, command, "check", "--quiet", folder],
      { encoding: "utf8" },
    );
    return Number(printed.trim().split("\n").at(-1));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
