/** An artifact with the parameters of one run: a shape that names a parameter allows only the run's value. */

import type { Artifact, Shape } from "../model/artifact.ts";
import type { Literal, ParamValues } from "../model/value.ts";

export function ownArtifact(params: ParamValues, artifact: Artifact): Artifact {
  const { reader } = artifact;
  if (reader.type === "json" || reader.type === "yaml") {
    if (reader.shape === undefined) return artifact;
    const shape = ownShape(params, reader.shape);
    return shape === reader.shape ? artifact : { ...artifact, reader: { ...reader, shape } };
  }
  if ((reader.type !== "document" && reader.type !== "tasks") || reader.front?.shape === undefined)
    return artifact;
  const shape = ownShape(params, reader.front.shape);
  return shape === reader.front.shape ? artifact : { ...artifact, reader: { ...reader, front: { shape } } };
}

/** Returns the same object for a shape without parameters. */
function ownShape(params: ParamValues, shape: Shape): Shape {
  switch (shape.type) {
    case "text":
    case "number":
    case "boolean":
      return shape.is === undefined ? shape : { type: shape.type, values: valuesOf(params, shape.is.param) };
    case "list": {
      const of = ownShape(params, shape.of);
      return of === shape.of ? shape : { ...shape, of };
    }
    case "object": {
      const [required, optional] = [owned(params, shape.required), owned(params, shape.optional)];
      const isSame = required === shape.required && optional === shape.optional;
      return isSame ? shape : { ...shape, required, optional };
    }
  }
}

function owned(
  params: ParamValues,
  shapes: Readonly<Record<string, Shape>>,
): Readonly<Record<string, Shape>> {
  let isSame = true;
  const own = Object.entries(shapes).map(([key, shape]) => {
    const mine = ownShape(params, shape);
    isSame &&= mine === shape;
    return [key, mine] as const;
  });
  return isSame ? shapes : Object.fromEntries(own);
}

/** A parameter without a value allows nothing. */
function valuesOf(params: ParamValues, name: string): readonly Literal[] {
  const value = Object.hasOwn(params, name) ? params[name] : undefined;
  return value === undefined ? [] : [value];
}
