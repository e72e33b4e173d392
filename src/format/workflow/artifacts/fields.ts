/** The fields of an artifact that a guard may read, and the values that it may compare them with. */

import { closest } from "../../../core/text/closest.ts";
import type { Artifact, Shape } from "../../../core/model/artifact.ts";
import type { Literal } from "../../../core/model/value.ts";
import { FAILING } from "../../../core/model/verdict.ts";
import { countedBy } from "../../../core/model/field.ts";
import { FACTS } from "../../../core/model/vocabulary.ts";
import { kindOfValue } from "./shapes.ts";

/** A field as its reader returns it. Without a kind, the file may contain any value. */
type ReadableField = { readonly kind?: "text" | "number" | "boolean"; readonly values?: readonly Literal[] };

/** Why a guard cannot read or compare a field. */
export type Objection = { readonly message: string; readonly suggestion?: string | undefined };

export function fieldOf(artifact: Artifact, name: string): ReadableField | Objection {
  const { reader } = artifact;
  if (artifact.each !== undefined) return { message: "it has many readings: no guard may read their fields" };
  switch (reader.type) {
    case "section": {
      const asked = [...reader.any, ...reader.all];
      if (asked.includes(name)) return { kind: "text" };
      // A section may have undeclared fields; the reader recognises them by their capitals.
      const isField = name === name.toUpperCase() && name !== "VERDICT";
      return isField ? { kind: "text" } : unknown(name, asked);
    }
    case "json":
    case "yaml":
      return countedBy(reader, name) === undefined ? ofShape(reader.shape, name) : { kind: "number" };
    case "tasks":
      return name === "tasks" ? { kind: "number" } : unknown(name, ["tasks"]);
    case "check":
      if (name === "failing") return { kind: "text", values: FAILING };
      if (name === "manual" && reader.from !== undefined) return { kind: "number" };
      return unknown(name, reader.from === undefined ? ["failing"] : ["failing", "manual"]);
    case "fact":
      return ofFact(reader.fact, name);
    case "document":
      return reader.front === undefined
        ? { message: "what is read as document has no fields without front matter" }
        : ofShape(reader.front.shape, name);
    case "files":
      if (reader.select !== "paths") return { message: "only files by their paths have a field: found" };
      return name === "found" ? { kind: "number" } : unknown(name, ["found"]);
    case "children":
    case "file":
      return { message: `what is read as ${reader.type} has no fields` };
  }
}

function ofFact(fact: string, name: string): ReadableField | Objection {
  const fields = FACTS[fact]?.fields;
  return fields === undefined ? { message: "this fact has no fields" } : ofShape(fields, name);
}

function ofShape(shape: Shape | undefined, name: string): ReadableField | Objection {
  if (shape === undefined) return {};
  if (shape.type !== "object") return { message: "its shape is not an object: it has no fields" };
  const all = { ...shape.required, ...shape.optional };
  const inner = Object.hasOwn(all, name) ? all[name] : undefined;
  if (inner === undefined) return shape.open ? {} : unknown(name, Object.keys(all));
  if (inner.type === "object") return { message: `${name} is an object: no guard may read it` };
  // The number of its members.
  if (inner.type === "list") return { kind: "number" };
  return { kind: inner.type, ...(inner.values === undefined ? {} : { values: inner.values }) };
}

/** Why these texts cannot be taken from every valid version of the artifact. */
export function objectionToTexts(artifact: Artifact, names: readonly string[]): string | undefined {
  const { reader } = artifact;
  if (artifact.each !== undefined || (reader.type !== "json" && reader.type !== "yaml"))
    return "it is not read as one json or yaml";
  const { shape } = reader;
  if (shape === undefined) return undefined;
  const required = shape.type === "object" ? shape.required : {};
  const missing = names.find((name) => !Object.hasOwn(required, name) || required[name]?.type !== "text");
  return missing === undefined ? undefined : `its shape must have "${missing}: text"`;
}

function unknown(name: string, known: readonly string[]): Objection {
  return { message: `unknown field "${name}"`, suggestion: closest(name, known) };
}

export function objectionTo({ kind, values }: ReadableField, value: Literal): Objection | undefined {
  if (values !== undefined && !values.includes(value))
    return {
      message: `it can be ${values.join(", ")}, not "${String(value)}"`,
      suggestion: closest(String(value), values.map(String)),
    };
  if (kind === undefined || kindOfValue(value) === kind) return undefined;
  return { message: `it is a ${kind}, and ${JSON.stringify(value)} is a ${kindOfValue(value)}` };
}

export function objectionToLeast({ kind, values }: ReadableField, min: number): Objection | undefined {
  if (kind !== undefined && kind !== "number")
    return { message: `it is a ${kind}: only a number has a "min"` };
  if (values === undefined || values.some((value) => Number(value) >= min)) return undefined;
  return { message: `it can be ${values.join(", ")}, never ${min} or more` };
}

export function objectionToMost({ kind, values }: ReadableField, max: number): Objection | undefined {
  if (kind !== undefined && kind !== "number")
    return { message: `it is a ${kind}: only a number has a "max"` };
  if (values === undefined || values.some((value) => Number(value) <= max)) return undefined;
  return { message: `it can be ${values.join(", ")}, never ${max} or less` };
}
