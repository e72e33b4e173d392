/** Converts a shape to JSON Schema, for programs that send such data. */

import type { Shape } from "../../core/model/artifact.ts";

export type JsonSchema = { readonly [key: string]: unknown };

export function schemaOf(shape: Shape): JsonSchema {
  switch (shape.type) {
    case "text":
      return {
        type: "string",
        ...(shape.values === undefined ? {} : { enum: shape.values }),
        ...(shape.begins === undefined ? {} : { pattern: beginning(shape.begins) }),
      };
    case "number":
    case "boolean":
      return { type: shape.type, ...(shape.values === undefined ? {} : { enum: shape.values }) };
    case "list":
      return {
        type: "array",
        items: schemaOf(shape.of),
        ...(shape.min === undefined ? {} : { minItems: shape.min }),
      };
    case "object":
      return {
        type: "object",
        properties: Object.fromEntries(
          Object.entries({ ...shape.required, ...shape.optional }).map(([key, of]) => [key, schemaOf(of)]),
        ),
        required: Object.keys(shape.required),
        additionalProperties: shape.open,
      };
  }
}

function beginning(begins: readonly string[]): string {
  return `^(${begins.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|")})`;
}
