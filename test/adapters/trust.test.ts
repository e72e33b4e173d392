/** What of a repository must be trusted, and when trust ends. */

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { contentOf } from "../../src/adapters/trust/content.ts";
import { isTrusted, requireTrust, trustRow } from "../../src/adapters/trust/trust.ts";
import { UserError } from "../../src/adapters/user-error.ts";
import type { HumanKeyRow, TrustRow } from "../../src/engine/ports/registry.ts";
import { signerAt, trustedNow } from "../support/trust.ts";

type Files = Readonly<Record<string, string>>;

/** `files` are relative to `.signalbox`. */
function repoWith(files: Files): string {
  const repo = realpathSync.native(mkdtempSync(join(tmpdir(), "signalbox-trust-")));
  for (const [name, text] of Object.entries(files)) write(repo, name, text);
  return repo;
}

function write(repo: string, name: string, text: string): void {
  const file = join(repo, ".signalbox", name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A store that remembers, and a person with a key. */
function memory() {
  const rows = new Map<string, TrustRow>();
  const env = { HOME: mkdtempSync(join(tmpdir(), "signalbox-trust-key-")) };
  const put = (repo: string, row: TrustRow): void => void rows.set(repo, row);
  return {
    env,
    rows,
    store: {
      trusted: (repo: string) => Promise.resolve(rows.get(repo)),
      humanKeys: () => Promise.resolve([]),
    },
    trust: (repo: string) => put(repo, trustedNow(env, repo)),
    revoke: (repo: string) => put(repo, trustRow(signerAt(env), { repo, digest: "", at: "" })),
  };
}

const NOBODY = {
  store: { trusted: () => Promise.resolve(undefined), humanKeys: () => Promise.resolve([]) },
  env: { HOME: "/nowhere" },
};

async function refusalOf(repo: string): Promise<string> {
  try {
    await requireTrust(NOBODY, repo);
    return "";
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return `${error.code} ${error.exit}: ${error.message.replaceAll(`${repo}/`, "")}`;
  }
}

const TASK = {
  "workflows/mine/workflow.yaml": "name: mine\n",
  "workflows/mine/prompts/worker.md": "Work.\n",
};

test.for<[files: Files, needed: boolean]>([
  [{}, false],
  [{ "workflows/README.md": "words", "workflows/.gitkeep": "", ".gitignore": "*.log" }, false],
  [{ "config.yaml": "" }, false],
  [{ "config.yaml": "# harness: evil\n\n" }, false],
  [{ "schema/workflow-1.schema.json": "{}" }, false],
  [{ "config.yaml": "minutes: 3\n" }, true],
  [{ "config.yaml": "# x\rminutes: 3\n" }, true],
  [TASK, true],
  [{ "workflows/mine/prompts/worker.md": "Work." }, true],
  [{ "anything.sh": "" }, true],
  [{ "schema/deep/x.schema.json": "{}" }, true],
])("%o: must be trusted: %s", async ([files, needed]) => {
  const repo = repoWith(files);
  expect(contentOf(repo).digest !== "").toBe(needed);
  expect(await isTrusted(NOBODY, repo)).toBe(!needed);
});

test.for<[what: string, change: (repo: string) => void]>([
  ["one byte", (repo) => write(repo, "config.yaml", "minutes: 4\n")],
  ["a prompt", (repo) => write(repo, "workflows/mine/prompts/worker.md", "Work!\n")],
  ["a new file", (repo) => write(repo, "workflows/mine/prompts/more.md", "")],
  ["an inert file beside others", (repo) => write(repo, "README.md", "Read me")],
  ["a file gone", (repo) => rmSync(join(repo, ".signalbox/workflows/mine/prompts/worker.md"))],
  ["a file shortened", (repo) => truncateSync(join(repo, ".signalbox/config.yaml"), 3)],
])("trust ends with %s", async ([, change]) => {
  const repo = repoWith({ "config.yaml": "minutes: 3\n", ...TASK });
  const store = memory();
  store.trust(repo);
  expect(await isTrusted(store, repo)).toBe(true);
  change(repo);
  expect(await isTrusted(store, repo)).toBe(false);
  await expect(requireTrust(store, repo)).rejects.toThrow("has changed since it was trusted");
});

test("trust is not about times and modes, and not for a copy elsewhere", async () => {
  const files = { "config.yaml": "minutes: 3\n", ...TASK };
  const [repo, copy] = [repoWith(files), repoWith(files)];
  const store = memory();
  store.trust(repo);
  chmodSync(join(repo, ".signalbox/config.yaml"), 0o755);
  utimesSync(join(repo, ".signalbox/config.yaml"), 1, 1);
  expect(await isTrusted(store, repo)).toBe(true);
  expect(contentOf(copy).digest).toBe(contentOf(repo).digest);
  expect(await isTrusted(store, copy)).toBe(false);
});

test("trust can be taken back", async () => {
  const repo = repoWith(TASK);
  const store = memory();
  store.trust(repo);
  store.revoke(repo);
  expect(await isTrusted(store, repo)).toBe(false);
  await expect(requireTrust(store, repo)).rejects.toThrow("nobody has trusted");
});

test.for<[what: string, plant: (row: TrustRow, other: TrustRow) => TrustRow, said: RegExp]>([
  ["nothing is changed", (row) => row, /^trusted$/],
  ["a row without a signature", (row) => ({ ...row, signature: "" }), /not signed with your key/],
  ["the signature of another key", (_row, other) => other, /not signed with your key/],
  ["another time", (row) => ({ ...row, at: "2027" }), /not signed with your key/],
  [
    "the name of the right key",
    (row) => ({ ...row, signature: row.signature.replace(/:[^:]*$/, ":AAAA") }),
    /not signed with your key/,
  ],
])("a row that somebody planted is no trust: %s", async ([, plant, said]) => {
  const repo = repoWith(TASK);
  const store = memory();
  store.trust(repo);
  const row = store.rows.get(repo);
  if (row === undefined) throw new Error("not trusted");
  store.rows.set(repo, plant(row, trustedNow(memory().env, repo)));
  const told = async (): Promise<string> => {
    try {
      await requireTrust(store, repo);
      return "trusted";
    } catch (error) {
      return (error as UserError).message;
    }
  };
  expect(await told()).toMatch(said);
  expect(await isTrusted(store, repo)).toBe(said.test("trusted"));
});

test("the signature for another repository, or by a key that was put in the place of the one known here, counts nowhere", async () => {
  const [repo, copy] = [repoWith(TASK), repoWith(TASK)];
  const store = memory();
  store.trust(repo);
  const row = store.rows.get(repo);
  if (row === undefined) throw new Error("not trusted");
  store.rows.set(copy, row);
  expect(await isTrusted(store, copy)).toBe(false);
  const another: HumanKeyRow = { fingerprint: "another", at: "", how: "first" };
  const humanKeys = (): Promise<HumanKeyRow[]> => Promise.resolve([another]);
  expect(await isTrusted({ ...store, store: { ...store.store, humanKeys } }, repo)).toBe(false);
});

test("what is trusted is what was digested: the bytes come along", async () => {
  const repo = repoWith(TASK);
  const store = memory();
  store.trust(repo);
  const { files } = await requireTrust(store, repo);
  expect(files.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)])).toEqual([
    ["workflows/mine/prompts/worker.md", "Work.\n"],
    ["workflows/mine/workflow.yaml", "name: mine\n"],
  ]);
});

