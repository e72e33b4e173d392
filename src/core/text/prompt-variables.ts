/** Variables of prompts: `{summary}` is one, `{{summary}}` is the text `{summary}`, and all other braces are text. */

export const VARIABLE = /\{\{(?<literal>[a-z][a-z0-9_]*)\}\}|\{(?<name>[a-z][a-z0-9_]*)\}/g;

/** `index` is that of the brace. */
export function variablesIn(text: string): readonly { readonly name: string; readonly index: number }[] {
  return Array.from(text.matchAll(VARIABLE)).flatMap(({ groups, index }) => {
    const name = groups?.["name"];
    return name === undefined ? [] : [{ name, index }];
  });
}
