/** Processes that run these sources: what one of them has compiled, the next need not. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** For the environment of such a process. */
export const COMPILED: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
};

/** A program that runs this source, also where it is called with another environment. */
export function programOf(source: string): string {
  const file = join(mkdtempSync(join(tmpdir(), "signalbox-program-")), "program.mjs");
  const [folder, url] = [COMPILED["NODE_COMPILE_CACHE"], `file://${source}`].map((word) =>
    JSON.stringify(word),
  );
  writeFileSync(
    file,
    `import { enableCompileCache } from "node:module";\nenableCompileCache(${folder});\nawait import(${url});\n`,
  );
  return file;
}
