/**
 * Bundles the command line into CommonJS, which Node starts faster than modules.
 *
 * `scripts/entry.cjs` becomes `dist/signalbox.cjs` as it is: it must be readable by any old Node.
 * The built-in workflows are parsed here, so that no start has to.
 * Every `await import()` in the source stays a file of its own, so that a command loads only what it uses.
 */
import { readFileSync, realpathSync } from "node:fs";
import { defineConfig } from "rolldown";
import { compileBuiltIn } from "./scripts/built-in.ts";
import packageJson from "./package.json" with { type: "json" };

export default defineConfig({
  input: { main: "src/cli/main.ts" },
  platform: "node",
  transform: {
    target: "node22.14",
    define: { SIGNALBOX_VERSION: JSON.stringify(packageJson.version) },
  },
  output: {
    dir: "dist",
    cleanDir: true,
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    // Opening a file costs more than reading a long one: what every command needs is one chunk, the parser another.
    codeSplitting: {
      groups: [
        {
          name: "main",
          test: /src\/cli\/(main|run|arguments|command|commands|paint|print)\.ts|core\/closest|user-error|citty/,
        },
        {
          name: "core",
          test: /src\/(core|adapters)\/|src\/format\/problem\.ts|src\/cli\/(workflow|worst)\.ts/,
        },
      ],
    },
  },
  plugins: [
    {
      name: "entry-stub",
      generateBundle() {
        this.emitFile({
          type: "asset",
          fileName: "signalbox.cjs",
          source: readFileSync("scripts/entry.cjs", "utf8"),
        });
        for (const { fileName, source } of compileBuiltIn(realpathSync("workflows")))
          this.emitFile({ type: "asset", fileName, source });
      },
    },
  ],
});
