/** Workflows beside the published contracts of agents: whether all that a workflow gives to an agent and takes from it is what its role is promised and promises. */
import { basename } from "node:path";
import type { Shape } from "../../src/core/model/artifact.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { FromTree } from "../../src/core/projection/project.ts";
import type { DataTree } from "../../src/core/model/workflow.ts";
import { AGENT_INPUTS, AGENT_OUTPUTS, CONTEXT } from "../../scripts/agent-contract.ts";
import { schemaOf, type JsonSchema } from "../../src/format/json/schema.ts";
import { toJSONSchema } from "zod/mini";

/** In words, with their places; none where all is well. Only artifacts in `ROLE.output.json` and roles of a team are looked at. */
export function breachesOf({ definition }: Workflow): string[] {
  const { artifacts, roles } = definition;
  const answers = Object.values(artifacts).flatMap(({ file, reader }) => {
    const role = /\/([A-Za-z]+)\.output\.json$/.exec(file)?.[1] ?? "";
    const contract = AGENT_OUTPUTS[role];
    if (contract === undefined) return [];
    const shape: Shape | undefined = reader.type === "json" ? reader.shape : undefined;
    if (shape === undefined) return [`${role}: any answer is taken`];
    return beyond(schemaOf(shape), toJSONSchema(contract), role);
  });
  const readers = Object.entries(CONTEXT).flatMap(([role, { required, optional }]) => {
    const own = roles[role];
    if (own === undefined || own.input === undefined) return [];
    const files = new Set(
      own.context.map((name) => basename(artifacts[name.replace(/\?$/, "")]?.file ?? "")),
    );
    return [...required, ...optional]
      .filter((file) => !files.has(file))
      .map((file) => `${role} does not read ${file}`);
  });
  const inputs = Object.entries(roles).flatMap(([role, { input }]) => {
    const contract = AGENT_INPUTS[role];
    if (contract === undefined || input?.file.endsWith(`/${role}.input.json`) !== true) return [];
    return astray(input.data, toJSONSchema(contract), `${role} input`);
  });
  return [...answers, ...readers, ...inputs];
}

/** What a role may say by the published contract, and this workflow does not take: whoever has read only that would be told that it is wrong. */
export function refusalsOf({ definition }: Workflow): string[] {
  return Object.values(definition.artifacts).flatMap(({ file, reader }) => {
    const role = /\/([A-Za-z]+)\.output\.json$/.exec(file)?.[1] ?? "";
    const contract = AGENT_OUTPUTS[role];
    if (contract === undefined || reader.type !== "json" || reader.shape === undefined) return [];
    return untaken(toJSONSchema(contract), schemaOf(reader.shape), role);
  });
}

function untaken(contract: JsonSchema, taken: JsonSchema, at: string): string[] {
  const [inner, own] = [contract["items"], taken["items"]] as (JsonSchema | undefined)[];
  if (inner !== undefined && own !== undefined) return untaken(inner, own, `${at}[]`);
  const allowed = (taken["enum"] ?? contract["enum"] ?? []) as readonly unknown[];
  const lost = ((contract["enum"] ?? []) as readonly unknown[]).filter((word) => !allowed.includes(word));
  const parts = (taken["properties"] ?? {}) as Parts;
  return [
    ...lost.map((word) => `${at} may not be ${String(word)}`),
    ...Object.entries((contract["properties"] ?? {}) as Parts).flatMap(([key, of]) => {
      const known = parts[key];
      return known === undefined ? [`${at}.${key} is refused`] : untaken(of, known, `${at}.${key}`);
    }),
  ];
}

/** What is given and is no part of the contract, or missing. What is looked up when the input is written is not known here. */
function astray(given: DataTree, contract: JsonSchema, at: string): string[] {
  const ways = contract["anyOf"] as readonly JsonSchema[] | undefined;
  if (ways !== undefined) {
    const all = ways.map((way) => astray(given, way, at));
    return all.find((found) => found.length === 0) ?? all[0] ?? [];
  }
  if (typeof given !== "object" || given === null)
    return isOne(given, contract) ? [] : [`${at} is ${String(given)}`];
  if ("from" in given && isPath(given.from)) {
    const { cases = {}, else: other } = given as FromTree;
    const all = [...Object.values(cases), ...(other === undefined ? [] : [other])];
    return all.flatMap((way) => astray(way, contract, at));
  }
  const isList = Array.isArray(given) || ("each" in given && !("key" in given));
  if (isList !== (contract["type"] === "array")) return [`${at} is ${isList ? "a list" : "no list"}`];
  if (isList) {
    const members = Array.isArray(given)
      ? (given as readonly DataTree[])
      : [(given as { readonly give: DataTree }).give];
    return members.flatMap((member) => astray(member, contract["items"] as JsonSchema, `${at}[]`));
  }
  const known = contract["properties"] as Parts | undefined;
  if (known === undefined) return [`${at} is a map`];
  const required = (contract["required"] ?? []) as readonly string[];
  return [
    ...required.filter((key) => !Object.hasOwn(given, key)).map((key) => `${at}.${key} is missing`),
    ...Object.entries(given).flatMap(([key, inner]: [string, DataTree]) => {
      const of = known[key];
      return of === undefined
        ? [`${at}.${key} is no part of the contract`]
        : astray(inner, of, `${at}.${key}`);
    }),
  ];
}

function isPath(from: unknown): boolean {
  return typeof from === "string" || Array.isArray(from);
}

function isOne(given: string | number | boolean | null, contract: JsonSchema): boolean {
  const kinds = [contract["type"]].flat();
  if (!kinds.includes(given === null ? "null" : typeof given)) return false;
  const allowed = contract["enum"] as readonly unknown[] | undefined;
  return allowed === undefined || allowed.includes(given);
}

type Parts = { readonly [key: string]: JsonSchema };

/** What the first takes and the second does not. */
function beyond(taken: JsonSchema, contract: JsonSchema, at: string): string[] {
  // Shown, and never obeyed: a wrong name there is no reason to begin again.
  if (at.endsWith(".next.recommended_agent")) return [];
  const kind = contract["type"] === "integer" ? "number" : contract["type"];
  if (taken["type"] !== kind) return [`${at} is a ${String(taken["type"])}`];
  if (kind === "array")
    return beyond(taken["items"] as JsonSchema, contract["items"] as JsonSchema, `${at}[]`);
  if (kind !== "object") return words(taken, contract, at);
  const [own, known] = [taken["properties"] as Parts, contract["properties"] as Parts];
  const required = taken["required"] as readonly string[];
  return [
    ...(taken["additionalProperties"] === false ? [] : [`${at} may have any key`]),
    ...((contract["required"] ?? []) as readonly string[])
      .filter((key) => !required.includes(key))
      .map((key) => `${at}.${key} may be missing`),
    ...Object.entries(own).flatMap(([key, inner]) => {
      const of = known[key];
      return of === undefined
        ? [`${at}.${key} is no part of the contract`]
        : beyond(inner, of, `${at}.${key}`);
    }),
  ];
}

function words(taken: JsonSchema, contract: JsonSchema, at: string): string[] {
  const known = contract["enum"] as readonly string[] | undefined;
  if (known === undefined) return [];
  const own = taken["enum"] as readonly string[] | undefined;
  if (own === undefined) return [`${at} may be any word`];
  const other = own.find((word) => !known.includes(word));
  if (other !== undefined) return [`${at} may be ${other}`];
  // A word that nobody takes would be a death.
  const lost = at.endsWith(".status") ? known.filter((word) => !own.includes(word)) : [];
  return lost.map((word) => `${at} may not be ${word}`);
}
