/**
 * A model on loopback that speaks the protocols of all four programs.
 *
 * It keeps nothing between requests but a list of what was asked: what it does next follows from the conversation.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import type { Conduct, Dialect, Refusal, Step, Turn } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

type Asked = { readonly program: string; readonly turns: readonly Turn[]; readonly step: Step | Refusal };

export type Model = {
  readonly url: string;
  /** Every request that belongs to an agent's work, in order. */
  readonly asked: readonly Asked[];
  /** Requests that the server could not answer: each is a mistake in a dialect. */
  readonly refused: readonly string[];
  close(): Promise<void>;
};

const DIALECTS: Readonly<Record<string, Dialect>> = { claude, codex, gemini, opencode };

export async function startModel(conduct: Conduct): Promise<Model> {
  const asked: Asked[] = [];
  const refused: string[] = [];
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const found = Object.entries(DIALECTS).find(([, { path }]) => path.test(pathname));
    const body = await text(request);
    if (request.method !== "POST" || found === undefined) {
      // Programs look whether the server is up, and for lists of models: they work without.
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    const [program, dialect] = found;
    try {
      const turns = dialect.turns(JSON.parse(body));
      const step = turns === undefined ? { type: "say" as const, text: "{}" } : conduct(turns);
      if (turns !== undefined) asked.push({ program, turns, step });
      if (step.type === "refuse") {
        response
          .writeHead(step.status, { "content-type": "application/json" })
          .end(JSON.stringify(step.body));
        return;
      }
      send(response, dialect, { step, isStream: !pathname.endsWith(":generateContent") });
    } catch (error) {
      refused.push(`${program} ${pathname}: ${String(error)}\n${body.slice(0, BODY_CHARACTERS)}`);
      response
        .writeHead(400, { "content-type": "application/json" })
        .end('{"error":{"message":"not understood"}}');
    }
  };
  const server = createServer((request, response) => void reply(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    refused,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const BODY_CHARACTERS = 2000;

function send(
  response: ServerResponse,
  dialect: Dialect,
  { step, isStream }: { readonly step: Step; readonly isStream: boolean },
): void {
  const parts = dialect.answer(step);
  if (!isStream) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(parts[0]?.data));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const { event, data } of parts) {
    const line = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${line}\n\n`);
  }
  response.end();
}
