/** Codex: the Responses protocol of OpenAI. */

import * as z from "zod/mini";
import { writingCommand, type Dialect, type Part, type Step, type Turn } from "./dialect.ts";

const Content = z.union([z.string(), z.array(z.object({ text: z.optional(z.string()) }))]);
const Item = z.object({
  type: z.optional(z.string()),
  role: z.optional(z.string()),
  content: z.optional(z.nullable(Content)),
  output: z.optional(Content),
});
const Body = z.object({ input: z.array(Item), tools: z.optional(z.array(z.unknown())) });

export const codex: Dialect = {
  path: /^\/v1\/responses$/,
  turns(body) {
    const { input, tools = [] } = Body.parse(body);
    return tools.length === 0 ? undefined : input.flatMap(turnsOf);
  },
  answer(step) {
    const response = { id: `resp_${crypto.randomUUID()}`, object: "response", model: "mock", output: [] };
    const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
    return [
      named("response.created", { response: { ...response, status: "in_progress" } }),
      named("response.output_item.done", { output_index: 0, item: itemOf(step) }),
      named("response.completed", { response: { ...response, status: "completed", usage } }),
    ];
  },
};

function turnsOf({ type = "message", role, content, output }: z.infer<typeof Item>): readonly Turn[] {
  if (type.endsWith("_output")) return [{ by: "tool", text: textOf(output) }];
  if (type !== "message" || role === "assistant") return [{ by: "model", text: textOf(content) }];
  return role === "user" ? [{ by: "user", text: textOf(content) }] : [];
}

function textOf(content: z.infer<typeof Content> | null | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text = "" }) => text).join("\n");
}

function itemOf(step: Step): object {
  const id = crypto.randomUUID();
  if (step.type === "say")
    return {
      type: "message",
      id: `msg_${id}`,
      role: "assistant",
      content: [{ type: "output_text", text: step.text }],
    };
  const cmd = step.type === "run" ? step.command : writingCommand(step.path, step.text);
  return {
    type: "function_call",
    id: `fc_${id}`,
    call_id: `call_${id}`,
    name: "exec_command",
    arguments: JSON.stringify({ cmd, yield_time_ms: 30_000 }),
  };
}

function named(type: string, data: object): Part {
  return { event: type, data: { type, ...data } };
}
