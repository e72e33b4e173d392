/** Whether a path is a folder, or in it. */

import { sep } from "node:path";

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
