/** `update_status`: as `signalbox task update`. */

import type { AgentCaller } from "../../app/caller.ts";
import { call } from "../../app/client.ts";
import { awaits } from "../../core/explain/review-policy.ts";
import { optionsIn, speak, texts, type AgentTool } from "../tool.ts";

const DETAILS = ["summary", "branch"];

export const updateStatus: AgentTool = {
  name: "update_status",
  title: "Ask for a move",
  about:
    "Asks for a move of your run to another state, as its workflow lets your role, and changes details of it. Refused with what is missing where the gate is shut.",
  looks: false,
  for: "agent",
  fields: {
    status: "the state to move to",
    note: "why, for the history",
    summary: "one line that says what the task is",
    branch: "the new name of the branch",
    key: "the same key twice does it once, and gives the same answer",
  },
  isFor: (caller) => hasMove(caller) || detailsOf(caller).length > 0,
  input: (caller) => texts([], ["status", "note", ...detailsOf(caller), "key"]),
  call: async (given, { door, caller }) => {
    const options = optionsIn(given, ["status", "note", ...DETAILS, "key"]);
    return speak(await call(door, "update", { run: caller.run, ...options }));
  },
};

/** One of its own, or one that the engine takes on what it has written: asking for that makes the engine look. */
function hasMove({ definition, role }: AgentCaller): boolean {
  const own = Object.keys(definition.artifacts).filter(
    (name) => definition.artifacts[name]?.by.includes(role) === true,
  );
  return definition.moves.some(
    (move) =>
      (move.by.includes(role) && move.answer === undefined) ||
      (move.by.includes("engine") && own.some((name) => awaits(move, name))),
  );
}

function detailsOf({ definition, role }: AgentCaller): readonly string[] {
  return DETAILS.filter((name) => {
    const param = definition.params[name];
    return param?.type === "text" && param.set.includes(role);
  });
}
