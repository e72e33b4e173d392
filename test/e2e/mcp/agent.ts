/** An agent that knows nothing but the protocol: it starts `signalbox mcp` by its name, as any program would, and does what its role has to. */
import { appendFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
const client = new Client({ name: "agent", version: "1" });
await client.connect(new StdioClientTransport({ command: "signalbox", args: ["mcp"], env }));

async function call(
  name: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> {
  const { structuredContent, isError } = await client.callTool({ name, arguments: given });
  console.log(name, JSON.stringify(structuredContent));
  if (isError === true) process.exit(1);
  return structuredContent as Record<string, unknown>;
}

const { role, state } = await call("get_task");
if (role === "reviewer")
  await call("create_review", { verdict: "PASS", summary: "One line, and it is right." });
else if (state === "planning") {
  await call("submit_artifact", { artifact: "plan", content: "APPROACH: one line\n" });
  await call("update_status", { status: "working" });
  appendFileSync("README.md", "One line.\n");
  await call("submit_artifact", { artifact: "handoff", content: "DONE: one line\n" });
  await call("update_status", { status: "agent-review" });
}
await client.close();
