/** Texts that a run begins with where nobody brings them: made of its parameters, which are a person's own words. */

import type { Begin } from "../../core/model/artifact.ts";
import type { Workflow } from "../../core/model/compile.ts";
import { withDefaults } from "../../core/model/entry.ts";
import type { Literal } from "../../core/model/value.ts";
import { renderProjection } from "../../format/projection/write.ts";
import type { Texts } from "./texts.ts";

type Params = Readonly<Record<string, Literal>>;

export function begunTexts({ definition }: Workflow, given: Params, brought: Texts): Texts {
  const params = withDefaults(definition, given);
  const lines = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, linesOf(value)]));
  return Object.entries(definition.artifacts).flatMap(([artifact, { file, begin }]) => {
    const isBrought = brought.some((each) => each.artifact === artifact);
    if (begin === undefined || isBrought || !isMet(begin, params)) return [];
    const rendered = renderProjection({ file, as: begin.as, data: begin.data }, { params, lines }, undefined);
    return rendered.ok ? [{ artifact, text: () => rendered.text }] : [];
  });
}

function isMet({ when }: Begin, params: Params): boolean {
  return Object.entries(when).every(([name, value]) => params[name] === value);
}

type Line = {
  /** Which it is, as three digits. */
  readonly n: string;
  readonly text: string;
  /** What stands before its first colon. */
  readonly label: string;
};

function linesOf(value: Literal): readonly Line[] {
  const texts = String(value)
    .split(/\r?\n/)
    .map((text) => text.trim());
  return texts
    .filter((text) => text !== "")
    .map((text, index) => ({
      n: String(index + 1).padStart(3, "0"),
      text,
      label: text.includes(":") ? text.slice(0, text.indexOf(":")) : "",
    }));
}
