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
    // Opening a file costs more than reading a long one: what every command needs is one chunk, what looks at a run another, the
    // checker a third. A group takes along everything that its files import, so a broad one brings the parsers into every start.
    codeSplitting: {
      groups: [
        {
          name: "main",
          test: /src\/cli\/(main|run|arguments|command|commands|paint|print)\.ts|core\/closest|user-error|citty/,
        },
        {
          name: "look",
          test: /src\/core\/(?!check\/|simulate)|src\/adapters\/(home\/|store\/(?!verify|walk|repair|derive)|failpoint|person\/(who|marks|processes|token))|src\/cli\/(box|say|number-option|reading\/(ways|truth|chronicle|say-run))\.ts|src\/engine\/(launch|deed)\.ts|src\/format\/(prompt|problem)\.ts/,
        },
        {
          name: "core",
          test: /src\/core\/|src\/adapters\/library\/|src\/cli\/(workflow|worst)\.ts/,
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
