/** A prompt names fields of artifacts: each must have such a field, and one reading to take it from. */

import type { Definition } from "../../../core/model/workflow.ts";
import { wordsIn } from "../../prompt.ts";
import type { Build } from "../build/builder.ts";
import { isDoubtful, report } from "../build/context.ts";
import { fieldOf } from "../artifacts/fields.ts";

export function checkPromptWords({ context, prompts, used }: Build, { artifacts }: Definition): void {
  const names = Object.keys(artifacts);
  for (const prompt of [...used].sort().flatMap((name) => prompts[name] ?? []))
    for (const { word, artifact: name, field, place } of wordsIn(prompt, names)) {
      const artifact = artifacts[name];
      if (artifact === undefined || isDoubtful(context, name)) continue;
      const { reader } = artifact;
      if (artifact.each === undefined && "lists" in reader && Object.hasOwn(reader.lists, field)) continue;
      const found = fieldOf(artifact, field);
      if (!("message" in found)) continue;
      const why = artifact.each === undefined ? found.message : `${name} is one of several`;
      report(context, place, {
        code: "bad-prompt",
        message: `{${word}} cannot be filled in: ${why}`,
        suggestion: found.suggestion,
      });
    }
}
