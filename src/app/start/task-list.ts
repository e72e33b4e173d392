/** The list of tasks that a run begins with: given, or found where the workflow has it, and read before anything is written. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../adapters/user-error.ts";
import { listStartedIn } from "../../core/model/entry.ts";
import type { Definition } from "../../core/model/workflow.ts";
import type { Acting } from "../context.ts";
import { EXIT_GATE } from "../exit-codes.ts";
import type { Given } from "../invocation.ts";
import { textIn } from "../text-input.ts";
import type { Site } from "./site.ts";
import { typed } from "./typed-command.ts";

/** With the file that each was read from. */
export type GivenTexts = readonly {
  readonly artifact: string;
  readonly file: string;
  readonly text: () => string;
}[];

type Of = {
  readonly given: Given;
  readonly texts: GivenTexts;
  readonly stage: string;
  /** The list that the stage begins with. */
  readonly needed: string | undefined;
};

export async function listFor(
  on: Acting,
  site: Site,
  of: Of,
): Promise<{ readonly texts: GivenTexts; readonly told: readonly string[] }> {
  const { definition } = site.loaded.workflow;
  const { plan } = of.given.options;
  const artifact = of.needed ?? (plan === undefined ? undefined : startedIn(definition));
  if (artifact === undefined) return { texts: of.texts, told: [] };
  const known = of.texts.find((text) => text.artifact === artifact);
  if (plan !== undefined && known !== undefined)
    throw new UserError(
      "bad-usage",
      `--plan and --with ${artifact}= do not go together`,
      "signalbox run --help",
    );
  const file = plan ?? known?.file ?? foundFor(site, definition.artifacts[artifact]?.file ?? "");
  if (file === undefined) throw noList(site, of, definition.artifacts[artifact]?.file ?? artifact);
  // Once: the standard input cannot be read again.
  const text = known?.text() ?? textIn(on.door.cwd, file);
  await requireList(definition, { artifact, file, text });
  const others = of.texts.filter((one) => one !== known);
  const told =
    plan === undefined && known === undefined ? [`${file} of your checkout is its list of tasks`] : [];
  return { texts: [...others, { artifact, file, text: () => text }], told };
}

function startedIn(definition: Definition): string | undefined {
  const lists = Object.keys(definition.states).map((state) => listStartedIn(definition, state));
  return lists.find((list) => list !== undefined);
}

/** Where the workflow itself would write it. */
function foundFor({ tree }: Site, path: string): string | undefined {
  if (path === "" || path.includes("{")) return undefined;
  const file = join(tree, path);
  return existsSync(file) ? file : undefined;
}

function noList({ loaded }: Site, { given, stage }: Of, path: string): UserError {
  const message = `${stage} works off a list of tasks, and there is none: neither --plan nor ${path} in your checkout`;
  return new UserError("gate-not-met", message, {
    next: typed(loaded.name, given, ["--stage", stage, "--plan", "FILE"]),
    exit: EXIT_GATE,
  });
}

/** What could not be worked off is told where it stands. */
async function requireList(
  { artifacts }: Definition,
  { artifact, file, text }: { readonly artifact: string; readonly file: string; readonly text: string },
): Promise<void> {
  const reader = artifacts[artifact]?.reader;
  if (reader?.type !== "tasks") return;
  const { readTasks } = await import("../../format/tasks/read.ts");
  const { faults } = readTasks(reader.style, file, text);
  const [first] = faults;
  if (first === undefined) return;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  const { line, col } = first.at;
  throw new UserError("invalid-list", `${file}:${line}:${col}: ${first.reason}${more}`, {
    next: `mend ${file}:${line}`,
    exit: EXIT_GATE,
    at: first.at,
  });
}
