/**
 * A deliberately naive walk through everything that can happen to a run: every actor tries everything at any time, and
 * two situations are one only when nothing about them differs. It shares only `step` with the checker.
 */

import type { Workflow } from "../../src/core/model/compile.ts";
import type { Actor, Incoming, Reading } from "../../src/core/model/event.ts";
import { NO_RUN, type Run } from "../../src/core/model/run.ts";
import { step, type Step } from "../../src/core/step/step.ts";
import { standingOf } from "../../src/core/gates/artifact-status.ts";
import type { Literal } from "../../src/core/model/value.ts";
import { ORIGIN, START } from "../../src/core/model/workflow.ts";

type Params = Readonly<Record<string, Literal>>;

type Edge = { readonly to: number; readonly human: boolean; readonly cost: Readonly<Record<string, number>> };

export type Naive = {
  readonly runs: readonly Run[];
  readonly edges: readonly (readonly Edge[])[];
  /** Edges by which runs begin. */
  readonly roots: readonly Edge[];
  /** The least number of events to each run. */
  readonly depth: readonly number[];
  readonly complete: boolean;
};

const PERSON: Actor = { type: "human" };
/** One step that makes so many moves never comes to rest. */
const MOVES_MAX = 100;

/** With `people: "ask"` people ask for moves and write what those need, and do nothing else. */
export function walk(
  workflow: Workflow,
  on: { max: number; people: "ask" | "all"; params?: readonly Params[] },
): Naive {
  const { max, people, params = [{}] } = on;
  const ids = new Map<string, number>();
  const runs: Run[] = [];
  const depth: number[] = [];
  const edges: Edge[][] = [];
  const visit = (after: Extract<Step, { ok: true }>, human: boolean, at: number): Edge => {
    const key = keyOf(workflow, after.run);
    const known = ids.get(key);
    const to = known ?? runs.length;
    if (known === undefined) {
      ids.set(key, to);
      runs.push(after.run);
      depth.push(at);
    }
    return { to, human, cost: costOf(after) };
  };
  const starts = workflow.definition.moves.filter((move) => move.from === START);
  const roots = params
    .flatMap((values) => starts.map((move) => ({ move, values })))
    .flatMap(({ move, values }) => {
      const event: Incoming = {
        type: "run-started",
        by: PERSON,
        at: "",
        run: "RUN",
        definition: workflow.hash(),
        to: move.to,
        params: values,
        tree: "t",
        reserved: ["workspace"],
      };
      const after = step(workflow, NO_RUN, event);
      return after.ok ? [visit(after, true, 1)] : [];
    });
  for (let node = 0; node < runs.length && runs.length <= max; node += 1) {
    const run = runs[node] ?? NO_RUN;
    const out: Edge[] = [];
    for (const { event, human } of everything(workflow, run)) {
      if (human && people === "ask" && event.type !== "move-asked" && event.type !== "respawn-asked")
        continue;
      const after = step(workflow, run, event);
      if (after.ok) out.push(visit(after, human, (depth[node] ?? 0) + 1));
    }
    edges[node] = out;
  }
  return { runs, edges, roots, depth, complete: runs.length <= max };
}

/** The most of each thing before a person must act, or nothing where a loop has no end. */
export function worstOf(naive: Naive): Record<string, number> | undefined {
  const all = [...naive.roots, ...naive.edges.flat()];
  if (all.some(({ cost }) => (cost["moves"] ?? 0) >= MOVES_MAX)) return undefined;
  const names = [...new Set(all.flatMap(({ cost }) => Object.keys(cost)))];
  const worst: Record<string, number> = {};
  for (const name of names) {
    const after = longest(naive, name);
    if (after === undefined) return undefined;
    // Too many for the arguments of one call.
    worst[name] = all.reduce(
      (most, { to, human, cost }) => (human ? Math.max(most, (cost[name] ?? 0) + (after[to] ?? 0)) : most),
      0,
    );
  }
  return worst;
}

/** Relaxes every edge until nothing grows any more; what still grows after as many rounds as nodes is a loop. */
function longest({ runs, edges }: Naive, name: string): number[] | undefined {
  const after = runs.map(() => 0);
  for (let round = 0; round <= runs.length; round += 1) {
    let grew = false;
    for (let node = runs.length - 1; node >= 0; node -= 1) {
      for (const { to, human, cost } of edges[node] ?? []) {
        const length = (cost[name] ?? 0) + (after[to] ?? 0);
        if (human || length <= (after[node] ?? 0)) continue;
        after[node] = length;
        grew = true;
      }
    }
    if (!grew) return after;
  }
  return undefined;
}

