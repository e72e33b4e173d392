/** One run of `task` whose worker writes a file and hands it over, for tests of what happens around its judge. */

import { onStage, type Scene, type Stage } from "./stage.ts";

/** Plans, writes one file, hands over. */
export const WORKER = `
status=$(sed -n 's/^status: *//p' TASK.md | head -n 1)
if [ "$status" = planning ]; then
  printf 'APPROACH: as always\\n' | signalbox submit plan - >/dev/null
  signalbox update --status working >/dev/null || exit 0
fi
[ "$status" = reviewing ] && exit 0
cp TASK.md "$LEDGER/page"
mkdir -p src; echo original >src/e.txt
printf 'DONE: it\\n\\n%s\\n' "$(date +%N)" | signalbox submit handoff - >/dev/null
signalbox update --status agent-review >/dev/null`;

export const SETTINGS = `workflows:
  task: { harness: scripted, review_harness: scripted }
`;

export async function withTask(
  reviewer: string,
  play: (stage: Stage, run: string) => Promise<void>,
  more: Pick<Scene, "files" | "settings"> = {},
): Promise<void> {
  const agents = { worker: WORKER, reviewer };
  const settings = `${SETTINGS}${more.settings ?? ""}`;
  await onStage({ agents, ...more, settings }, async (stage) => {
    const { code, document, stderr } = await stage.person("task", "create", "A judged task");
    if (code !== 0) throw new Error(`${JSON.stringify(document)} ${stderr}`);
    await play(stage, String(document["run"]));
  });
}

export async function workspaceOf(stage: Stage, run: string): Promise<string> {
  return (await stage.now(run)).workspace?.path ?? "";
}

export async function branchOf(stage: Stage, run: string): Promise<string> {
  return (await stage.now(run)).workspace?.branch ?? "";
}

/** What a reviewer submits that has no objection. */
export const REVIEW = "Verdict: PASS\\n\\n- src/e.txt:1: seen\\n";
