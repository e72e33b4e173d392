/** The HTTP server on loopback: its port, and how long and how often a caller may hold connections. */

import { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { UserError } from "../app/failure.ts";

const PORT = 4747;
const CONNECTIONS_MAX = 256;

/** A caller that sends its request slowly holds its connection no longer than this. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 5000,
  keepAliveTimeout: 5000,
};

export type Listening = { readonly server: Server; readonly port: number };

/** The usual port, so that an open page finds a server that was started again; another one where a program has it. */
export async function listen(
  app: Hono,
  wanted: number | undefined,
  limits: Partial<typeof LIMITS> = {},
): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: { ...LIMITS, ...limits } });
  if (!(server instanceof Server)) throw new Error("the adapter made another kind of server");
  server.maxConnections = CONNECTIONS_MAX;
  for (const port of wanted === undefined ? [PORT, 0] : [wanted]) {
    const bound = await tryPort(server, port);
    if (bound !== undefined) return { server, port: bound };
  }
  throw new UserError("port-taken", `port ${wanted ?? PORT} is in use`, "signalbox serve --port 0");
}

function tryPort(server: Server, port: number): Promise<number | undefined> {
  return new Promise((done, fail) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      if (error.code === "EADDRINUSE" || error.code === "EACCES") done(undefined);
      else fail(error);
    };
    server.once("error", onError);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", onError);
      const address = server.address();
      done(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}
