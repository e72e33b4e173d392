/**
 * Paths of files. Names are bytes and not text: within this folder a name that came from git or the disk has one character for each byte.
 *
 * Paths of artifacts, as git must see them, are not part of the work. `{slot}` means any name.
 */

import { sep } from "node:path";

/** Files of ours beside an artifact that is being replaced, as `leftover.ts` names them. Other names with this beginning are work. */
const KINDS = ["new", "old", "late", "kept"];
const LEFTOVERS = KINDS.map((kind) => `.signalbox-${kind}-[0-9]*`);
const LEFTOVER = new RegExp(String.raw`(?:^|/)\.signalbox-(?:${KINDS.join("|")})-[0-9]`);

/** Relative and inside: anything else cannot be in the work. */
function plainPaths(artifacts: readonly string[]): readonly string[] {
  const plain = artifacts
    .map((path) => path.replace(/^(?:\.\/+)+/, "").replaceAll(/\/+/g, "/"))
    .filter(
      (path) =>
        path !== "" && !path.startsWith("/") && !path.split("/").includes("..") && !/[\n\0]/.test(path),
    );
  return [...new Set(plain)].sort();
}

/** Lines for a file of patterns to ignore. */
export function ignoreLines(artifacts: readonly string[]): readonly string[] {
  return [...LEFTOVERS, ...plainPaths(artifacts).map((path) => `/${globOf(path)}`)];
}

function globOf(path: string): string {
  return path
    .split(/(\{[^{}/]*\})/)
    .map((part, index) =>
      index % 2 === 1 ? "*" : part.replaceAll(/[\\*?[\]]/g, "\\$&").replace(/ $/, "\\ "),
    )
    .join("");
}

/** Whether one of these lines, which are ours like it, ignores all that it does: a name where any name is meant. */
export function isCovered(line: string, by: readonly string[]): boolean {
  return by.some((other) => other === line || (/^\/.*\*/.test(other) && testFor(other).test(line)));
}

const TESTS_MAX = 1000;
/** The same lines are asked about at every digest, and making the tests is most of what an answer takes. */
const tests = new Map<string, RegExp>();

function testFor(line: string): RegExp {
  const known = tests.get(line);
  if (known !== undefined) return known;
  const test = lineTest(line);
  if (tests.size >= TESTS_MAX) tests.clear();
  tests.set(line, test);
  return test;
}

/** Literal characters are escaped in the same way in both lines. */
function lineTest(line: string): RegExp {
  const parts = (line.match(/\\.|[^]/gu) ?? []).map((sign) =>
    sign === "*" ? String.raw`(?:\\.|[^/\\*])*` : sign.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`),
  );
  return new RegExp(`^${parts.join("")}$`, "u");
}

/** Whether a name of git's index is an artifact's. */
export function artifactTest(artifacts: readonly string[]): (name: string) => boolean {
  const paths = plainPaths(artifacts);
  const exact = new Set(paths.map(nameOf));
  const patterns = paths.filter((path) => /\{[^{}/]*\}/.test(path)).map(patternOf);
  return (name) => {
    if (exact.has(name)) return true;
    if (LEFTOVER.test(name)) return true;
    return patterns.some((pattern) => pattern.test(name));
  };
}

function patternOf(path: string): RegExp {
  const parts = path
    .split(/(\{[^{}/]*\})/)
    .map((part, index) =>
      index % 2 === 1 ? "[^/]*" : nameOf(part).replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"),
    );
  return new RegExp(`^${parts.join("")}$`, "s");
}

export function bytePath(folder: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(folder + sep), Buffer.from(name, "latin1")]);
}

/** The text of such a name, as far as it is UTF-8. */
export function textOfName(name: string): string {
  return Buffer.from(name, "latin1").toString("utf8");
}

function nameOf(text: string): string {
  return Buffer.from(text).toString("latin1");
}