test.for<[said: string, make: (folder: string) => void]>([
  [".signalbox/config.yaml is a link", (folder) => symlinkSync("/etc/hosts", join(folder, "config.yaml"))],
  [".signalbox/workflows is a link", (folder) => symlinkSync("/etc", join(folder, "workflows"))],
  [".signalbox/x is a link", (folder) => symlinkSync("nowhere", join(folder, "x"))],
  [".signalbox/pipe is no regular file", (folder) => void execFileSync("mkfifo", [join(folder, "pipe")])],
  ["with a name that cannot be shown", (folder) => writeFileSync(join(folder, "a\nb"), "")],
  ["with a name that cannot be shown", (folder) => writeFileSync(join(folder, "a\u202Eb"), "")],
  [
    "with a name that cannot be shown",
    (folder) => writeFileSync(Buffer.from(`${folder}/\xFF`, "latin1"), ""),
  ],
  [
    "more than can be looked through",
    (folder) => {
      writeFileSync(join(folder, "big"), "");
      truncateSync(join(folder, "big"), 17_000_000);
    },
  ],
  [
    "more than can be looked through",
    (folder) => void mkdirSync(join(folder, "d/".repeat(20)), { recursive: true }),
  ],
])("refused: %s", async ([said, make]) => {
  const repo = repoWith({ "config.yaml.md": "" });
  make(join(repo, ".signalbox"));
  expect(await refusalOf(repo)).toMatch(/^untrusted 7: /);
  expect(await refusalOf(repo)).toContain(said);
});

test("a .signalbox that is a link, or a file, is refused", async () => {
  const linked = repoWith({});
  symlinkSync(repoWith({ "config.yaml": "minutes: 3" }), join(linked, ".signalbox"));
  expect(await refusalOf(linked)).toContain(".signalbox is a link");
  const file = repoWith({});
  writeFileSync(join(file, ".signalbox"), "");
  expect(await refusalOf(file)).toContain(".signalbox is no folder");
});

test.for<[a: Files, b: Files]>([
  [{ a: "b" }, { ab: "" }],
  [{ a: "1", b: "2" }, { a: "1b2" }],
  [{ a: "1", b: "2" }, { a: "1b\u00002" }],
  [{ a: "1", b: "2" }, { a: "1b\u00001\u00002" }],
  [
    { a: "", b: "a" },
    { a: "b", b: "" },
  ],
])("%o is not %o", ([a, b]) => {
  expect(contentOf(repoWith(a)).digest).not.toBe(contentOf(repoWith(b)).digest);
});

test("two different sets of files never have the same digest", () => {
  const name = fc.stringMatching(/^[a-c]{1,2}$/);
  const files = fc.dictionary(name, fc.string({ maxLength: 3 }), {
    minKeys: 1,
    maxKeys: 3,
    noNullPrototype: true,
  });
  fc.assert(
    fc.property(files, files, (a, b) => {
      const text = (of: Files) =>
        JSON.stringify(
          Object.keys(of)
            .map((key) => `${key} ${of[key] ?? ""}`)
            .toSorted(),
        );
      const isSame = contentOf(repoWith(a)).digest === contentOf(repoWith(b)).digest;
      expect(isSame).toBe(text(a) === text(b));
    }),
    { numRuns: process.env["SIGNALBOX_DEEP"] === undefined ? 40 : 1000 },
  );
});
