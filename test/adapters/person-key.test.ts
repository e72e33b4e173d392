/** The human key: for its owner alone, under a passphrase where wanted, and never silently another one. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  acceptKey,
  replaceKey,
  replaceLostKey,
  setPassphrase,
  signerOf,
  viewKey,
  type Hand,
  type AskPassphrase,
} from "../../src/adapters/person/key.ts";
import { keyPath, type KeyFile } from "../../src/adapters/person/key-file.ts";
import type { Pins } from "../../src/adapters/person/pin.ts";
import { proofChecker, prover } from "../../src/adapters/person/proof.ts";
import { whoActs, type Who } from "../../src/adapters/person/who.ts";
import type { UserError } from "../../src/adapters/user-error.ts";
import type { Event } from "../../src/core/model/event.ts";
import { unnamedKeys } from "../../src/engine/human-keys.ts";
import type { Recorded } from "../../src/engine/ports/journal.ts";
import type { HumanKeyRow } from "../../src/engine/ports/registry.ts";
import { AT_HOME, procsOf } from "../support/procs.ts";

const nobody = { byToken: () => Promise.resolve(undefined), job: () => Promise.resolve(undefined) };

async function personAt(home = mkdtempSync(join(tmpdir(), "signalbox-key-"))): Promise<{
  who: Who;
  env: { HOME: string };
  path: string;
}> {
  const env = { HOME: home };
  return { env, who: await whoActs({ env, store: nobody, procs: AT_HOME }), path: keyPath(env) };
}

/** Types these, one after the other. */
function typing(...words: string[]): AskPassphrase {
  return () => {
    const word = words.shift();
    if (word === undefined) throw new Error("asked once more than expected");
    return Promise.resolve(word);
  };
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "accepted";
  } catch (error) {
    const { code, exit, next } = error as UserError;
    return `${code} ${exit}: ${next}`;
  }
}

const ANSWERED: Event = {
  type: "answered",
  by: { type: "human", name: "ann" },
  at: "2026-01-01T00:00:00Z",
  ask: "merge",
  answer: "yes",
  shown: "",
};

async function recordedBy(who: Who, hand: Hand = {}): Promise<Recorded> {
  const signer = await signerOf(who, hand);
  const link = { seq: 7, prev: "p".repeat(64) };
  const proof = prover({ who, signer, run: "abcd", event: ANSWERED })(link);
  const about = {
    at: "2026-01-01T00:00:00Z",
    by: { type: "human" },
    definition: "d",
    tree: "",
    key: "",
    hash: "h",
  } as const;
  // As the journal gives it back.
  return JSON.parse(JSON.stringify({ ...about, ...link, run: "abcd", event: ANSWERED, proof })) as Recorded;
}

