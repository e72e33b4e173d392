/** Changes values of a settings file and nothing else: comments, order and the style of the rest stay as they are. */

import { isMap, parseDocument } from "yaml";

export type SettingEdit = { readonly path: readonly string[]; readonly value: string | boolean };

/** The same text where every value is there already. Expects a text without problems. */
export function withSettings(text: string, edits: readonly SettingEdit[]): string {
  const document = parseDocument(text);
  const data: unknown = document.toJS() ?? {};
  const missing = edits.filter(
    ({ path, value }) => JSON.stringify(valueAt(data, path)) !== JSON.stringify(value),
  );
  if (missing.length === 0) return text;
  for (const { path, value } of missing) {
    // A key without a value, such as `workflows:` above comments, holds nothing that could be kept.
    for (let depth = 1; depth < path.length; depth += 1)
      if (document.hasIn(path.slice(0, depth)) && !isMap(document.getIn(path.slice(0, depth), true)))
        document.deleteIn(path.slice(0, depth));
    document.setIn(path, value);
  }
  return document.toString({ lineWidth: 0 });
}

function valueAt(data: unknown, path: readonly string[]): unknown {
  let value = data;
  for (const key of path) {
    const found = Object.entries(typeof value === "object" && value !== null ? value : {}).find(
      ([name]) => name === key,
    );
    value = found?.[1];
  }
  return value;
}
