/**
 * The page's server: sessions, one route for each use case of the page, changes as server-sent events, and the files of the page.
 *
 * Every request passes the guard. Every route needs a session, except the one that opens a session and the files of the page.
 */

import { Hono, type Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { setCookie } from "hono/cookie";
import { failureOf } from "../app/failure.ts";
import type { Invocation } from "../app/invocation.ts";
import { pageFiles } from "../app/page/host.ts";
import { requireHost } from "../app/page/host.ts";
import { routeOf, type PageRoute } from "../app/page/routes.ts";
import { performUntyped } from "../app/perform.ts";
import { addressOf, guard } from "./guard.ts";
import { sharedNews, streamNews } from "./news.ts";
import type { PageSession, Sessions } from "./sessions.ts";

const PROOF = "x-signalbox-proof";
const BODY_BYTES_MAX = 256 * 1024;
const COOKIES_MAX = 20;

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

export type PageServing = {
  readonly door: Invocation;
  readonly sessions: Sessions;
  readonly port: () => number;
  /** Whether a person can type a code: without a terminal the page only shows. */
  readonly canDecide: boolean;
  /** Carries out one decision; the terminal reports it and is free for a passphrase meanwhile. */
  readonly deciding?: <T extends { readonly message: string }>(
    what: string,
    work: () => Promise<T>,
  ) => Promise<T>;
  /** Ends streams when the server stops. */
  readonly signal: AbortSignal;
};

export function pageServer(on: PageServing): Hono {
  const app = new Hono();
  const news = sharedNews(on);
  app.use(guard(on.port));
  app.use(
    bodyLimit({
      maxSize: BODY_BYTES_MAX,
      onError: (context) => context.json({ code: "too-large", message: "The request is too large." }, 413),
    }),
  );
  app.post("/session", (context) => openSession(on, context));
  // Hono answers HEAD with the route of GET, and a stream that nothing reads would never end.
  app.get("/api/changes", (context) =>
    withSession(on, context, (session) =>
      context.req.method === "HEAD" ? context.notFound() : streamNews(context, news, session),
    ),
  );
  app.post("/api/:use", (context) => withSession(on, context, (session) => answer(on, context, session)));
  addFiles(app);
  app.notFound((context) => context.json({ code: "not-found", message: "There is no such page." }, 404));
  app.onError((error, context) => {
    complain(error.stack ?? error.message);
    return context.json({ code: "bug", message: "The server failed; its terminal says why." }, 500);
  });
  return app;
}

/** A message may quote a request: what could write to the terminal is left out. */
function complain(text: string): void {
  process.stderr.write(`signalbox serve: ${text.replaceAll(/[^\P{Cc}\n]/gu, "?")}\n`);
}

function addFiles(app: Hono): void {
  for (const [path, bytes] of pageFiles()) {
    const type = TYPES[path.split(".").at(-1) ?? ""] ?? "application/octet-stream";
    const send = (context: Context): Response =>
      context.body(new Uint8Array(bytes), 200, { "content-type": type });
    app.get(path, send);
    if (path === "/index.html") app.get("/", send);
  }
}

/** Cookies do not know ports: servers of several state homes must not overwrite each other's cookie. */
function cookieOf({ port }: PageServing): string {
  return `signalbox-${port()}`;
}

/** A page of another port can set a cookie of the same name for some path, and the browser sends that before ours. */
function cookiesIn(context: Context, name: string): readonly string[] {
  return (context.req.header("cookie") ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .slice(0, COOKIES_MAX);
}

/** The token has 256 bits, so nothing slows down a caller that guesses: a delay would only hold connections open. */
async function openSession(on: PageServing, context: Context): Promise<Response> {
  const body = await jsonOf(context);
  const token = typeof body === "object" && body !== null && "token" in body ? body.token : undefined;
  const opened = typeof token === "string" ? on.sessions.open(token) : undefined;
  if (opened === undefined)
    return context.json(
      {
        code: "bad-link",
        message:
          "The link was used before, or is not the latest. Press Enter in the terminal of signalbox serve for a new one.",
      },
      401,
    );
  setCookie(context, cookieOf(on), opened.cookie, { httpOnly: true, sameSite: "Strict", path: "/" });
  return context.json({ code: "ok", key: opened.key, instance: on.sessions.instance });
}

async function withSession(
  on: PageServing,
  context: Context,
  work: (session: PageSession) => Response | Promise<Response>,
): Promise<Response> {
  const proof = context.req.header(PROOF) ?? "";
  const origin = `http://${addressOf(on.port())}`;
  const session = cookiesIn(context, cookieOf(on))
    .map((cookie) => on.sessions.find({ cookie, proof, origin }))
    .find((found) => found !== undefined);
  if (session !== undefined) return work(session);
  return context.json(
    {
      code: "no-session",
      message: "Open the link that signalbox serve printed; Enter in its terminal prints a new one.",
      instance: on.sessions.instance,
    },
    401,
  );
}

async function answer(on: PageServing, context: Context, session: PageSession): Promise<Response> {
  const name = context.req.param("use") ?? "";
  const route = routeOf(name);
  if (route === undefined) return context.json({ code: "not-found", message: "There is no such call." }, 404);
  if (route.kind === "decide" && !on.sessions.mayDecide(session))
    return context.json(
      {
        code: "may-not-decide",
        message: "This page may not decide yet. Type its code into the terminal of signalbox serve first.",
      },
      403,
    );
  const input = await jsonOf(context);
  const fault = faultIn(route, input);
  if (fault !== undefined) return context.json({ code: "bad-usage", message: fault }, 400);
  try {
    // Agents outside runs may create runs by other doors; on a page, a person decides.
    if (route.kind === "decide") requireHost(on.door);
    const work = () => performUntyped(on.door, name, input);
    const { deciding = (_what, carryOut) => carryOut() } = on;
    const { stream: _none, ...outcome } = await (route.kind === "look"
      ? work()
      : deciding(sayDecision(name, input), work));
    return answerWith(context, outcome, 200);
  } catch (error) {
    const { exit, code, message, next, stack, data } = await failureOf(error, on.door);
    if (stack !== "") complain(stack);
    return answerWith(context, { exit, code, message, next, data: data() }, stack === "" ? 409 : 500);
  }
}

/** Control characters other than tab and line ends, and characters that turn the direction of a text. */
const HARMFUL =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/** Agents write texts and names of files: a line must not look like another one, here as at a terminal. */
function answerWith(context: Context, data: object, status: 200 | 409 | 500): Response {
  const text = JSON.stringify(data, (_key, value: unknown) =>
    typeof value === "string" ? value.replaceAll(HARMFUL, "\uFFFD") : value,
  );
  return context.body(text, status, { "content-type": "application/json" });
}

/** A call that names no run or project would mean the folder in which the server runs. */
function faultIn({ fields }: PageRoute, input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return "The body must be a JSON object.";
  const unknown = Object.keys(input).find((name) => !fields.includes(name));
  if (unknown !== undefined) return `${JSON.stringify(unknown)} is not a field of this call.`;
  const naming = ["run", "decision", "project"].find((name) => fields.includes(name));
  if (naming !== undefined && !(naming in input)) return `"${naming}" is missing.`;
  return undefined;
}

const PLAIN = /^[\w./-]{1,80}$/;

/** For the terminal: the verb and what it is about. What could write to a terminal is left out. */
function sayDecision(name: string, input: unknown): string {
  const field = (key: string): unknown =>
    typeof input === "object" && input !== null ? Reflect.get(input, key) : undefined;
  const about = ["run", "decision", "project"].map(field).find((value) => typeof value === "string");
  return typeof about === "string" && PLAIN.test(about) ? `${name} ${about}` : name;
}

async function jsonOf(context: Context): Promise<unknown> {
  if (!/^application\/json(?:;|$)/.test(context.req.header("content-type") ?? "")) return undefined;
  try {
    const data: unknown = await context.req.json();
    return data;
  } catch {
    // The caller answers that the body is not an object.
    return undefined;
  }
}
