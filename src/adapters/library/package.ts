/** Where this package is, whether it runs from its bundle or from its source. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export function packageRoot(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (isOurs(join(folder, "package.json"))) return folder;
    if (dirname(folder) === folder)
      throw new Error(`no package.json of signalbox above ${import.meta.dirname}`);
  }
}

function isOurs(file: string): boolean {
  return existsSync(file) && /"name":\s*"signalbox"/.test(readFileSync(file, "utf8"));
}