describe("the key", () => {
  test("is made at first need, for its owner alone, whatever was there before", async () => {
    const { who, path } = await personAt();
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    const first = await signerOf(who);
    const second = await signerOf(who);
    expect(second.fingerprint).toBe(first.fingerprint);
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    expect(lstatSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(path))).toEqual(["human.key"]);
    expect(viewKey(path)).toMatchObject({ fingerprint: first.fingerprint, tier: "detected", former: [] });
  });

  test("is never made by an agent, nor by a stranger", async () => {
    const { env, path } = await personAt();
    const below = procsOf([{ pid: 50, name: "sh", environment: "SIGNALBOX_JOB=j\0" }]);
    for (const who of [
      await whoActs({ env: { ...env, CLAUDECODE: "1" }, store: nobody }),
      await whoActs({ env, store: nobody, procs: below }),
    ]) {
      expect(await refusal(signerOf(who))).toMatch(/^not-a-person 4/);
      expect(await refusal(setPassphrase(who, true))).toMatch(/^not-a-person 4/);
      expect(await refusal(replaceKey(who))).toMatch(/^not-a-person 4/);
      expect(await refusal(replaceLostKey(who))).toMatch(/^not-a-person 4/);
      await expect(acceptKey(who, memory())).rejects.toThrow(/this takes a person/);
    }
    expect(existsSync(path)).toBe(false);
  });

  test.for<[string, (path: string) => void, RegExp]>([
    ["readable by others", (path) => chmodSync(path, 0o644), /^damaged-key 8: chmod 600/],
    [
      "cut in half",
      (path) => writeFileSync(path, readFileSync(path, "utf8").slice(0, 80)),
      /^damaged-key 8: signalbox key --new/,
    ],
    ["empty", (path) => writeFileSync(path, ""), /^damaged-key 8/],
    ["another program's", (path) => writeFileSync(path, "[1, null]"), /^damaged-key 8/],
    ["much too long", (path) => writeFileSync(path, " ".repeat(100_000)), /^damaged-key 8/],
    [
      "put together from two",
      (path) =>
        writeFileSync(path, readFileSync(path, "utf8").replace(/"public": "(.{40})../, '"public": "$1xx')),
      /^damaged-key 8/,
    ],
    [
      "one that asks for all memory",
      (path) =>
        writeFileSync(
          path,
          readFileSync(path, "utf8").replace(
            /"secret": ".*"/,
            '"secret": {"cost": 1073741824, "salt": "", "nonce": "", "tag": "", "data": ""}',
          ),
        ),
      /^damaged-key 8/,
    ],
  ])("that is %s is refused", async ([, spoil, expected]) => {
    const { who, path } = await personAt();
    await signerOf(who);
    spoil(path);
    expect(await refusal(signerOf(who))).toMatch(expected);
  });

  test("that is a symbolic link is refused", async () => {
    const other = await personAt();
    await signerOf(other.who);
    const { who, path } = await personAt();
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(other.path, path);
    expect(await refusal(signerOf(who))).toMatch(/^damaged-key 8/);
  });

  test("that cannot be used is kept when it is replaced", async () => {
    const { who, path } = await personAt();
    await signerOf(who);
    writeFileSync(path, "spoilt");
    expect(await refusal(replaceKey(who))).toMatch(/^damaged-key 8: signalbox key --new --lost/);
    const { aside } = await replaceLostKey(who);
    expect(readFileSync(aside, "utf8")).toBe("spoilt");
    expect(viewKey(path)?.former).toEqual([]);
  });

  test("opens with its passphrase only, and stays the same key", async () => {
    const { who, path } = await personAt();
    const { fingerprint } = await signerOf(who);
    await setPassphrase(who, true, typing("open sesame", "open sesame"));
    expect(viewKey(path)).toMatchObject({ fingerprint, tier: "prevented" });
    expect(readFileSync(path, "utf8")).not.toContain("sesame");
    expect(await refusal(signerOf(who, { ask: typing("a", "b", "c") }))).toMatch(/^wrong-passphrase 4/);
    expect((await signerOf(who, { ask: typing("typo", "open sesame") })).fingerprint).toBe(fingerprint);
    await setPassphrase(who, false, typing("open sesame"));
    expect(viewKey(path)).toMatchObject({ fingerprint, tier: "detected" });
  });

  test("takes no passphrase that is empty or not typed twice", async () => {
    const { who, path } = await personAt();
    expect(await refusal(setPassphrase(who, true, typing("")))).toMatch(/^empty-passphrase 2/);
    expect(await refusal(setPassphrase(who, true, typing("a", "b")))).toMatch(/^other-passphrase 2/);
    expect(viewKey(path)?.tier).toBe("detected");
  });
});

/** A state home that remembers keys. */
function memory(): Pins & { readonly rows: HumanKeyRow[] } {
  const rows: HumanKeyRow[] = [];
  return {
    rows,
    humanKeys: () => Promise.resolve(rows),
    commit: (batch) => {
      for (const write of batch) if (write.type === "put-human-key") rows.push(write.key);
      return Promise.resolve({ type: "written" });
    },
  };
}

test("the first key, made by two at the same moment, is one and the same", async () => {
  const { who, path } = await personAt();
  const pins = memory();
  let isMade = false;
  // While we look, another process makes the key and has it remembered.
  const slow: Pins = {
    commit: (batch) => pins.commit(batch),
    humanKeys: async () => {
      const isFirst = !isMade;
      isMade = true;
      if (isFirst) await signerOf(who, { pins });
      return pins.rows;
    },
  };
  const signer = await signerOf(who, { pins: slow });
  expect(signer.fingerprint).toBe(viewKey(path)?.fingerprint);
  expect(new Set(pins.rows.map(({ fingerprint }) => fingerprint)).size).toBe(1);
});

describe("a key that takes the place of another", () => {
  test("is named by it, and takes its passphrase", async () => {
    const { who, env, path } = await personAt();
    const pins = memory();
    await setPassphrase(who, true, typing("secret", "secret"));
    const old = await recordedBy(who, { pins, ask: typing("secret") });
    expect(await refusal(replaceKey(who, { pins, ask: typing("evil", "evil", "evil") }))).toMatch(
      /^wrong-passphrase 4: .*signalbox key --new --lost/,
    );
    expect(pins.rows.map(({ how }) => how)).toEqual(["first"]);
    await replaceKey(who, { pins, ask: typing("secret", "new", "new") });
    expect(pins.rows.map(({ how }) => how)).toEqual(["first", "named"]);
    expect(pins.rows.at(-1)?.fingerprint).toBe(viewKey(path)?.fingerprint);
    const check = await proofChecker(env, pins);
    expect([check(old), check(await recordedBy(who, { pins, ask: typing("new") }))]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("without its passphrase is told with everything it signs, and with everything its followers sign", async () => {
    const { who, env, path } = await personAt();
    const pins = memory();
    await setPassphrase(who, true, typing("secret", "secret"));
    const old = await recordedBy(who, { pins, ask: typing("secret") });
    await replaceLostKey(who, { pins, ask: typing("evil", "evil") });
    expect(pins.rows.map(({ how }) => how)).toEqual(["first", "lost"]);
    expect(viewKey(path)).toMatchObject({
      tier: "prevented",
      lostAt: expect.stringMatching(/^20/) as string,
    });
    const unnamed = {
      type: "notice",
      text: expect.stringMatching(/came in at .* by "key --lost", not named by the one before it/) as string,
    };
    const second = await recordedBy(who, { pins, ask: typing("evil") });
    await replaceKey(who, { pins, ask: typing("evil", "worse", "worse") });
    const third = await recordedBy(who, { pins, ask: typing("worse") });
    // The file alone says so, and so does the state home alone.
    for (const home of [memory(), pins])
      expect([old, second, third].map(await proofChecker(env, home))).toMatchObject([
        undefined,
        unnamed,
        unnamed,
      ]);
    expect([...unnamedKeys(pins.rows)]).toHaveLength(2);
  });

  test.for<[string, (mine: string, other: string) => void, RegExp]>([
    ["another person's file", (mine, other) => writeFileSync(mine, readFileSync(other)), /key --lost$/],
    [
      "one that lists the known key as a former one",
      (mine, other) => {
        const [own, evil] = [mine, other].map((file) => JSON.parse(readFileSync(file, "utf8")) as KeyFile);
        if (own === undefined || evil === undefined) throw new Error("no keys");
        const former = [{ public: own.public, until: "2026-01-01T00:00:00Z", named: "AAAA" }];
        writeFileSync(mine, JSON.stringify({ ...evil, former }));
      },
      /key --lost$/,
    ],
    ["nothing", (mine) => rmSync(mine), /key --new --lost$/],
  ])("by hand signs nothing here: %s", async ([, exchange, next]) => {
    const [mine, theirs] = [await personAt(), await personAt()];
    const pins = memory();
    await signerOf(mine.who, { pins });
    await signerOf(theirs.who);
    exchange(mine.path, theirs.path);
    const before = existsSync(mine.path) ? readFileSync(mine.path, "utf8") : "";
    for (const work of [signerOf(mine.who, { pins }), replaceKey(mine.who, { pins })])
      expect(await refusal(work)).toMatch(/^other-key 8: /);
    expect(await refusal(signerOf(mine.who, { pins }))).toMatch(next);
    expect(existsSync(mine.path) ? readFileSync(mine.path, "utf8") : "").toBe(before);
    // It was really the person: said once, and remembered.
    if (before === "") await replaceLostKey(mine.who, { pins });
    else await acceptKey(mine.who, pins);
    expect(pins.rows.map(({ how }) => how)).toEqual(["first", "lost"]);
    expect((await proofChecker(mine.env, pins))(await recordedBy(mine.who, { pins }))).toMatchObject({
      type: "notice",
    });
  });
});

describe("a signature", () => {
  test("speaks for the act, its place in the journal and everything told about it", async () => {
    const { who, env } = await personAt();
    const recorded = await recordedBy(who);
    const check = await proofChecker(env);
    expect(recorded.proof).toMatchObject({
      terminal: "pts/3",
      ancestry: ["50 bash"],
      cgroup: "0::/user.slice",
    });
    expect(check(recorded)).toBeUndefined();
    const { proof } = recorded;
    if (proof === undefined) throw new Error("no proof");
    const changes: readonly Partial<Recorded>[] = [
      { run: "other" },
      { seq: 8 },
      { prev: "q".repeat(64) },
      { event: { ...ANSWERED, answer: "no" } },
      { event: { ...ANSWERED, at: "2027-01-01T00:00:00Z" } },
      { proof: { ...proof, user: "mallory" } },
      { proof: { ...proof, terminal: "pts/9" } },
      { proof: { ...proof, ancestry: [] } },
      { proof: { ...proof, cgroup: "" } },
      { proof: { ...proof, signature: `${proof.signature.slice(0, -4)}AAAA` } },
    ];
    for (const change of changes) expect(check({ ...recorded, ...change })).toMatchObject({ type: "forged" });
    expect(check({ ...recorded, proof: { ...proof, signature: "" } })?.text).toMatch(/without a signature/);
    expect(check({ ...recorded, proof: undefined } as unknown as Recorded)?.text).toMatch(
      /without a signature/,
    );
    expect(check({ ...recorded, proof: { ...proof, signature: "hmac:x:y" } })?.text).toMatch(/no known form/);
  });

  test("is asked of people, not of agents, the engine or what follows from an act", async () => {
    const check = await proofChecker((await personAt()).env);
    const recorded = await recordedBy((await personAt()).who);
    const events: readonly Event[] = [
      { type: "observed", at: "" },
      { type: "submitted", at: "", by: { type: "agent", role: "worker", slot: "", attempt: 1 } },
      { type: "counted", counter: "c", value: 1, renew: [] },
    ];
    for (const event of events)
      expect(check({ ...recorded, event, proof: undefined } as unknown as Recorded)).toBeUndefined();
  });

  test("of another key is told, with what is known about that key", async () => {
    const mine = await personAt();
    const old = await recordedBy(mine.who);
    const theirs = await recordedBy((await personAt()).who);
    expect((await proofChecker(mine.env))(theirs)).toMatchObject({
      type: "forged",
      text: expect.stringMatching(/another key/) as string,
    });
    await replaceKey(mine.who);
    const check = await proofChecker(mine.env);
    expect(check(old)).toBeUndefined();
    expect(check({ ...old, seq: 8 })).toMatchObject({ type: "forged" });
    expect(check(await recordedBy(mine.who))).toBeUndefined();
    expect(viewKey(mine.path)).toMatchObject({ lostAt: "", former: [expect.anything()] });
    const late = { ...old, at: new Date(Date.now() + 120_000).toISOString() };
    expect(check(late)).toMatchObject({
      type: "forged",
      text: expect.stringMatching(/after it was replaced/) as string,
    });
  });

  test("is checked without the passphrase", async () => {
    const { who, env } = await personAt();
    await setPassphrase(who, true, typing("secret", "secret"));
    const recorded = await recordedBy(who, { ask: typing("secret") });
    expect((await proofChecker(env))(recorded)).toBeUndefined();
    await replaceKey(who, { ask: typing("secret", "new", "new") });
    expect(viewKey(keyPath(env))?.tier).toBe("prevented");
    expect((await proofChecker(env))(recorded)).toBeUndefined();
  });

  test("cannot be checked where the key is not", async () => {
    const recorded = await recordedBy((await personAt()).who);
    expect((await proofChecker((await personAt()).env))(recorded)).toMatchObject({ type: "notice" });
  });
});
