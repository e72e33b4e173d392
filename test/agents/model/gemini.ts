/** Gemini CLI: the generateContent protocol of Google. */

import * as z from "zod/mini";
import type { Dialect, Step, Turn } from "./dialect.ts";

const Entry = z.object({
  text: z.optional(z.string()),
  functionResponse: z.optional(
    z.object({ response: z.optional(z.object({ output: z.optional(z.string()) })) }),
  ),
});
const Body = z.object({
  contents: z.array(z.object({ role: z.optional(z.string()), parts: z.array(Entry) })),
  tools: z.optional(z.array(z.unknown())),
});
type Content = z.infer<typeof Body>["contents"][number];

export const gemini: Dialect = {
  path: /^\/v1beta\/models\/[^/]+:(?:streamG|g)enerateContent$/,
  turns(body) {
    const { contents, tools = [] } = Body.parse(body);
    return tools.length === 0 ? undefined : contents.flatMap(turnsOf);
  },
  answer(step) {
    const content = { role: "model", parts: [partOf(step)] };
    const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };
    return [
      {
        data: {
          candidates: [{ content, finishReason: "STOP", index: 0 }],
          usageMetadata,
          modelVersion: "mock",
        },
      },
    ];
  },
};

function turnsOf({ role, parts }: Content): readonly Turn[] {
  const text = parts.flatMap((part) => part.text ?? []).join("\n");
  if (role === "model") return [{ by: "model", text }];
  const results = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
  const tools = results.map(({ response }): Turn => ({ by: "tool", text: response?.output ?? "" }));
  return text === "" ? tools : [...tools, { by: "user", text }];
}

function partOf(step: Step): object {
  if (step.type === "say") return { text: step.text };
  const id = crypto.randomUUID();
  if (step.type === "run")
    return { functionCall: { id, name: "run_shell_command", args: { command: step.command } } };
  return { functionCall: { id, name: "write_file", args: { file_path: step.path, content: step.text } } };
}
