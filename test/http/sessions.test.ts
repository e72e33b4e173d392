/** Sessions of the page: the link, the proof, the code, and what survives a restart. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { proofOf, sessionsOf, type PageSession, type Sessions } from "../../src/http/sessions.ts";

const root = mkdtempSync(join(tmpdir(), "signalbox-sessions-"));
afterAll(() => rmSync(root, { recursive: true }));
const file = (name: string): string => join(root, name);
let now = 1_000_000_000_000;

const ORIGIN = "http://127.0.0.1:4747";

type Secrets = { readonly cookie: string; readonly key: string };

function find(door: Sessions, { cookie, key }: Secrets, origin = ORIGIN): PageSession | undefined {
  return door.find({ cookie, proof: proofOf(key, { instance: door.instance, origin }), origin });
}

function opened(door: Sessions): Secrets & { readonly session: PageSession } {
  const secrets = door.open(door.newLinkToken()) ?? { cookie: "", key: "" };
  const session = find(door, secrets);
  if (session === undefined) throw new Error("no session");
  return { ...secrets, session };
}

test("a link is used once, and a new one voids the one before it", () => {
  const door = sessionsOf(file("links.json"), () => now);
  const [first, second] = [door.newLinkToken(), door.newLinkToken()];
  expect(door.open(first)).toBeUndefined();
  expect(door.open(second)).toBeDefined();
  expect(door.open(second)).toBeUndefined();
  expect(door.open("")).toBeUndefined();
});

test("a session survives a restart of the server, its right to decide does not", () => {
  const before = sessionsOf(file("restart.json"), () => now);
  const { session, ...secrets } = opened(before);
  const code = before.code(session);
  before.enterCode(`${code.slice(0, 4)}-${code.slice(4)}`.toLowerCase());
  expect(before.mayDecide(session)).toBe(true);
  const after = sessionsOf(file("restart.json"), () => now);
  const again = find(after, secrets);
  expect(again !== undefined && !after.mayDecide(again)).toBe(true);
});

test("what the state home keeps of a session is for its owner only, and opens none", () => {
  symlinkSync(file("planted.json"), file("kept.json.new"));
  const door = sessionsOf(file("kept.json"), () => now);
  const { cookie } = opened(door);
  const text = readFileSync(file("kept.json"), "utf8");
  expect(text).not.toContain(cookie);
  expect(statSync(file("kept.json")).mode & 0o777).toBe(0o600);
  expect(existsSync(file("planted.json"))).toBe(false);
  const [kept] = JSON.parse(text) as Secrets[];
  expect(find(door, kept ?? { cookie: "", key: "" })).toBeUndefined();
});

test("a proof is for one start of the server and one port: a program that gets it has nothing later", () => {
  const before = sessionsOf(file("proof.json"), () => now);
  const { session: _session, ...secrets } = opened(before);
  const { cookie, key } = secrets;
  const after = sessionsOf(file("proof.json"), () => now);
  const old = { instance: before.instance, origin: ORIGIN };
  const other = { instance: after.instance, origin: "http://127.0.0.1:4748" };
  expect(after.find({ cookie, proof: proofOf(key, old), origin: ORIGIN })).toBeUndefined();
  expect(after.find({ cookie, proof: proofOf(key, other), origin: ORIGIN })).toBeUndefined();
  expect(after.find({ cookie, proof: key, origin: ORIGIN })).toBeUndefined();
  expect(find(after, secrets)).toBeDefined();
});

test("neither a session nor its right to decide lasts for ever", () => {
  const door = sessionsOf(file("late.json"), () => now);
  const { session, ...secrets } = opened(door);
  door.enterCode(door.code(session));
  const began = now;
  now += 13 * 3_600_000;
  expect(door.mayDecide(session)).toBe(false);
  now += 30 * 86_400_000;
  expect(find(door, secrets)).toBeUndefined();
  now = began;
});

test("the oldest of more than twenty sessions ends, with its right to decide", () => {
  const door = sessionsOf(file("many.json"), () => now);
  const { session } = opened(door);
  door.enterCode(door.code(session));
  for (let n = 0; n < 19; n += 1) opened(door);
  expect(door.mayDecide(session)).toBe(true);
  opened(door);
  expect(door.isOpen(session) || door.mayDecide(session)).toBe(false);
});

test("a code lets one session decide, once, and for ten minutes", () => {
  const door = sessionsOf(file("code.json"), () => now);
  const [one, other] = [opened(door).session, opened(door).session];
  const code = door.code(one);
  expect(door.code(one)).toBe(code);
  expect(door.code(other)).not.toBe(code);
  now += 11 * 60_000;
  door.enterCode(code);
  expect(door.mayDecide(one)).toBe(false);
  door.enterCode(door.code(one));
  expect([door.mayDecide(one), door.mayDecide(other)]).toEqual([true, false]);
});

test("five wrong codes void all of them", () => {
  const door = sessionsOf(file("codes.json"), () => now);
  const { session } = opened(door);
  const code = door.code(session);
  for (let wrong = 0; wrong < 5; wrong += 1) door.enterCode("WRONGONE");
  door.enterCode(code);
  expect(door.mayDecide(session)).toBe(false);
  expect(door.code(session)).not.toBe(code);
});

test.for(["ÄÖÜÄÖÜÄÖ", "        ", "\u0000".repeat(8), "🙈🙈🙈🙈", "x".repeat(20)])(
  "whatever is typed or sent is compared, and stops nothing: %j",
  (text) => {
    const door = sessionsOf(file("signs.json"), () => now);
    const { session, cookie } = opened(door);
    const code = door.code(session);
    expect(door.enterCode(text)).toContain("No page shows this code");
    for (const proof of [text, "é".repeat(64)])
      expect(door.find({ cookie, proof, origin: ORIGIN })).toBeUndefined();
    door.enterCode(code);
    expect(door.mayDecide(session)).toBe(true);
  },
);

test("a damaged file of sessions opens nothing and stops nothing", () => {
  for (const text of ["", "{", "[7]", '[{"cookie":"x","key":"","since":0}]']) {
    writeFileSync(file("damaged.json"), text);
    const door = sessionsOf(file("damaged.json"), () => now);
    expect(find(door, { cookie: "", key: "" })).toBeUndefined();
    expect(door.open(door.newLinkToken())).toBeDefined();
  }
});
