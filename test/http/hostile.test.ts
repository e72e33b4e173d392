/** The server of the page against requests of programs and pages that must not reach it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { pageScene, type PageScene, type Secrets, type Sent } from "./page-server.ts";

let on: PageScene;
let [reader, decider]: Secrets[] = [];
let run = "";
beforeAll(async () => {
  on = await pageScene({
    limits: { headersTimeout: 300, requestTimeout: 400, connectionsCheckingInterval: 50 },
  });
  run = await on.on.taskIn("planning");
  [reader, decider] = [on.opened(), on.decider()];
});
afterAll(() => on.end());

const NONE: Secrets = { cookie: "", key: "" };
const own = (secrets: Secrets = reader ?? NONE): Record<string, string> => ({ ...on.own(secrets) });
const deciding = (): Record<string, string> => own(decider);
const without = (name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(own()).filter(([key]) => key !== name));
const at = (path: string, body: unknown, headers = own()): Sent => ({
  path,
  headers,
  body: typeof body === "string" ? body : JSON.stringify(body),
});
const get = (path: string, headers: Record<string, string> = without("origin")): Sent => ({
  method: "GET",
  path,
  headers,
});

test("a page with its session is answered, also where another page has set a cookie of that name", async () => {
  expect(await on.send({ headers: own() })).toMatchObject({ status: 200 });
  const name = `signalbox-${on.port}`;
  const cookie = `${name}=of-another-page; ${name}=${reader?.cookie ?? ""}`;
  expect(await on.send({ headers: { ...own(), cookie } })).toMatchObject({ status: 200 });
});

test("a text that turns its direction or writes to a terminal is shown as it is", async () => {
  const [text, seen] = ["a\u202Etxt.exe\u2066\u001B[2J\u0085b", "a\uFFFDtxt.exe\uFFFD\uFFFD[2J\uFFFDb"];
  const named = await on.on.taskIn("planning");
  expect((await on.on.say(["update", named, "--summary", text])).code).toBe(0);
  for (const [path, body] of [
    ["/api/show", { run: named }],
    ["/api/list", { limit: 5 }],
    ["/api/show", { run: text }],
  ] as const) {
    const answer = await on.send(at(path, body));
    expect(answer.headers["content-type"]).toContain("application/json");
    expect(JSON.stringify(JSON.parse(answer.text))).toContain(seen);
    expect(answer.text).not.toMatch(/[\u202E\u2066]|\\u001b|\\u0085/i);
  }
});

const HOSTILE: readonly (readonly [what: string, sent: () => Sent, status: number])[] = [
  // Who asks
  [
    "a program without a session",
    () => ({ headers: { ...without("cookie"), "x-signalbox-proof": "" } }),
    401,
  ],
  [
    "the cookie alone, as a page on another port has it",
    () => ({ headers: without("x-signalbox-proof") }),
    401,
  ],
  ["the proof alone", () => ({ headers: without("cookie") }), 401],
  [
    "the cookie of one session with the proof of another",
    () => ({ headers: { ...own(), "x-signalbox-proof": deciding()["x-signalbox-proof"] ?? "" } }),
    401,
  ],
  [
    "the cookie of a server on another port",
    () => ({ headers: { ...own(), cookie: `signalbox-${on.port + 1}=${reader?.cookie ?? ""}` } }),
    401,
  ],
  [
    "the digest of a secret, as the state home has it",
    () => ({ headers: own({ cookie: "0".repeat(64), key: "0".repeat(64) }) }),
    401,
  ],
  ["news without a session", () => get("/api/changes", { host: own()["host"] ?? "" }), 401],
  ["a wrong link", () => at("/session", { token: "x".repeat(43) }), 401],
  ["a link that is no text", () => at("/session", { token: ["x"] }), 401],
  [
    "a link as a form sends it",
    () => at("/session", "token=x", { ...own(), "content-type": "application/x-www-form-urlencoded" }),
    401,
  ],
  // From where
  [
    "a name that resolves to this machine (DNS rebinding)",
    () => ({ headers: { ...own(), host: "evil.example", origin: "http://evil.example" } }),
    403,
  ],
  ["the same for a file of the page", () => get("/", { host: `evil.example:${on.port}` }), 403],
  ["our name with another port", () => ({ headers: { ...own(), host: "127.0.0.1:1" } }), 403],
  ["our name with a dot after it", () => ({ headers: { ...own(), host: `localhost.:${on.port}` } }), 403],
  ["another address of loopback", () => ({ headers: { ...own(), host: `127.0.0.2:${on.port}` } }), 403],
  ["a page of another site", () => ({ headers: { ...own(), origin: "https://evil.example" } }), 403],
  [
    "a page on another port of this machine",
    () => ({ headers: { ...own(), origin: "http://127.0.0.1:3000" } }),
    403,
  ],
  [
    "the name localhost, which may be another address",
    () => ({ headers: { ...own(), host: `localhost:${on.port}`, origin: `http://localhost:${on.port}` } }),
    403,
  ],
  [
    "our origin with another scheme",
    () => ({ headers: { ...own(), origin: `https://127.0.0.1:${on.port}` } }),
    403,
  ],
  ["a sandboxed frame", () => ({ headers: { ...own(), origin: "null" } }), 403],
  ["a form without an Origin", () => ({ headers: without("origin") }), 403],
  [
    "a navigation from another site",
    () => get("/", { ...without("origin"), "sec-fetch-site": "cross-site" }),
    403,
  ],
  [
    "a page of the same site, on another port",
    () => ({ headers: { ...own(), "sec-fetch-site": "same-site" } }),
    403,
  ],
  [
    "news for a page on another port",
    () => get("/api/changes", { ...own(), origin: "http://127.0.0.1:3000" }),
    403,
  ],
  [
    "a preflight of another site",
    () => ({
      method: "OPTIONS",
      headers: { ...own(), origin: "https://evil.example", "access-control-request-method": "POST" },
    }),
    403,
  ],
  [
    "a preflight in our name",
    () => ({ method: "OPTIONS", headers: { ...own(), "access-control-request-method": "POST" } }),
    404,
  ],
  // What it sends
  ["a form's content type", () => ({ headers: { ...own(), "content-type": "text/plain" } }), 400],
  ["no content type", () => ({ headers: without("content-type") }), 400],
  [
    "a type that only begins like JSON",
    () => ({ headers: { ...own(), "content-type": "application/jsonp" } }),
    400,
  ],
  ["a body that is not JSON", () => at("/api/inbox", "{"), 400],
  ["a body that is a list", () => at("/api/inbox", []), 400],
  ["a body that is null", () => at("/api/inbox", null), 400],
  ["a body of a megabyte", () => at("/api/inbox", { x: "x".repeat(1 << 20) }), 413],
  [
    "the same in chunks",
    () => at("/api/inbox", { x: "x".repeat(1 << 20) }, { ...own(), "transfer-encoding": "chunked" }),
    413,
  ],
  ["a field that the page has not", () => at("/api/list", { limit: 5, repo: "/etc" }), 400],
  ["a field of the prototype", () => at("/api/list", '{"limit":5,"__proto__":{"repo":"/etc"}}'), 400],
  [
    "a delivery beside a decision",
    () => at("/api/accept", { run, delivery: { allowUndo: true } }, deciding()),
    400,
  ],
  ["a call that names no run", () => at("/api/show", {}), 400],
  ["a new run without a project", () => at("/api/create", { summary: "x" }, deciding()), 400],
  ["a field of another type", () => at("/api/show", { run: 7 }), 409],
  ["an endless limit", () => at("/api/list", { limit: 1e308 }), 409],
  ["a run that does not exist", () => at("/api/show", { run: "zzzz" }), 409],
  ["a path instead of a run", () => at("/api/show", { run: "../../etc/passwd" }), 409],
  [
    "a path instead of a project",
    () => at("/api/create", { project: "/etc", summary: "x" }, deciding()),
    409,
  ],
  ["a path instead of a check", () => at("/api/logs", { run, check: "../../../etc/passwd" }), 409],
  [
    "a project with an option for its name",
    () => at("/api/create", { project: "--param", summary: "x" }, deciding()),
    409,
  ],
  ["a decision about an earlier state", () => at("/api/cancel", { run, entry: 0 }, deciding()), 409],
  // What it wants
  ["a decision of a session that may only look", () => at("/api/cancel", { run }), 403],
  ["a use case that is no route", () => at("/api/trust", {}, deciding()), 404],
  ["a use case that submits", () => at("/api/submit", {}, deciding()), 404],
  ["a name of an object's own", () => at("/api/constructor", {}, deciding()), 404],
  ["a use case in another spelling", () => at("/api/Cancel", { run }, deciding()), 404],
  ["a use case with a slash after it", () => at("/api/cancel/", { run }, deciding()), 404],
  ["a use case with an encoded slash", () => at("/api/show%2fx", { run }, deciding()), 404],
  ["a decision as GET", () => get(`/api/cancel?run=${run}`, deciding()), 404],
  ["a decision as PUT", () => ({ ...at("/api/cancel", { run }, deciding()), method: "PUT" }), 404],
  [
    "news as HEAD, which nothing would read",
    () => ({ method: "HEAD", path: "/api/changes", headers: own() }),
    404,
  ],
  ["a decision hidden in a HEAD", () => ({ method: "HEAD", path: "/api/cancel", headers: deciding() }), 404],
  [
    "a method that a header replaces",
    () => ({
      ...get("/api/cancel", deciding()),
      headers: { ...deciding(), "x-http-method-override": "POST" },
    }),
    404,
  ],
  ["a file outside of the page", () => get("/../package.json"), 404],
  ["the same, encoded", () => get("/%2e%2e/package.json"), 404],
  ["the same, encoded twice", () => get("/assets/%252e%252e/%252e%252e/package.json"), 404],
  ["a file with a zero byte in its name", () => get("/index.html%00.js"), 404],
  ["sessions of the state home", () => get("/page-sessions.json"), 404],
  ["an encoding that is none", () => get("/%"), 404],
];

test.for(HOSTILE)("%s", async ([, sent, status]) => {
  const before = await on.on.stateOf(run);
  const got = await on.send(sent());
  expect(got.status).toBe(status);
  expect(Object.keys(got.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  expect(got.headers["content-security-policy"]).toContain("default-src 'none'");
  expect(got.headers["x-content-type-options"]).toBe("nosniff");
  expect(got.headers["cache-control"]).toBe("no-store");
  expect(got.headers["set-cookie"]).toBeUndefined();
  expect(got.text).not.toMatch(/\bat .*\.(ts|cjs):\d+|root:|"devDependencies"/);
  expect(await on.on.stateOf(run)).toBe(before);
});

const LINE = "POST /api/inbox HTTP/1.1\r\n";
const headers = (more = ""): string => {
  const all = { ...own(), connection: "close" };
  return `${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}${more}`;
};

/** Bytes that no client library sends. The status, or "" where the server only closes the connection. */
const RAW: readonly (readonly [what: string, bytes: () => string, status: string])[] = [
  ["no Host", () => `${LINE}${headers().replace(/host: .*\r\n/, "")}content-length: 2\r\n\r\n{}`, "400"],
  ["two Hosts", () => `${LINE}${headers("Host: evil.example\r\n")}content-length: 2\r\n\r\n{}`, "403"],
  [
    "our name with a user before it",
    () => `GET / HTTP/1.1\r\nhost: x@127.0.0.1:${on.port}\r\nconnection: close\r\n\r\n`,
    "400",
  ],
  [
    "a path with backslashes",
    () =>
      `GET /assets\\..\\..\\package.json HTTP/1.1\r\nhost: 127.0.0.1:${on.port}\r\nconnection: close\r\n\r\n`,
    "400",
  ],
  ["HTTP/1.0 without a Host", () => "GET / HTTP/1.0\r\n\r\n", "400"],
  [
    "a whole address as the target",
    () => `GET http://evil.example/ HTTP/1.1\r\nhost: 127.0.0.1:${on.port}\r\nconnection: close\r\n\r\n`,
    "403",
  ],
  [
    "a whole address with a user in it",
    () =>
      `GET http://x@127.0.0.1:${on.port}/ HTTP/1.1\r\nhost: 127.0.0.1:${on.port}\r\nconnection: close\r\n\r\n`,
    "403",
  ],
  [
    "a whole address of another scheme",
    () =>
      `GET https://127.0.0.1:${on.port}/ HTTP/1.1\r\nhost: 127.0.0.1:${on.port}\r\nconnection: close\r\n\r\n`,
    "403",
  ],
  ["two lengths", () => `${LINE}${headers("content-length: 2\r\ncontent-length: 30\r\n")}\r\n{}`, "400"],
  [
    "a length and chunks (smuggling)",
    () => `${LINE}${headers("content-length: 2\r\ntransfer-encoding: chunked\r\n")}\r\n0\r\n\r\n`,
    "400",
  ],
  [
    "a header with a line break in its value",
    () => `${LINE}${headers("x-note: a\rset-cookie: b\r\n")}content-length: 2\r\n\r\n{}`,
    "400",
  ],
  [
    "a path with a line break",
    () => `GET /x%0d%0aset-cookie:a=b HTTP/1.1\r\nhost: 127.0.0.1:${on.port}\r\nconnection: close\r\n\r\n`,
    "404",
  ],
  ["headers of 100 kB", () => `${LINE}${headers(`x-long: ${"x".repeat(100_000)}\r\n`)}\r\n`, "431"],
  ["a tunnel", () => `CONNECT evil.example:80 HTTP/1.1\r\nhost: 127.0.0.1:${on.port}\r\n\r\n`, ""],
  [
    "a websocket without a session",
    () =>
      `GET /api/changes HTTP/1.1\r\nhost: 127.0.0.1:${on.port}\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: x\r\n\r\n`,
    "401",
  ],
  [
    "a websocket of a page on another port",
    () =>
      `GET /api/changes HTTP/1.1\r\nhost: 127.0.0.1:${on.port}\r\norigin: http://127.0.0.1:3000\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n`,
    "403",
  ],
  ["headers that never end", () => `${LINE}host: 127.0.0.1:${on.port}\r\nx-a: `, "408"],
  ["a body that never comes", () => `${LINE}${headers()}content-length: 20\r\n\r\n{`, "408"],
  ["bytes of another protocol", () => "\u0016\u0003\u0001\u0002\u0000\u0001", "400"],
];

test.for(RAW)("as bytes: %s", async ([, bytes, status]) => {
  const got = await on.raw(bytes());
  expect(/^HTTP\/1\.1 (\d+)/.exec(got)?.[1] ?? "").toBe(status);
  expect(got).not.toMatch(/^set-cookie:/im);
  expect(await on.send({ headers: own() })).toMatchObject({ status: 200 });
});

test("wrong links do not slow down the right one", async () => {
  const guesses = Array.from({ length: 200 }, () => on.send(at("/session", { token: "x".repeat(43) })));
  const token = on.sessions.newLinkToken();
  const right = await on.send(at("/session", { token }));
  expect(right.status).toBe(200);
  expect(right.headers["set-cookie"]).toEqual([
    expect.stringMatching(/^signalbox-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
  ]);
  expect((await on.send(at("/session", { token }))).status).toBe(401);
  expect(new Set((await Promise.all(guesses)).map(({ status }) => status))).toEqual(new Set([401]));
});
