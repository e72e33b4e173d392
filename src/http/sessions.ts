/**
 * Who may use the page: a link opens one session, and a person at the terminal allows a session to decide.
 *
 * A session has a cookie and a key. Browsers send a cookie to every port of a host, so another program on this machine can receive it.
 * The key is in the browser's `localStorage`, which belongs to our port. The page receives the key once and never sends it. Each request
 * carries a proof: an HMAC of the server's `instance` and the page's origin, made with the key. A program that listens on our port while
 * the server is down therefore receives only proofs that the next server refuses.
 * Sessions survive a restart of the server; the right to decide does not.
 */

import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

const DAY_MS = 86_400_000;
const SESSION_MS = 30 * DAY_MS;
const SESSIONS_MAX = 20;
const HOUR_MS = 3_600_000;
const DECIDE_HOURS = 12;
const CODE_MS = 600_000;
const CODE_TRIES = 5;
/** Without characters that look alike, such as 0 and O. */
const CODE_CHARACTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
const CODE_LENGTH = 8;
const PRIVATE = 0o600;

export type PageSession = {
  /** The SHA-256 of the cookie, not the cookie itself. */
  readonly cookie: string;
  /** In plain text: the server computes the proof from it, too. */
  readonly key: string;
  /** When it was opened, in milliseconds since 1970. */
  readonly since: number;
  /** Milliseconds since 1970; 0 where no person has allowed it to decide. */
  decidesUntil: number;
};

type DecisionCode = { readonly text: string; readonly session: PageSession; readonly until: number };

type OpenedSession = { readonly cookie: string; readonly key: string };

export type Sessions = {
  /** Random for each start of the server, and public: a proof is valid for one instance. */
  readonly instance: string;
  /** Makes the token of a new link; the link before it becomes void. */
  newLinkToken(): string;
  /** Opens a session with the token of the link. A token works once. */
  open(token: string): OpenedSession | undefined;
  /** `origin` is the address of the page: a proof made for another port is invalid. */
  find(of: {
    readonly cookie: string;
    readonly proof: string;
    readonly origin: string;
  }): PageSession | undefined;
  /** False if the session has expired, or was dropped because newer sessions reached the limit. */
  isOpen(session: PageSession): boolean;
  mayDecide(session: PageSession): boolean;
  /** The code that the page shows, and that a person types at the terminal to let this session decide. */
  code(session: PageSession): string;
  /** Checks a code that a person typed at the terminal, and returns the sentence to print. */
  enterCode(text: string): string;
};

export function sessionsOf(file: string, now: () => number = Date.now): Sessions {
  const instance = secret();
  let linkDigest = "";
  let codes: readonly DecisionCode[] = [];
  let tries = 0;
  let sessions: readonly PageSession[] = kept(file, now());

  const keep = (): void => {
    const text = JSON.stringify(sessions.map(({ decidesUntil: _until, ...session }) => session));
    // `wx` refuses an existing file, so the keys never go into a file that another program created.
    rmSync(`${file}.new`, { force: true });
    writeFileSync(`${file}.new`, text, { mode: PRIVATE, flag: "wx" });
    renameSync(`${file}.new`, file);
  };

  const isOpen = (session: PageSession): boolean =>
    sessions.includes(session) && now() - session.since < SESSION_MS;

  return {
    instance,
    newLinkToken() {
      const token = secret();
      linkDigest = digest(token);
      return token;
    },
    open(token) {
      if (linkDigest === "" || !isSame(digest(token), linkDigest)) return undefined;
      linkDigest = "";
      const [cookie, key] = [secret(), secret()];
      const session = { cookie: digest(cookie), key, since: now(), decidesUntil: 0 };
      sessions = [...sessions, session].slice(-SESSIONS_MAX);
      keep();
      return { cookie, key };
    },
    find({ cookie, proof, origin }) {
      const given = digest(cookie);
      const found = sessions.find(
        (session) =>
          isSame(session.cookie, given) && isSame(proofOf(session.key, { instance, origin }), proof),
      );
      return found !== undefined && isOpen(found) ? found : undefined;
    },
    isOpen,
    mayDecide: (session) => isOpen(session) && now() < session.decidesUntil,
    code(session) {
      const open = codes.find((code) => code.session === session && now() < code.until);
      if (open !== undefined) return open.text;
      const text = Array.from(
        { length: CODE_LENGTH },
        () => CODE_CHARACTERS[randomInt(CODE_CHARACTERS.length)],
      ).join("");
      codes = [
        ...codes.filter((code) => code.session !== session && now() < code.until),
        { text, session, until: now() + CODE_MS },
      ];
      return text;
    },
    enterCode(text) {
      const typed = text.toUpperCase().replaceAll(/[\s-]/g, "");
      const found = codes.find((code) => isSame(code.text, typed) && now() < code.until);
      if (found === undefined) {
        tries += 1;
        if (tries < CODE_TRIES) return "No page shows this code. Look at the page again.";
        [codes, tries] = [[], 0];
        return "No page shows this code. All codes are void now: the page shows a new one.";
      }
      codes = codes.filter((code) => code !== found);
      tries = 0;
      found.session.decidesUntil = now() + DECIDE_HOURS * HOUR_MS;
      const since = new Date(found.session.since).toTimeString().slice(0, 5);
      return `The page that was opened at ${since} may decide for ${DECIDE_HOURS} hours, as you. To end that, stop the server.`;
    },
  };
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The page computes the same value (src/web/api.ts). */
export function proofOf(
  key: string,
  { instance, origin }: { readonly instance: string; readonly origin: string },
): string {
  return createHmac("sha256", key).update(`${instance} ${origin}`).digest("hex");
}

/** By digests: texts of the same number of characters may have different numbers of bytes. */
function isSame(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

/** The sessions in the file. Where it cannot be read there are none, and people open a new link. */
function kept(file: string, now: number): readonly PageSession[] {
  try {
    const data: unknown = JSON.parse(readFileSync(file, "utf8"));
    const sessions = Array.isArray(data) ? data.filter(isKept) : [];
    return sessions.flatMap((session) =>
      now - session.since < SESSION_MS ? [{ ...session, decidesUntil: 0 }] : [],
    );
  } catch {
    // None was opened yet, or the file is damaged.
    return [];
  }
}

function isKept(value: unknown): value is Omit<PageSession, "decidesUntil"> {
  if (typeof value !== "object" || value === null) return false;
  const field = (name: string): unknown => Reflect.get(value, name);
  const isText = (text: unknown, form: RegExp): boolean => typeof text === "string" && form.test(text);
  const isSecret = isText(field("cookie"), /^[0-9a-f]{64}$/) && isText(field("key"), /^[\w-]{43}$/);
  return isSecret && typeof field("since") === "number";
}
