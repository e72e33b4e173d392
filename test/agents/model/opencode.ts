/** OpenCode: the chat completions of OpenAI, which any provider can speak. */

import * as z from "zod/mini";
import type { Dialect, Step, Turn } from "./dialect.ts";

const Content = z.union([z.string(), z.array(z.object({ text: z.optional(z.string()) }))]);
const Body = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.optional(z.nullable(Content)) })),
  tools: z.optional(z.array(z.unknown())),
});
const BY: Readonly<Record<string, Turn["by"]>> = { user: "user", assistant: "model", tool: "tool" };

export const opencode: Dialect = {
  path: /^\/v1\/chat\/completions$/,
  turns(body) {
    const { messages, tools = [] } = Body.parse(body);
    if (tools.length === 0) return undefined;
    return messages.flatMap(({ role, content }) => {
      const by = BY[role];
      return by === undefined ? [] : [{ by, text: textOf(content) }];
    });
  },
  answer(step) {
    const chunk = { id: crypto.randomUUID(), object: "chat.completion.chunk", created: 0, model: "mock" };
    const said = (delta: object, reason: string | null) => ({
      data: { ...chunk, choices: [{ index: 0, delta, finish_reason: reason }] },
    });
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    return [
      said({ role: "assistant", ...deltaOf(step) }, null),
      said({}, step.type === "say" ? "stop" : "tool_calls"),
      { data: { ...chunk, choices: [], usage } },
      { data: "[DONE]" },
    ];
  },
};

function textOf(content: z.infer<typeof Content> | null | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text = "" }) => text).join("\n");
}

function deltaOf(step: Step): object {
  if (step.type === "say") return { content: step.text };
  const [name, input] =
    step.type === "run"
      ? ["bash", { command: step.command, description: "Do it" }]
      : ["write", { filePath: step.path, content: step.text }];
  const call = { name, arguments: JSON.stringify(input) };
  return { tool_calls: [{ index: 0, id: crypto.randomUUID(), type: "function", function: call }] };
}
