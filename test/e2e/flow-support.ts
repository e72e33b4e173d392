/** Tasks of one repository with trivial agents, each a process for each turn: for stories about the flow of many. */

import { execFileSync } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openStore, type SqliteStore } from "../../src/adapters/store/open.ts";
import { clear, look, makeLife, story, type, type Answer, type Life } from "./lives/life.ts";

/**
 * Plans, commits one file, hands over. Files of its run's name say where it ends: before all that (`stop`), or without handing over
 * (`hold`); what it does not commit: anything (`loose`), or a second file (`half`); that it asks first (`ask`); and that its reviews
 * fail (`reject`). Told to merge a commit, it types just that.
 */
const WORKER = `. "$FLOW/../turn.sh"
# The page is away for a moment while somebody replaces it.
for _ in 1 2 3 4 5 6 7 8 9; do
  status=$(sed -n 's/^status: *//p' TASK.md | head -n 1)
  [ -z "$status" ] || break
  sleep 0.1
done
[ -e "$FLOW/$SIGNALBOX_RUN.stop" ] && exit 0
[ "$status" = stuck ] && exit 0
if [ "$status" = planning ] && [ -e "$FLOW/$SIGNALBOX_RUN.ask" ]; then
  rm "$FLOW/$SIGNALBOX_RUN.ask"
  printf 'To whom?\\n' | signalbox submit questions - >/dev/null
  signalbox update --status clarification >/dev/null
  exit 0
fi
if [ "$status" = planning ]; then
  printf 'APPROACH: as always\\n' | signalbox submit plan - >/dev/null
  signalbox update --status working >/dev/null || exit 0
fi
# Types what it is told, to the letter.
told() { grep -o "$1" TASK.md | head -n 1; }
finish=true
if merge=$(told 'git merge --no-edit [0-9a-f]*'); then
  eval "$(told "git add -A; git commit -m '[^']*'")" >>"$FLOW/$SIGNALBOX_RUN.typed" 2>&1
  eval "$merge" >>"$FLOW/$SIGNALBOX_RUN.typed" 2>&1
  finish=$(told 'git add -A; git commit --no-edit')
fi
echo "$SIGNALBOX_RUN" >"work-$SIGNALBOX_RUN.txt"
if [ -e "$FLOW/$SIGNALBOX_RUN.loose" ]; then
  printf 'A project.\\n%s\\n' "$SIGNALBOX_RUN" >README.md
else
  git add -A
  git commit --quiet --message "work of $SIGNALBOX_RUN"
fi
eval "$finish" >>"$FLOW/$SIGNALBOX_RUN.typed" 2>&1
[ ! -e "$FLOW/$SIGNALBOX_RUN.half" ] || echo "$SIGNALBOX_RUN" >"half-$SIGNALBOX_RUN.txt"
[ -e "$FLOW/$SIGNALBOX_RUN.hold" ] && exit 0
printf 'DONE: it\\n' | signalbox submit handoff - >/dev/null
signalbox update --status agent-review >/dev/null
`;
const REVIEWER = `. "$FLOW/../turn.sh"
while [ -e "$FLOW/$SIGNALBOX_RUN.silent" ]; do sleep 0.1; done
verdict='Verdict: PASS\\n'
[ ! -e "$FLOW/$SIGNALBOX_RUN.reject" ] || verdict="Verdict: FAIL\\n\\n- attempt $SIGNALBOX_ATTEMPT: no test\\n"
printf "$verdict" | signalbox submit review - >/dev/null
`;

/** A turn waits while the file `hold` is there, and then as long as the file `pace` says, in seconds. */
const TURN = `while [ -e "$FLOW/hold" ]; do sleep 0.05; done
[ ! -e "$FLOW/pace" ] || sleep "$(cat "$FLOW/pace")"
`;

const lives: Life[] = [];

export type Flow = Life & {
  readonly git: (...argv: string[]) => string;
  readonly say: (line: string, more?: Readonly<Record<string, string>>) => Promise<Answer>;
  /** Makes a task; gives its id. */
  readonly create: (summary: string, more?: string) => Promise<string>;
  readonly state: (run: string) => Promise<string>;
  readonly until: (run: string, states: readonly string[]) => Promise<string>;
  readonly withStore: <T>(work: (store: SqliteStore) => T | Promise<T>) => Promise<T>;
};

export async function makeFlow(agents: number): Promise<Flow> {
  const life = makeLife({
    config: (root) => {
      const harness = (name: string): string =>
        `  ${name}: { command: [sh, ${join(root, `${name}.sh`)}], set: { FLOW: ${join(root, "ledger")} } }\n`;
      writeFileSync(join(root, "turn.sh"), TURN);
      writeFileSync(join(root, "worker.sh"), WORKER);
      writeFileSync(join(root, "reviewer.sh"), REVIEWER);
      return `terminal: none\nharnesses:\n${harness("worker")}${harness("reviewer")}`;
    },
  });
  lives.push(life);
  const say: Flow["say"] = async (line, more) => {
    const argv = line.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', "")) ?? [];
    return type(life, argv, more);
  };
  const withStore: Flow["withStore"] = async (work) => {
    const store = openStore(life.home);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const made = await say(`project add --agents ${agents}`);
  if (made.code !== 0) throw new Error(JSON.stringify(made));
  return {
    ...life,
    say,
    withStore,
    git: (...argv) =>
      execFileSync("git", argv, {
        cwd: life.repo,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      }).trim(),
    async create(summary, more = "") {
      const { code, document, stderr } = await say(
        `task create "${summary}" --harness worker --review-harness reviewer ${more}`,
      );
      if (code !== 0) throw new Error(`${JSON.stringify(document)} ${stderr}`);
      return String(document["run"]);
    },
    state: async (run) => (await look(life, run)).state,
    async until(run, states) {
      const endsAt = performance.now() + 60_000;
      for (;;) {
        const { state, attention } = await look(life, run);
        if (states.includes(state)) return state;
        if (attention !== "" || performance.now() > endsAt)
          throw new Error(
            `${run} is in ${state}, and not in ${states.join(" or ")}: ${attention}\n${await story(life, run)}`,
          );
        await pause(25);
      }
    },
  };
}

/** How many turns of agents were under way at the same time, at each moment at which that changed: as their folders say. */
export async function turnsOf({
  withStore,
}: Flow): Promise<readonly { readonly at: number; readonly count: number }[]> {
  const jobs = await withStore(async (store) => (await store.jobs({})).filter(({ kind }) => kind === "turn"));
  const at = (dir: string, file: string): number =>
    statSync(join(dir, file), { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
  let count = 0;
  return jobs
    .flatMap(({ dir }) => [
      { at: at(dir, "claim"), change: 1 },
      { at: at(dir, "exit"), change: -1 },
    ])
    .toSorted((a, b) => a.at - b.at || a.change - b.change)
    .map(({ at: when, change }) => ({ at: when, count: (count += change) }));
}

export async function clearFlows(): Promise<void> {
  for (const life of lives.splice(0)) if (existsSync(life.root)) await clear(life);
}
