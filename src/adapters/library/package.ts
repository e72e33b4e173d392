/** Where this package is, whether it runs from its bundle or from its source. */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export function packageRoot(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (isOurs(join(folder, "package.json"))) return folder;
    if (dirname(folder) === folder)
      throw new Error(`no package.json of signalbox above ${import.meta.dirname}`);
  }
}

function isOurs(file: string): boolean {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    // Most folders have no package.json: the search goes on above.
    return false;
  }
  return /"name":\s*"signalbox"/.test(text);
}
