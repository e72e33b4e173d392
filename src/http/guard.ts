/** What every request must satisfy before anything looks at it, and the headers of every answer. */

import type { Context, MiddlewareHandler } from "hono";

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), clipboard-read=()",
  "cache-control": "no-store",
};

/** Where the page sends its request from, as the browser says. */
const SITES: ReadonlySet<string> = new Set(["same-origin", "none"]);

/** Not localhost: that may mean another address, on which any program can listen. */
export function addressOf(port: number): string {
  return `127.0.0.1:${port}`;
}

export function guard(port: () => number): MiddlewareHandler {
  return async (context, next) => {
    const reason = faultIn(context, port());
    if (reason === undefined) await next();
    else context.res = context.json({ code: "forbidden", message: reason }, 403);
    for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
  };
}

function faultIn({ req }: Context, port: number): string | undefined {
  const host = req.header("host") ?? "";
  if (host !== addressOf(port)) return `This server answers only as ${addressOf(port)}.`;
  // A request line may be a whole address: of another host, or with a user or a scheme that nothing here answers.
  if (!req.url.startsWith(`http://${host}/`)) return "The request names two hosts.";
  const origin = req.header("origin");
  if (origin !== undefined && origin !== `http://${host}`) return "The request comes from another page.";
  if (origin === undefined && req.method !== "GET")
    return "The request does not say which page it comes from.";
  const site = req.header("sec-fetch-site");
  if (site !== undefined && !SITES.has(site)) return "The request comes from another site.";
  return undefined;
}
