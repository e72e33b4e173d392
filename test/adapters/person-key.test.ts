/** The human key: for its owner alone, under a passphrase where wanted, and never silently another one. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { replaceKey, setPassphrase, signerOf, viewKey } from "../../src/adapters/person/key.ts";
import { keyPath } from "../../src/adapters/person/key-file.ts";
import type { AskPassphrase } from "../../src/adapters/person/passphrase.ts";
import { proofChecker, prover } from "../../src/adapters/person/proof.ts";
import { whoActs, type Who } from "../../src/adapters/person/who.ts";
import type { UserError } from "../../src/adapters/user-error.ts";
import type { Event } from "../../src/core/event.ts";
import type { Recorded } from "../../src/engine/ports.ts";
import { AT_HOME, procsOf } from "../support/procs.ts";

const nobody = { byToken: () => undefined, job: () => undefined };

function personAt(home = mkdtempSync(join(tmpdir(), "signalbox-key-"))): {
  who: Who;
  env: { HOME: string };
  path: string;
} {
  const env = { HOME: home };
  return { env, who: whoActs({ env, store: nobody, procs: AT_HOME }), path: keyPath(env) };
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

async function recordedBy(who: Who, ask?: AskPassphrase): Promise<Recorded> {
  const signer = await signerOf(who, ask);
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
    const { who, path } = personAt();
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
    const { env, path } = personAt();
    const below = procsOf([{ pid: 50, name: "sh", environment: "SIGNALBOX_JOB=j\0" }]);
    for (const who of [
      whoActs({ env: { ...env, CLAUDECODE: "1" }, store: nobody }),
      whoActs({ env, store: nobody, procs: below }),
    ]) {
      expect(await refusal(signerOf(who))).toMatch(/^not-a-person 4/);
      expect(await refusal(setPassphrase(who, true))).toMatch(/^not-a-person 4/);
      expect(await refusal(replaceKey(who))).toMatch(/^not-a-person 4/);
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
    const { who, path } = personAt();
    await signerOf(who);
    spoil(path);
    expect(await refusal(signerOf(who))).toMatch(expected);
  });

  test("that is a symbolic link is refused", async () => {
    const other = personAt();
    await signerOf(other.who);
    const { who, path } = personAt();
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(other.path, path);
    expect(await refusal(signerOf(who))).toMatch(/^damaged-key 8/);
  });

  test("that cannot be used is kept when it is replaced", async () => {
    const { who, path } = personAt();
    await signerOf(who);
    writeFileSync(path, "spoilt");
    const { aside } = await replaceKey(who);
    expect(readFileSync(aside, "utf8")).toBe("spoilt");
    expect(viewKey(path)?.former).toEqual([]);
  });

  test("opens with its passphrase only, and stays the same key", async () => {
    const { who, path } = personAt();
    const { fingerprint } = await signerOf(who);
    await setPassphrase(who, true, typing("open sesame", "open sesame"));
    expect(viewKey(path)).toMatchObject({ fingerprint, tier: "prevented" });
    expect(readFileSync(path, "utf8")).not.toContain("sesame");
    expect(await refusal(signerOf(who, typing("a", "b", "c")))).toMatch(/^wrong-passphrase 4/);
    expect((await signerOf(who, typing("typo", "open sesame"))).fingerprint).toBe(fingerprint);
    await setPassphrase(who, false, typing("open sesame"));
    expect(viewKey(path)).toMatchObject({ fingerprint, tier: "detected" });
  });

  test("takes no passphrase that is empty or not typed twice", async () => {
    const { who, path } = personAt();
    expect(await refusal(setPassphrase(who, true, typing("")))).toMatch(/^empty-passphrase 2/);
    expect(await refusal(setPassphrase(who, true, typing("a", "b")))).toMatch(/^other-passphrase 2/);
    expect(viewKey(path)?.tier).toBe("detected");
  });
});

describe("a signature", () => {
  test("speaks for the act, its place in the journal and everything told about it", async () => {
    const { who, env } = personAt();
    const recorded = await recordedBy(who);
    const check = proofChecker(env);
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
    const check = proofChecker(personAt().env);
    const recorded = await recordedBy(personAt().who);
    const events: readonly Event[] = [
      { type: "observed", at: "" },
      { type: "submitted", at: "", by: { type: "agent", role: "worker", slot: "", attempt: 1 } },
      { type: "counted", counter: "c", value: 1, renew: [] },
    ];
    for (const event of events)
      expect(check({ ...recorded, event, proof: undefined } as unknown as Recorded)).toBeUndefined();
  });

  test("of another key is told, with what is known about that key", async () => {
    const mine = personAt();
    const old = await recordedBy(mine.who);
    const theirs = await recordedBy(personAt().who);
    expect(proofChecker(mine.env)(theirs)).toMatchObject({
      type: "forged",
      text: expect.stringMatching(/another key/) as string,
    });
    await replaceKey(mine.who);
    const check = proofChecker(mine.env);
    expect(check(old)).toMatchObject({
      type: "notice",
      text: expect.stringMatching(/another key.*replaced at/) as string,
    });
    expect(check({ ...old, seq: 8 })).toMatchObject({ type: "forged" });
    expect(check(await recordedBy(mine.who))).toBeUndefined();
    expect(viewKey(mine.path)?.former).toHaveLength(1);
  });

  test("is checked without the passphrase", async () => {
    const { who, env } = personAt();
    await setPassphrase(who, true, typing("secret", "secret"));
    const recorded = await recordedBy(who, typing("secret"));
    expect(proofChecker(env)(recorded)).toBeUndefined();
    await replaceKey(who, typing("new", "new"));
    expect(viewKey(keyPath(env))?.tier).toBe("prevented");
  });

  test("cannot be checked where the key is not", async () => {
    const recorded = await recordedBy(personAt().who);
    expect(proofChecker(personAt().env)(recorded)).toMatchObject({ type: "notice" });
  });
});