function everything(workflow: Workflow, run: Run): { event: Incoming; human: boolean }[] {
  const { definition } = workflow;
  const targets = Object.keys(definition.states);
  const agents = Object.values(run.agents);
  const up = agents.filter(({ status }) => status === "called" || status === "alive");
  const actors: Actor[] = [
    PERSON,
    ...up.map(({ role, slot, attempt }): Actor => ({ type: "agent", role, slot, attempt })),
  ];
  const readings = namesRead(workflow).flatMap((name) => readingsOf(workflow, run, name));
  const all: { event: Incoming; human: boolean }[] = [];
  for (const by of actors) {
    const human = by.type === "human";
    const own = readings.filter(({ artifact }) => definition.artifacts[artifact]?.by.includes(nameOf(by)));
    for (const to of targets)
      for (const written of [
        [],
        ...own
          .filter((each) => isNeeded(workflow, { state: run.state, to, by: nameOf(by) }, each))
          .map((each) => [each]),
      ])
        all.push({
          human,
          event: { type: "move-asked", by, at: "", to, readings: written, reserved: ["workspace"] },
        });
    for (const reading of readings)
      all.push({
        human,
        event: { type: "submitted", by, at: "", readings: [reading], reserved: ["workspace"] },
      });
  }
  for (const { role, slot, attempt } of up) {
    const ended = { type: "agent-ended", at: "", role, slot, attempt } as const;
    for (const cause of ["exited", "killed"] as const) {
      all.push({ human: false, event: { ...ended, cause } });
      for (const reading of readings)
        all.push({ human: false, event: { ...ended, cause, readings: [reading] } });
    }
  }
  for (const reading of readings)
    if (definition.artifacts[reading.artifact]?.by.includes("engine") === true)
      all.push({
        human: false,
        event: { type: "observed", at: "", readings: [reading], reserved: ["workspace"] },
      });
  const isTreeRead = Object.values(definition.artifacts).some(({ bind }) => bind.includes("tree"));
  if (isTreeRead && definition.states[run.state]?.final === undefined) {
    const tree = `t${run.seq}`;
    all.push({ human: true, event: { type: "submitted", by: PERSON, at: "", tree } });
    if (up.some(({ role }) => definition.roles[role]?.access === "write"))
      all.push({ human: false, event: { type: "observed", at: "", tree } });
  }
  for (const artifact of Object.keys(definition.artifacts))
    all.push({ human: true, event: { type: "waived", by: PERSON, at: "", artifact, reason: "so" } });
  for (const event of answersTo(workflow, run)) all.push({ human: true, event });
  for (const { role } of agents)
    all.push({ human: true, event: { type: "respawn-asked", by: PERSON, at: "", role } });
  return all;
}

function answersTo({ definition }: Workflow, { question, state }: Run): Incoming[] {
  if (question === undefined) return [];
  const { ask } = question;
  return definition.moves.flatMap(({ from, answer }): Incoming[] =>
    from === state && answer !== undefined
      ? [{ type: "answered", by: PERSON, at: "", ask, answer, text: "", shown: "" }]
      : [],
  );
}

/** With the wish for a move comes what that move needs. */
function isNeeded(
  { definition }: Workflow,
  on: { state: string; to: string; by: string },
  { artifact }: Reading,
): boolean {
  return definition.moves.some(
    (move) =>
      move.from === on.state &&
      (move.to === on.to || move.to === ORIGIN) &&
      move.by.includes(on.by) &&
      move.need.includes(artifact),
  );
}

function nameOf(actor: Actor): string {
  return actor.type === "agent" ? actor.role : actor.type;
}

/** What no move and no claim reads makes no difference; everything else may be written at any time. */
function namesRead({ definition }: Workflow): string[] {
  const { artifacts, moves, assertions } = definition;
  const conditions = [
    ...moves.flatMap((move) => move.when),
    ...assertions.flatMap((claim) => [...claim.when, ...claim.unless].flat()),
  ];
  return Object.keys(artifacts).filter(
    (name) =>
      moves.some((move) => move.need.includes(name)) ||
      conditions.some((condition) => "artifact" in condition && condition.artifact === name),
  );
}

function readingsOf({ definition }: Workflow, run: Run, artifact: string): Reading[] {
  const reader = definition.artifacts[artifact]?.reader;
  const plain = { artifact, slot: "", found: true, digest: `d${run.seq}`, faults: [], fields: {}, lists: {} };
  const isJudged = reader?.type === "check" || (reader?.type === "section" && reader.verdicts !== undefined);
  return isJudged ? (["pass", "needs_fix"] as const).map((verdict) => ({ ...plain, verdict })) : [plain];
}

function costOf({ events, effects }: Extract<Step, { ok: true }>): Record<string, number> {
  const cost: Record<string, number> = {};
  const add = (name: string): void => {
    cost[name] = (cost[name] ?? 0) + 1;
  };
  for (const event of events) if (event.type === "moved") add("moves");
  for (const effect of effects) if (effect.type === "start-agent") add(`start ${effect.role}`);
  return cost;
}

function keyOf(workflow: Workflow, run: Run): string {
  const artifacts = Object.keys(workflow.definition.artifacts).map((name) => [
    standingOf(workflow, run, name),
    name in run.waivers,
    name in run.held,
  ]);
  const agents = Object.values(run.agents)
    .filter(({ status }) => status !== "stopping")
    .map(
      ({ role, status, tree }) => `${role} ${status === "crashed" ? "crashed" : "up"} ${tree === run.tree}`,
    )
    .toSorted();
  return JSON.stringify([
    run.state,
    run.params,
    Object.keys(run.counters)
      .toSorted()
      .map((name) => [name, run.counters[name]]),
    artifacts,
    agents,
    run.frames,
  ]);
}
