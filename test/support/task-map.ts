/** The map of tasks, as it must be: written down from the seed's table and the resolutions, not from the definition. */

export const STATES = [
  "pending",
  "planning",
  "clarification",
  "working",
  "agent-review",
  "reviewing",
  "stuck",
  "done",
  "cancelled",
] as const;

/** Who may bring it from one state to another. `engine` moves by itself. */
export const MAP: Readonly<Record<string, readonly string[]>> = {
  "pending > planning": ["human", "engine"],
  "pending > cancelled": ["human"],
  "planning > working": ["worker", "human"],
  "planning > clarification": ["worker", "human"],
  "planning > stuck": ["engine"],
  "planning > done": ["human"],
  "planning > cancelled": ["human"],
  "clarification > planning": ["worker", "human"],
  "clarification > working": ["worker", "human"],
  "clarification > done": ["human"],
  "clarification > cancelled": ["human"],
  "working > agent-review": ["worker", "human"],
  "working > clarification": ["worker", "human"],
  "working > stuck": ["worker", "human", "engine"],
  "working > done": ["human"],
  "working > cancelled": ["human"],
  "agent-review > reviewing": ["reviewer", "engine"],
  "agent-review > working": ["reviewer", "engine"],
  "agent-review > stuck": ["engine"],
  "agent-review > done": ["human"],
  "agent-review > cancelled": ["human"],
  "reviewing > working": ["human"],
  "reviewing > done": ["human"],
  "reviewing > cancelled": ["human"],
  "stuck > reviewing": ["human"],
  "stuck > done": ["human"],
  "stuck > cancelled": ["human"],
};
