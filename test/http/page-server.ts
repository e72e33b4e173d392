/** A server of the page over a state home with tasks, sessions of each kind, and requests as any program can send them. */

import { request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { pageServer } from "../../src/http/server.ts";
import { listen } from "../../src/http/listen.ts";
import { proofOf, sessionsOf, type Sessions } from "../../src/http/sessions.ts";
import { taskScene, type Tasks } from "../cli/task-support.ts";
import { removeHomes } from "../support/home.ts";
import { AT_HOME } from "../support/procs.ts";

/** What a browser has of a session. */
export type Secrets = { readonly cookie: string; readonly key: string };

export type PageScene = {
  readonly on: Tasks;
  readonly sessions: Sessions;
  readonly port: number;
  /** Method and path of each route. */
  readonly routes: readonly string[];
  /** The time of sessions goes on by this. */
  readonly later: (ms: number) => void;
  readonly opened: () => Secrets;
  readonly decider: () => Secrets;
  /** What our page sends with a call. */
  readonly own: (secrets: Secrets) => Readonly<Record<string, string>>;
  readonly send: (sent: Sent) => Promise<Got>;
  /** Sends these bytes and gives all that comes back until the server closes the connection. */
  readonly raw: (text: string) => Promise<string>;
  readonly end: () => void;
};

export type Sent = {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Only the head of the answer is waited for. */
  readonly isEndless?: boolean;
};

type Got = {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
};

/** `env`: variables of the process that serves, beside those of a person. */
export async function pageScene({
  canDecide = true,
  env = {},
  limits = {},
}: {
  readonly canDecide?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Parameters<typeof listen>[2];
} = {}): Promise<PageScene> {
  const on = await taskScene();
  let now = 1_000_000_000_000;
  const sessions = sessionsOf(join(on.root, "page-sessions.json"), () => now);
  const door = {
    cwd: on.repo,
    home: on.root,
    env: { ...on.env, ...env },
    procs: AT_HOME,
    startSupervisor: () => undefined,
  };
  const ended = new AbortController();
  let port = 0;
  const app = pageServer({ door, sessions, port: () => port, canDecide, signal: ended.signal });
  const listening = await listen(app, 0, limits);
  const { server } = listening;
  port = listening.port;
  const origin = `http://127.0.0.1:${port}`;
  const proved = (key: string): string =>
    key === "" ? "" : proofOf(key, { instance: sessions.instance, origin });
  const opened = (): Secrets => {
    const session = sessions.open(sessions.newLinkToken());
    if (session === undefined) throw new Error("the link opens no session");
    return session;
  };
  return {
    on,
    sessions,
    port,
    routes: app.routes.map(({ method, path }) => `${method} ${path}`),
    later: (ms) => void (now += ms),
    opened,
    decider: () => {
      const secrets = opened();
      const session = sessions.find({ cookie: secrets.cookie, proof: proved(secrets.key), origin });
      if (session !== undefined) sessions.enterCode(sessions.code(session));
      return secrets;
    },
    own: ({ cookie, key }) => ({
      host: `127.0.0.1:${port}`,
      origin,
      "content-type": "application/json",
      cookie: `signalbox-${port}=${cookie}`,
      "x-signalbox-proof": proved(key),
      "sec-fetch-site": "same-origin",
    }),
    send: (sent) => sendTo(port, sent),
    raw: (text) => rawTo(port, text),
    end: () => {
      ended.abort();
      server.closeAllConnections();
      server.close();
      removeHomes();
    },
  };
}

function sendTo(
  port: number,
  { method = "POST", path = "/api/inbox", headers = {}, body = "{}", isEndless = false }: Sent,
): Promise<Got> {
  const hasBody = method !== "GET" && method !== "HEAD";
  const sized =
    hasBody && headers["transfer-encoding"] === undefined
      ? { ...headers, "content-length": String(Buffer.byteLength(body)) }
      : headers;
  return new Promise((done, fail) => {
    const about = { host: "127.0.0.1", port, method, path, headers: sized, agent: false };
    const sent = request(about, (response) => {
      let text = "";
      const got = (): void => done({ status: response.statusCode ?? 0, headers: response.headers, text });
      if (isEndless) {
        got();
        sent.destroy();
        return;
      }
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("end", got);
      response.on("error", fail);
    });
    sent.on("error", fail);
    sent.end(hasBody ? body : undefined);
  });
}

function rawTo(port: number, text: string): Promise<string> {
  return new Promise((done) => {
    let got = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("utf8").on("data", (part: string) => (got += part));
    // A reset is an end, too.
    socket.on("error", () => undefined);
    socket.on("close", () => done(got));
  });
}
