/** What the driver of an agent is told about a turn. */

import { valueOf } from "../../core/gates/artifact-status.ts";
import type { Effort } from "../../core/model/vocabulary.ts";
import type { Run } from "../../core/model/run.ts";
import type { Role } from "../../core/model/workflow.ts";
import type { Works } from "../box.ts";
import type { Driver, Turn } from "../ports/drivers.ts";
import type { AgentRow, JobRow, RunAttempt } from "../ports/registry.ts";
import type { Harness, Settings } from "../ports/settings.ts";
import { isConfinedBy } from "../cells/cell.ts";
import { askableEffort } from "./effort.ts";
import { needsPerson } from "../supervise/later.ts";
import { isTurnOf, turnOf } from "./job-id.ts";

type TurnSource = {
  readonly agent: AgentRow;
  readonly turn: number;
  readonly role: Role;
  readonly run: Run;
  readonly harness: Harness;
  readonly seat: Turn["seat"];
  readonly workspace: string;
  /** Empty where its `.git` is not the agent's to write in. */
  readonly git: string;
  readonly settings: Settings;
};

export async function callOf(works: Works, of: TurnSource): Promise<Omit<Turn, "prompt" | "isConfined">> {
  const { agent, turn, role, run, harness, seat, workspace, git } = of;
  return {
    harness,
    access: role.access,
    model: String(valueOf(run, role.model)) || harness.model,
    effort: effortOf(works.drivers.of(harness.driver), of),
    isFirst: turn === 1,
    session: works.desk.session(agent.dir),
    conversation: await conversationOf(works, of),
    seat,
    run: agent.run,
    role: agent.role,
    workspace,
    folders: [works.person.home, ...(git === "" ? [] : [git])],
  };
}

/** A program that cannot do what the role asks for is not started: it would work in another way than people believe. */
function effortOf(driver: Driver, { agent, role, run, harness }: TurnSource): Effort | "" {
  const said = String(role.effort === undefined ? "" : valueOf(run, role.effort));
  if (said === "") return harness.effort;
  const asked = askableEffort(said, driver, harness);
  if ("effort" in asked) return asked.effort;
  const next = `choose another harness for the ${agent.role}`;
  throw needsPerson(`the effort "${said}" of the ${agent.role} cannot be asked for: ${asked.why}`, next);
}

/**
 * The conversation of the attempt, or of the attempt before it, which ended too early. One that an attempt has taken over is not taken
 * over once more: it may be the reason for the end.
 */
async function conversationOf(works: Works, { agent, role, harness, settings }: TurnSource): Promise<string> {
  const jobs = await works.store.jobs({ run: agent.run });
  const printedIn = (attempt: number): string =>
    works.drivers.conversation(harness.driver, turnDirs(jobs, { ...agent, attempt }));
  const own = printedIn(agent.attempt);
  if (own !== "" || role.session !== "persistent") return own;
  // In a sandbox each attempt has a home folder of its own, without the conversations of the attempt before it.
  if (isConfinedBy(works, settings)) return own;
  const before = printedIn(agent.attempt - 1);
  return before === printedIn(agent.attempt - 2) ? "" : before;
}

function turnDirs(jobs: readonly JobRow[], of: RunAttempt): readonly string[] {
  return jobs
    .filter((job) => isTurnOf(job.id, of))
    .toSorted((a, b) => turnOf(a) - turnOf(b))
    .map(({ dir }) => dir);
}
