/** `signalbox task update`: details first, so that whoever is told about the move finds them changed. */

import { UserError } from "../../adapters/user-error.ts";
import { boundWorkspace } from "../../engine/place.ts";
import { acted } from "../acted.ts";
import { acting, ask, runOf, voiceOf, type Acting, type Done, type Voice } from "../acting.ts";
import type { Answer, Door, Given } from "../command.ts";
import { moveTo } from "../moving.ts";

const HELP = "signalbox task --help";
const DETAILS = ["branch", "summary"] as const;

export function update({ words, options }: Given, door: Door): Promise<Answer> {
  return acting(door, async (on) => {
    const { status, note, key } = options;
    const [word, more] = words;
    if (more !== undefined)
      throw new UserError("bad-usage", `signalbox task update does not take "${more}"`, HELP);
    const details = DETAILS.filter((name) => options[name] !== undefined);
    if (details.length === 0 && status === undefined)
      throw new UserError("bad-usage", "say what to change: --status, --branch or --summary", HELP);
    const run = runOf(on, word);
    const voice = await voiceOf(on, run);
    let done: Done | undefined;
    for (const name of details) {
      const given = options[name] ?? "";
      const value = name === "branch" && given === "" ? await branchOf(on, run) : given;
      done = await setDetail(on, { run, name, value, voice, key: keyFor(key, name) });
    }
    if (status !== undefined) done = await moveTo(on, { run, to: status, note, key, voice });
    if (done === undefined) throw new Error("nothing was asked for");
    return acted(done, details.length === 0 ? undefined : `${details.join(" and ")} changed`);
  });
}

/** One call is several events: each has a key of its own. */
function keyFor(key: string | undefined, name: string): string | undefined {
  return key === undefined ? undefined : `${key}:${name}`;
}

type Detail = {
  readonly run: string;
  readonly name: string;
  readonly value: string;
  readonly voice: Voice;
  readonly key: string | undefined;
};

function setDetail(on: Acting, { run, name, value, voice, key }: Detail): Promise<Done> {
  return ask(on, {
    run,
    voice,
    ...(key === undefined ? {} : { key }),
    facts: {},
    event: ({ at }, by) => ({ type: "param-set", by, at, name, value }),
  });
}

async function branchOf({ box, door }: Acting, run: string): Promise<string> {
  const workspace = boundWorkspace(box, run);
  if (workspace === undefined)
    throw new UserError("no-workspace", `run ${run} has no workspace whose branch could be asked for`, HELP);
  const { repositoryOf } = await import("../../adapters/git/repository.ts");
  const { branch } = await repositoryOf(workspace.path, door.env);
  if (branch !== "") return branch;
  throw new UserError("no-branch", `no branch is checked out in ${workspace.path}`, `git switch -c NAME`);
}
