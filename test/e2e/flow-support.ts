/** Tasks of one repository with trivial agents, each a process for each turn: for stories about the flow of many. */

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openStore, type SqliteStore } from "../../src/adapters/store/open.ts";
import { clear, look, makeLife, story, type, type Answer, type Life } from "./lives/life.ts";

/** Plans, commits one file, hands over. Files of its run's name say where it ends: before all that (`stop`), or without handing over (`hold`). */
const WORKER = `# The page is away for a moment while somebody replaces it.
for _ in 1 2 3 4 5 6 7 8 9; do
  status=$(sed -n 's/^status: *//p' TASK.md | head -n 1)
  [ -z "$status" ] || break
  sleep 0.1
done
[ -e "$FLOW/$SIGNALBOX_RUN.stop" ] && exit 0
if [ "$status" = planning ]; then
  printf 'APPROACH: as always\\n' | signalbox submit plan - >/dev/null
  signalbox task update --status working >/dev/null || exit 0
fi
echo "$SIGNALBOX_RUN" >"work-$SIGNALBOX_RUN.txt"
git add -A
git commit --quiet --message "work of $SIGNALBOX_RUN"
[ -e "$FLOW/$SIGNALBOX_RUN.hold" ] && exit 0
printf 'DONE: it\\n' | signalbox submit handoff - >/dev/null
signalbox task update --status agent-review >/dev/null
`;
const REVIEWER = `while [ -e "$FLOW/$SIGNALBOX_RUN.silent" ]; do sleep 0.1; done
printf 'Verdict: PASS\\n' | signalbox submit review - >/dev/null
`;

const lives: Life[] = [];

export type Flow = Life & {
  readonly git: (...argv: string[]) => string;
  readonly say: (line: string, more?: Readonly<Record<string, string>>) => Promise<Answer>;
  /** Makes a task; gives its id. */
  readonly create: (summary: string, more?: string) => Promise<string>;
  readonly state: (run: string) => string;
  readonly until: (run: string, states: readonly string[]) => Promise<string>;
  readonly withStore: <T>(work: (store: SqliteStore) => T) => T;
};

export async function makeFlow(pool: number): Promise<Flow> {
  const life = makeLife({
    config: (root) => {
      const harness = (name: string): string =>
        `  ${name}: { command: [sh, ${join(root, `${name}.sh`)}], set: { FLOW: ${join(root, "ledger")} } }\n`;
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
  const withStore: Flow["withStore"] = (work) => {
    const store = openStore(life.home);
    try {
      return work(store);
    } finally {
      store.close();
    }
  };
  const made = await say(`project add --pool-size ${pool}`);
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
    state: (run) => look(life, run).state,
    async until(run, states) {
      const endsAt = performance.now() + 60_000;
      for (;;) {
        const { state, attention } = look(life, run);
        if (states.includes(state)) return state;
        if (attention !== "" || performance.now() > endsAt)
          throw new Error(
            `${run} is in ${state}, and not in ${states.join(" or ")}: ${attention}\n${story(life, run)}`,
          );
        await pause(25);
      }
    },
  };
}

export async function clearFlows(): Promise<void> {
  for (const life of lives.splice(0)) if (existsSync(life.root)) await clear(life);
}
