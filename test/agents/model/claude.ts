/** Claude Code: the Messages protocol of Anthropic. */

import * as z from "zod/mini";
import type { Dialect, Part, Step, Turn } from "./dialect.ts";

const Text = z.object({ type: z.literal("text"), text: z.string() });
const Result = z.object({
  type: z.literal("tool_result"),
  content: z.optional(z.union([z.string(), z.array(z.union([Text, z.object({ type: z.string() })]))])),
});
const Block = z.union([Text, Result, z.object({ type: z.string() })]);
const Body = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(Block)]) })),
  tools: z.optional(z.array(z.unknown())),
});
type Message = z.infer<typeof Body>["messages"][number];

export const claude: Dialect = {
  path: /^\/v1\/messages$/,
  turns(body) {
    const { messages, tools = [] } = Body.parse(body);
    return tools.length === 0 ? undefined : messages.flatMap(turnsOf);
  },
  answer(step) {
    const calls = step.type !== "say";
    const block = calls
      ? { type: "tool_use", id: `toolu_${crypto.randomUUID()}`, ...callOf(step) }
      : { type: "text", text: step.text };
    const open = calls ? { ...block, input: {} } : { type: "text", text: "" };
    const delta =
      "input" in block
        ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
        : { type: "text_delta", text: block.text };
    const usage = { input_tokens: 100, output_tokens: 20 };
    const message = {
      id: `msg_${crypto.randomUUID()}`,
      type: "message",
      role: "assistant",
      model: "mock",
      content: [],
      usage,
    };
    return [
      named("message_start", { message }),
      named("content_block_start", { index: 0, content_block: open }),
      named("content_block_delta", { index: 0, delta }),
      named("content_block_stop", { index: 0 }),
      named("message_delta", { delta: { stop_reason: calls ? "tool_use" : "end_turn" }, usage }),
      named("message_stop", {}),
    ];
  },
};

/** One message of a user may hold the results of tools and a text. */
function turnsOf({ role, content }: Message): readonly Turn[] {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const text = textOf(blocks);
  if (role === "assistant") return [{ by: "model", text }];
  const results = blocks.flatMap((block) => (Result.safeParse(block).success ? [Result.parse(block)] : []));
  const tools = results.map(({ content: said = "" }): Turn => ({
    by: "tool",
    text: typeof said === "string" ? said : textOf(said),
  }));
  return text === "" ? tools : [...tools, { by: "user", text }];
}

function textOf(blocks: readonly { readonly type: string }[]): string {
  return blocks.flatMap((block) => Text.safeParse(block).data?.text ?? []).join("\n");
}

function callOf(step: Exclude<Step, { type: "say" }>): { name: string; input: Record<string, string> } {
  if (step.type === "run") return { name: "Bash", input: { command: step.command, description: "Do it" } };
  return { name: "Write", input: { file_path: step.path, content: step.text } };
}

function named(type: string, data: object): Part {
  return { event: type, data: { type, ...data } };
}
