/**
 * Prompts must not promise what the definition refuses: their commands, sections and variables are looked up in the definition.
 */

import { closest } from "../../text/closest.ts";
import { variablesIn } from "../../text/prompt-variables.ts";
import type { Workflow } from "../../model/compile.ts";
import { artifactsIn } from "../../model/status.ts";
import type { Action, Move, SourcePlace, Prompt } from "../../model/workflow.ts";
import type { Defect } from "../defect.ts";

/** These variables depend on the role that reads the prompt: without a role they have no value. */
const OF_ROLE = ["commands", "commands_by_state"];
const BUILT_IN = [
  "run",
  "state",
  "workspace",
  "slot",
  "member",
  "attempt",
  "session",
  "base",
  "tree",
  "branch",
  "policy",
  "input",
  "output",
  ...OF_ROLE,
];

/** The role that reads a prompt, and the states if they are known. */
type PromptUse = { readonly role: string; readonly states: readonly string[] | undefined };

export function checkPrompts(workflow: Workflow): Defect[] {
  const uses = usesOf(workflow);
  return Object.entries(workflow.definition.prompts).flatMap(([name, prompt]) => [
    ...checkVariables(workflow, prompt, uses.get(name) ?? []),
    ...checkCommands(workflow, prompt, uses.get(name) ?? []),
    ...checkSections(workflow, prompt, uses.get(name) ?? []),
  ]);
}

function usesOf(workflow: Workflow): Map<string, PromptUse[]> {
  const { roles, states, moves, ends } = workflow.definition;
  const uses = new Map<string, PromptUse[]>();
  const add = (prompt: string, use: PromptUse): void => {
    uses.set(prompt, [...(uses.get(prompt) ?? []), use]);
  };
  for (const [role, { prompt, again }] of Object.entries(roles)) {
    add(prompt, { role, states: undefined });
    add(again, { role, states: undefined });
  }
  const fromActions = (actions: readonly Action[], target: string): void => {
    for (const action of actions) {
      if (action.type === "tell") add(action.message, { role: action.role, states: [target] });
      if (action.type === "tell" && action.orStart !== undefined)
        add(action.orStart, { role: action.role, states: undefined });
      if (action.type === "start" && action.prompt !== undefined)
        add(action.prompt, { role: action.role, states: undefined });
    }
  };
  for (const move of moves) fromActions(move.do, move.to);
  for (const [name, state] of Object.entries(states)) fromActions(state.enter, name);
  for (const end of ends) fromActions([...end.then, ...end.do], end.in);
  return uses;
}

function checkVariables(workflow: Workflow, prompt: Prompt, uses: readonly PromptUse[]): Defect[] {
  const counters = Object.keys(workflow.definition.counters);
  const budgets = counters.map((name) => `${name}_max`);
  const known = [...BUILT_IN, ...Object.keys(workflow.definition.params), ...counters, ...budgets];
  const without = uses.find(({ role }) => workflow.definition.roles[role]?.input === undefined);
  const isOwn = Object.hasOwn(workflow.definition.params, "input") || counters.includes("input");
  return variablesOf(prompt).flatMap(({ word, at }) => {
    if (word === "input" && !isOwn && (uses.length === 0 || without !== undefined))
      return [
        bad(at, `{input} is the file of a role's "input", and ${without?.role ?? "no reader"} has none`),
      ];
    if (OF_ROLE.includes(word) && uses.length === 0)
      return [bad(at, `{${word}} lists what an agent may type, and no agent reads this prompt`)];
    if (known.includes(word)) return [];
    return [bad(at, `{${word}} is not a parameter, counter or built-in variable`, closest(word, known))];
  });
}

