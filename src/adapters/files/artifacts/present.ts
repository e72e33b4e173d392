/** Which paths that somebody names are files of the workspace: no folders, nothing outside, and no links that could lead there. */

import { lstatSync } from "node:fs";
import type { Place } from "../../../engine/ports/files.ts";
import { unless } from "../errno.ts";
import { inFolder } from "../replace/folder.ts";

const GONE = ["ENOENT", "ENAMETOOLONG", "EACCES"];

export function presentIn({ root }: Place, files: readonly string[]): readonly string[] {
  const named = files.map((file) => file.replace(/^(?:\.\/)+/, ""));
  return [...new Set(named)].filter((file) => {
    const looked = inFolder({ root, file }, (folder, name) =>
      unless(GONE, () => lstatSync(folder.at(name)).isFile()),
    );
    return looked.type === "done" && looked.value === true;
  });
}
