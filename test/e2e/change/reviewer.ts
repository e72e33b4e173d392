/** A reviewer that knows nothing but the protocol: it hands its review in with the tool `create_review`. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
const client = new Client({ name: "reviewer", version: "1" });
await client.connect(new StdioClientTransport({ command: "signalbox", args: ["mcp"], env }));
const results = { status: "PASS", total: 4, passed: 4, failed: 0 };
const issue = { severity: "LOW", title: "A name", description: "It could be shorter." };
const review = { verdict: "APPROVED", summary: "It does what the specs say.", issues: [issue] };
// One that contradicts itself is refused, and says why; so that it is handed in again.
const torn = await client.callTool({
  name: "create_review",
  arguments: { ...review, test_results: { ...results, passed: 3, failed: 1 } },
});
console.log(JSON.stringify(torn.structuredContent));
const { isError } = await client.callTool({
  name: "create_review",
  arguments: { ...review, test_results: results },
});
await client.close();
process.exit(isError === true || torn.isError !== true ? 1 : 0);