function checkCommands(workflow: Workflow, prompt: Prompt, uses: readonly PromptUse[]): Defect[] {
  const { states, artifacts } = workflow.definition;
  const targets = matches(
    prompt,
    /signalbox (?:(?:\S+ )?update\b[^`\n]*?--status|move \S+) +([A-Za-z0-9][\w.-]*)/g,
  );
  const submits = matches(prompt, /signalbox submit +([A-Za-z0-9][\w.-]*)/g);
  const defects: Defect[] = [];
  for (const { word = "", at } of targets) {
    if (states[word] === undefined)
      defects.push(
        bad(at, `it names the state "${word}", which does not exist`, closest(word, Object.keys(states))),
      );
    else {
      const shut = uses.find((use) => !mayAsk(workflow, use, word));
      if (shut !== undefined)
        defects.push(
          bad(
            at,
            `it tells ${shut.role} to ask for ${word}, which ${shut.role} may not do${shut.states === undefined ? "" : ` in ${shut.states.join(", ")}`}`,
          ),
        );
    }
  }
  for (const { word = "", at } of submits) {
    const artifact = artifacts[word];
    if (artifact === undefined)
      defects.push(
        bad(
          at,
          `it names the artifact "${word}", which does not exist`,
          closest(word, Object.keys(artifacts)),
        ),
      );
    else {
      const other = uses.find((use) => !artifact.by.includes(use.role));
      if (other !== undefined)
        defects.push(
          bad(
            at,
            `it tells ${other.role} to submit ${word}, which counts only from ${artifact.by.join(" or ")}`,
          ),
        );
    }
  }
  return defects;
}

/** A role may request its own moves, and moves that the engine decides by the role's artifacts. */
function mayAsk(workflow: Workflow, use: PromptUse, to: string): boolean {
  const isOwn = (move: Move): boolean => move.by.includes(use.role);
  const isJudged = (move: Move): boolean =>
    move.by.includes("engine") &&
    artifactsIn(move).some((name) => workflow.definition.artifacts[name]?.by.includes(use.role));
  return workflow.definition.moves.some(
    (move) => move.to === to && (use.states?.includes(move.from) ?? true) && (isOwn(move) || isJudged(move)),
  );
}

function checkSections(workflow: Workflow, prompt: Prompt, uses: readonly PromptUse[]): Defect[] {
  const sections = Object.entries(workflow.definition.artifacts).flatMap(([name, { reader, by }]) =>
    reader.type === "section" ? [{ name, heading: reader.heading, by }] : [],
  );
  const documents = Object.values(workflow.definition.artifacts).flatMap(({ reader }) =>
    reader.type === "document" ? reader.headings : [],
  );
  const headings = [...sections.map((section) => section.heading), ...documents];
  const named = matches(prompt, /`## ([^`\n]+)`/g);
  const written = matches(prompt, /\b[Ww]rite +`## ([^`\n]+)`/g);
  return [
    ...named.flatMap(({ word = "", at }) =>
      headings.includes(word)
        ? []
        : [bad(at, `it names the section "## ${word}", which no artifact has`, closest(word, headings))],
    ),
    ...written.flatMap(({ word = "", at }) => {
      const section = sections.find(({ heading }) => heading === word);
      const other = section === undefined ? undefined : uses.find((use) => !section.by.includes(use.role));
      return section === undefined || other === undefined
        ? []
        : [
            bad(
              at,
              `it tells ${other.role} to write "## ${word}", which counts only from ${section.by.join(" or ")}`,
            ),
          ];
    }),
  ];
}

export function variablesOf(prompt: Prompt): readonly { readonly word: string; readonly at: SourcePlace }[] {
  return variablesIn(prompt.text).map(({ name, index }) => ({ word: name, at: placeIn(prompt, index + 1) }));
}

function matches(prompt: Prompt, pattern: RegExp): { word: string | undefined; at: SourcePlace }[] {
  return [...prompt.text.matchAll(pattern)].map((match) => ({
    word: match[1],
    at: placeIn(prompt, match.index + match[0].lastIndexOf(match[1] ?? "")),
  }));
}

function placeIn(prompt: Prompt, offset: number): SourcePlace {
  const before = prompt.text.slice(0, offset).split("\n");
  return { file: prompt.file, line: before.length, col: Array.from(before.at(-1) ?? "").length + 1 };
}

export function bad(at: SourcePlace, message: string, near?: string): Defect {
  return {
    code: "bad-prompt",
    at,
    message: `${message}${near === undefined ? "" : ` (did you mean "${near}"?)`}`,
    trace: [],
  };
}
