/** `signalbox agents`: which agents there are, in which version, logged in or not, and what uses them. */

import { call } from "../../../app/client.ts";
import type { DataOf } from "../../../app/schemas.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { fitted } from "../../fit.ts";

export const command: Command = {
  usage: "",
  about:
    "Lists the agents of your settings: whether the program is installed, its version, whether you are logged in, which roles of which workflows use it, and what holds it up now.\nNo model is asked; signalbox doctor --trial does that.",
  words: { min: 0, max: 0 },
  options: {},
  examples: ["signalbox agents", "signalbox agents --json"],
  async answer(_given, door): Promise<Answer> {
    const outcome = await call(door, "agents", {});
    return answerOf(outcome, () => showAgents(outcome.data.agents, door));
  },
};

type ListedAgent = DataOf<"agents">["agents"][number];

export function showAgents(
  agents: readonly ListedAgent[],
  { paint, width }: Pick<Door, "paint" | "width">,
): string {
  const rows = agents.map((agent) => [
    paint.bold(agent.name),
    agent.place === "" ? paint.dim("not installed") : agent.version || "version unknown",
    agent.place === "" ? "" : LOGIN[agent.login],
    [...usesOf(agent), ...(agent.trouble === null ? [] : [paint.red(agent.trouble.message)])].join("; "),
  ]);
  return fitted([["AGENT", "VERSION", "LOGIN", "USED BY"].map((title) => paint.dim(title)), ...rows], width);
}

const LOGIN = { yes: "logged in", no: "no login", unknown: "login unknown" };

/** By workflow, because their roles are many. */
function usesOf({ roles, usual }: ListedAgent): readonly string[] {
  const byWorkflow = Map.groupBy(roles, (role) => role.split(": ")[0] ?? "");
  const all = [...byWorkflow].map(([workflow, own]) => {
    const names = own.map((role) => role.slice(workflow.length + 2));
    return `${workflow} (${names.length > ROLES_SHOWN ? `${names.length} roles` : names.join(", ")})`;
  });
  return [...(usual ? ["roles that name none"] : []), ...(all.length === 0 ? [] : [all.join(", ")])];
}

const ROLES_SHOWN = 3;
