/** Files of artifacts that say what no event has accepted, while no agent that may write them is at work. */

import { fileArtifacts } from "../../../adapters/files/artifacts/artifacts.ts";
import type { Reading } from "../../../core/model/event.ts";
import type { Artifact } from "../../../core/model/artifact.ts";
import { givenTo, lineOf } from "../../../engine/agents/given-texts.ts";
import { marksIn } from "../../../engine/submit/show-texts.ts";
import { isFinished, type Seen } from "../../runs/find.ts";
import type { ArtifactView } from "../run-view.ts";

export type UnacceptedEdit = {
  readonly artifact: string;
  /** A person may submit it. */
  readonly isForPerson: boolean;
  /** The accepted text; empty for none. */
  readonly accepted: () => Promise<string>;
  readonly now: () => Promise<string>;
};

export async function editsOf(seen: Seen): Promise<readonly UnacceptedEdit[]> {
  const { store, workflow, run, row, root } = seen;
  if (isFinished(row)) return [];
  const isWorkspace = workflow.isInPlace || (await store.boundWorkspace(run.id)) !== undefined;
  const collected = await fileArtifacts(store).collect({ root, run, workflow, isWorkspace });
  const behind = new Set((await marksIn({ store }, workflow, run)).map(({ key }) => key));
  const { artifacts, roles } = workflow.definition;
  const agents = (await store.agents({ run: run.id })).filter(
    ({ role, status }) => status !== "ended" && roles[role]?.access === "write",
  );
  const left = new Set(
    (await Promise.all(agents.map((agent) => givenTo({ store }, agent)))).flatMap(
      (given) => given.left ?? [],
    ),
  );
  const isAtWork = ({ by }: Artifact): boolean =>
    agents.some(({ role, status }) => status === "running" && by.includes(role));
  const edited = (reading: Reading): UnacceptedEdit[] => {
    const declared = artifacts[reading.artifact];
    const held = run.held[reading.artifact];
    const { digest: accepted, text } = held?.accepted ?? held?.reading ?? {};
    if (declared === undefined || declared.file === "" || declared.reader.type === "files") return [];
    if (reading.digest === "" || reading.slot !== "" || reading.digest === accepted) return [];
    if (behind.has(reading.artifact) || left.has(lineOf(reading)) || isAtWork(declared)) return [];
    const isForPerson = declared.by.includes("human");
    if (held === undefined && !isForPerson) return [];
    return [
      {
        artifact: reading.artifact,
        isForPerson,
        accepted: async () => (text === undefined ? "" : ((await store.text(text)) ?? "")),
        now: async () => (await collected.textOf(reading)) ?? "",
      },
    ];
  };
  return collected.readings.flatMap(edited);
}

/** An artifact as `show` has it: an edit that nobody accepted is offered, and not taken silently. */
export function withEdit(view: ArtifactView, edits: readonly UnacceptedEdit[], run: string): ArtifactView {
  const edit = edits.find(({ artifact }) => artifact === view.artifact);
  if (edit === undefined) return view;
  const look = `signalbox diff ${run} ${view.artifact}`;
  const take = edit.isForPerson
    ? `signalbox submit ${run} ${view.artifact} submits it as yours`
    : `only ${view.by.join(" and ")} may submit it`;
  return { ...view, edited: true, reason: `edited, and not submitted: ${look} shows the edit, ${take}` };
}
