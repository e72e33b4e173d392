/** The file that an issue is about, by what it says of its place. */

const PATH_MAX = 200;
const PLACE = /^`?(?:\.\/)*([^\s:#`,;()]+)(:\d+(?:[-:]\d+)*|#L\d+(?:-L?\d+)?)?`?(?:[\s,;(#].*|:(?!\/).*)?$/s;

/**
 * `src/a.ts`, `src/a.ts:12`, `./src/a.ts:12:3`, `src/a.ts#L4` and `Makefile:3` name a file; `the whole design` names none, and neither does a path that
 * leads out of the work. Whether it is there is not asked: it may be what is missing.
 */
export function fileOf(location: unknown): string {
  if (typeof location !== "string") return "";
  const [, path = "", line] = PLACE.exec(location.trim()) ?? [];
  const isPath = line !== undefined || path.includes("/") || /[^.]\.[A-Za-z][A-Za-z0-9]*$/.test(path);
  const isInside = !path.startsWith("/") && !path.split("/").includes("..");
  return isPath && isInside && path.length <= PATH_MAX ? path.replace(/\/+$/, "") : "";
}
