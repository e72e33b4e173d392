/** `signalbox verify`: whether runs are what their history says, and whether people did what is said of them. */

import { keyPath, readKeyFile } from "../../../adapters/person/key-file.ts";
import { keyFault } from "../../../adapters/person/pin.ts";
import { proofChecker, type Flaw } from "../../../adapters/person/proof.ts";
import type { SqliteStore } from "../../../adapters/store/open.ts";
import { knownRuns, verifyRun, type Verified } from "../../../adapters/store/recovery/verify.ts";
import { UserError } from "../../../adapters/user-error.ts";
import { compile } from "../../../core/model/compile.ts";
import { auditor } from "../../../engine/submit/audit.ts";
import type { Recorded } from "../../../engine/ports/journal.ts";
import { runMeant, withStore } from "../../../app/runs/find.ts";
import { EXIT_DAMAGED, EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command, Door } from "../../command.ts";

/** What `--json` gives for each run. */
export type VerifyItem = {
  readonly run: string;
  readonly ok: boolean;
  /** How many events were looked at, or the first bad one; 0 for the run's row. */
  readonly seq: number;
  readonly reason: string;
  /** Worth telling, and no damage: a signature of a key that was replaced, or is not here. */
  readonly notices: readonly { readonly seq: number; readonly text: string }[];
};

export type VerifyData = {
  readonly runs: readonly VerifyItem[];
  /** What is wrong with the human key itself: another one is in the place of that which signed here. Empty where nothing is. */
  readonly key: string;
};

export const command: Command = {
  usage: "[RUN | --all]",
  about:
    "Goes through the whole history of a run: the chain of its events, what they make of it, what people signed, and whether everything that followed could follow.\nThe first bad record is named, and the exit code is 8. Nothing is changed.",
  words: { min: 0, max: 1 },
  options: { all: { about: "every run of this machine" } },
  examples: ["signalbox verify abcd", "signalbox verify --all"],
  answer: ({ words, options }, door) =>
    withStore(door, (store) => {
      const isAll = options["all"] !== undefined;
      if (isAll && words[0] !== undefined)
        throw new UserError("bad-usage", "a run and --all do not go together", "signalbox verify --help");
      const ids = isAll
        ? store === undefined
          ? []
          : knownRuns(store.database)
        : [meant(store, door, words[0])];
      if (store === undefined) return answerOf([], undefined, door);
      const check = proofChecker(door.env, store);
      const items = ids.map((id) => verifyOne(store, id, check));
      const path = keyPath(door.env);
      return answerOf(items, keyFault(readKeyFile(path), { pins: store, path }), door);
    }),
};

/** A run whose row is lost has a history all the same. */
function meant(store: SqliteStore | undefined, door: Door, word: string | undefined): string {
  try {
    return runMeant(store, door, word);
  } catch (error) {
    const found = store === undefined ? [] : knownRuns(store.database).filter((id) => id === word);
    if (found[0] !== undefined) return found[0];
    throw error;
  }
}

type Check = (recorded: Recorded) => Flaw | undefined;

function verifyOne(store: SqliteStore, run: string, check: Check): VerifyItem {
  const notices: { seq: number; text: string }[] = [];
  let audit: ReturnType<typeof auditor> | undefined;
  const verified: Verified = verifyRun(store.database, run, (recorded) => {
    const flaw = check(recorded);
    if (flaw?.type === "notice") notices.push({ seq: recorded.seq, text: flaw.text });
    if (flaw?.type === "forged") return flaw.text;
    const definition = audit === undefined ? store.definition(recorded.definition) : undefined;
    if (definition !== undefined) audit = auditor(compile(definition, () => recorded.definition));
    return audit?.(recorded);
  });
  return { run, ok: verified.ok, seq: verified.seq, reason: verified.ok ? "" : verified.reason, notices };
}

function answerOf(items: readonly VerifyItem[], key: UserError | undefined, { paint }: Door): Answer {
  const first = items.find(({ ok }) => !ok);
  const isWell = first === undefined && key === undefined;
  const data: VerifyData = { runs: items, key: key?.message ?? "" };
  // A history must not be mended by what another key says of it.
  const next = key?.next ?? (first === undefined ? "signalbox list" : "signalbox doctor --repair");
  const lines = items.flatMap(({ run, ok, seq, reason, notices }) => [
    ok
      ? `${run}: ${paint.green("whole")}, ${seq} events`
      : `${run}: ${paint.red("bad")} ${sayPlace(seq)}: ${reason}`,
    ...notices.map((notice) => `  ${paint.yellow("notice")} at event ${notice.seq}: ${notice.text}`),
  ]);
  if (key !== undefined) lines.push(`${paint.red("key")} ${key.message}`);
  return {
    exit: isWell ? EXIT_OK : EXIT_DAMAGED,
    code: isWell ? "ok" : "damaged",
    message:
      key?.message ??
      (first === undefined
        ? `${items.length} ${items.length === 1 ? "run is" : "runs are"} whole`
        : `run ${first.run} is bad ${sayPlace(first.seq)}: ${first.reason}`),
    data: () => data,
    text: () => lines.map((line) => `${line}\n`).join(""),
    next,
    ...(isWell ? {} : { talk: `  next: ${next}\n` }),
  };
}

function sayPlace(seq: number): string {
  return seq === 0 ? "in its row" : `at event ${seq}`;
}
