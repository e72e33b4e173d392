/** The protocol's own inspector agrees. Deep tier: it is installed for this, where packages can be. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFailed, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { NODE, PROGRAM, scene } from "./support.ts";

const PACKAGE = "@modelcontextprotocol/inspector@2.12.0";
const inspector = process.env["SIGNALBOX_DEEP"] === undefined ? "" : installed();

/** Without its scripts; empty where packages cannot be had. */
function installed(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "signalbox-inspector-"));
  try {
    execFileSync(
      "npm",
      ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", PACKAGE],
      {
        stdio: "ignore",
        timeout: 180_000,
      },
    );
  } catch {
    return "";
  }
  const file = join(folder, "node_modules/.bin/mcp-inspector");
  return existsSync(file) ? file : "";
}

test.runIf(isPerson && inspector !== "")(
  "its command line lists tools and calls them",
  { timeout: 120_000 },
  async () => {
    const on = await scene();
    const voice = await on.voice("worker");
    const ask = (...rest: readonly string[]): { code: number | null; said: Record<string, unknown> } => {
      const variables = Object.entries(voice)
        .filter(([name]) => name.startsWith("SIGNALBOX_"))
        .flatMap(([name, value]) => ["-e", `${name}=${value}`]);
      const argv = [inspector, "--cli", ...variables, NODE, PROGRAM, "mcp", ...rest];
      const { status, stdout, stderr } = spawnSync(NODE, argv, {
        cwd: on.workspace,
        env: voice,
        encoding: "utf8",
      });
      onTestFailed(() => console.log(stderr));
      return { code: status, said: JSON.parse(stdout) as Record<string, unknown> };
    };
    expect(ask("--method", "tools/list").said["tools"]).toMatchObject(
      ["get_task", "next", "read_context", "submit_artifact", "ask_questions", "update_status"].map(
        (name) => ({ name }),
      ),
    );
    expect(ask("--method", "tools/call", "--tool-name", "get_task").said).toMatchObject({
      structuredContent: { role: "worker", state: "planning" },
    });
    const plan = ["--tool-arg", "artifact=plan", "--tool-arg", "content=APPROACH: one line"];
    expect(ask("--method", "tools/call", "--tool-name", "submit_artifact", ...plan).code).toBe(0);
    const refused = ask(
      "--method",
      "tools/call",
      "--tool-name",
      "update_status",
      "--tool-arg",
      "status=done",
    );
    expect(refused.said).toMatchObject({ isError: true, structuredContent: { ok: false, exit: 4 } });
  },
);
