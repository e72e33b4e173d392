/** Stores in databases of their own, and a wire between store and server that breaks where a test wants it. */

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { openPostgres, type PostgresOptions } from "../../src/adapters/postgres/open.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { DEFINITION, HASH } from "./store-entries.ts";

export async function openedAt(url: string, options?: PostgresOptions): Promise<Store> {
  const store = await openPostgres(url, options);
  onTestFinished(() => store.close());
  await store.commit([{ type: "define", hash: HASH, definition: DEFINITION }]);
  return store;
}

export type Wire = {
  /** Leads to the same database, over the wire. */
  readonly url: string;
  /** The next batch, which is one packet, breaks the connection: *before* the server gets it, or *after* it has answered the `COMMIT`. */
  breakCommit(when: "before" | "after"): void;
  /** How often it broke. */
  broken(): number;
  /** How many packets the client has sent. */
  packets(): number;
};

export async function wireTo(url: string): Promise<Wire> {
  const { hostname, port } = new URL(url);
  let wanted: "before" | "after" | undefined;
  let count = 0;
  let packets = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const up = connect(Number(port), hostname);
    let isAnswerLost = false;
    const cut = (): void => {
      count += 1;
      client.destroy();
      up.destroy();
    };
    for (const socket of [client, up]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        client.destroy();
        up.destroy();
      });
    }
    client.on("data", (bytes) => {
      packets += 1;
      const when = wanted;
      wanted = undefined;
      if (when === "before") {
        cut();
        return;
      }
      if (when === "after") isAnswerLost = true;
      up.write(bytes);
    });
    up.on("data", (bytes) => {
      if (!isAnswerLost) client.write(bytes);
      // The server says so when the transaction is on its disk.
      else if (bytes.includes("COMMIT\0")) cut();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the wire has no port");
  const over = new URL(url);
  over.port = String(address.port);
  return {
    url: over.href,
    breakCommit: (when) => {
      wanted = when;
    },
    broken: () => count,
    packets: () => packets,
  };
}
