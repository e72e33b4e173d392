/** Calls to the server: the session of this browser, use cases, and news of runs. */

import type { DataOf, InputOf, UseName } from "../app/schemas.ts";
import { capitalised } from "./words.tsx";

/** Shared by all tabs of this port. A page of another port gets the cookie, and cannot read this. */
const KEY = "signalbox-key";
const RECONNECT_MS = 500;
/** The server sends something at least every 15 seconds; after this time the connection is dead. */
const SILENCE_MS = 40_000;

export type Rights = { readonly mayDecide: boolean; readonly canDecide: boolean; readonly code?: string };

export type CallReply<Data> =
  | { readonly ok: true; readonly data: Data; readonly message: string; readonly notes: readonly string[] }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly next: string };

/** What the server sends for a call. Page and server are of one version, so the data is what the declaration says. */
type Answered<Data> = {
  readonly code: string;
  readonly message: string;
  readonly next?: string;
  readonly notes?: readonly string[];
  readonly data: Data;
};

/** Exchanges the token of the link for a session. The token disappears from the address. Gives what is wrong with the link. */
export async function openSession(): Promise<string> {
  const token = location.hash.slice(1);
  if (!/^[\w-]{43}$/.test(token)) return "";
  history.replaceState(null, "", "/");
  try {
    const response = await fetch("/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    const body: unknown = await response.json();
    if (!isObject(body)) return "";
    if (response.ok && "key" in body) localStorage.setItem(KEY, String(body.key));
    return response.ok ? "" : String("message" in body ? body.message : "");
  } catch {
    return GONE;
  }
}

const GONE = "The server does not answer. Start it again: signalbox serve";

/** The start of the server that the page talks to, as the server says. */
let instance = "";

/**
 * Sends a request with a proof that the page has its key. The key itself is never sent: while the server is down, any program can
 * listen on its port. After a restart of the server the proof is another one.
 */
async function send(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, { ...init, headers: await headers() });
  if (response.status !== 401) return response;
  const body: unknown = await response.clone().json();
  const present = isObject(body) && "instance" in body ? String(body.instance) : "";
  if (present === "" || present === instance) return response;
  instance = present;
  return fetch(path, { ...init, headers: await headers() });
}

async function headers(): Promise<Record<string, string>> {
  const key = localStorage.getItem(KEY) ?? "";
  const proof = key === "" ? "" : await proofOf(key);
  return { "content-type": "application/json", "x-signalbox-proof": proof };
}

async function proofOf(key: string): Promise<string> {
  const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
  const how = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", bytes(key), how, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", imported, bytes(`${instance} ${location.origin}`));
  return [...new Uint8Array(signed)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function call<Name extends UseName>(
  use: Name,
  input: InputOf<Name>,
): Promise<CallReply<DataOf<Name>>> {
  try {
    const response = await send(`/api/${use}`, { method: "POST", body: JSON.stringify(input) });
    const answered: unknown = await response.json();
    if (!isAnswered<DataOf<Name>>(answered)) throw new Error("the server sent something else");
    const { code, message, next = "", notes = [], data } = answered;
    return response.ok && code === "ok"
      ? { ok: true, data, message, notes }
      : { ok: false, code, message: capitalised(message), next };
  } catch {
    // The server was stopped, or the machine sleeps.
    return { ok: false, code: "no-server", message: GONE, next: "" };
  }
}

export type NewsListener = {
  readonly onConnection: (connection: "open" | "no-session" | "no-server") => void;
  readonly onRights: (rights: Rights) => void;
  /** `undefined` where any run may have changed: after each new connection. */
  readonly onRuns: (runs: readonly string[] | undefined) => void;
};

/** Follows the news while the page is visible: a browser has few connections for all its tabs. */
export async function followNews(on: NewsListener): Promise<never> {
  for (;;) {
    await visible();
    const ended = new AbortController();
    const hide = (): void => {
      if (document.hidden) ended.abort();
    };
    document.addEventListener("visibilitychange", hide);
    try {
      const response = await send("/api/changes", { signal: ended.signal });
      if (response.status === 401) on.onConnection("no-session");
      else if (response.ok && response.body !== null) {
        on.onConnection("open");
        on.onRuns(undefined);
        await read(response.body, on, () => ended.abort());
      } else on.onConnection("no-server");
    } catch {
      // The page was hidden, the connection was silent for too long, or the server is gone.
      if (!ended.signal.aborted) on.onConnection("no-server");
    }
    document.removeEventListener("visibilitychange", hide);
    await new Promise((done) => setTimeout(done, RECONNECT_MS));
  }
}

function visible(): Promise<void> {
  return new Promise((done) => {
    if (!document.hidden) done();
    else document.addEventListener("visibilitychange", () => done(), { once: true });
  });
}

async function read(body: ReadableStream<Uint8Array>, on: NewsListener, end: () => void): Promise<void> {
  const [reader, decoder] = [body.getReader(), new TextDecoder()];
  let text = "";
  for (;;) {
    const silence = setTimeout(end, SILENCE_MS);
    const { done, value } = await reader.read();
    clearTimeout(silence);
    if (done) return;
    const messages = (text + decoder.decode(value, { stream: true })).split("\n\n");
    text = messages.pop() ?? "";
    for (const message of messages) hear(message, on);
  }
}

function hear(message: string, on: NewsListener): void {
  const [, event = ""] = /^event: (.+)$/m.exec(message) ?? [];
  const [, data = ""] = /^data: (.+)$/m.exec(message) ?? [];
  if (data === "") return;
  const news: unknown = JSON.parse(data);
  if (event === "rights" && isRights(news)) on.onRights(news);
  if (event === "runs" && Array.isArray(news)) on.onRuns(news.map(String));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isAnswered<Data>(value: unknown): value is Answered<Data> {
  return isObject(value) && "code" in value && "message" in value;
}

function isRights(value: unknown): value is Rights {
  return isObject(value) && "mayDecide" in value && "canDecide" in value;
}
