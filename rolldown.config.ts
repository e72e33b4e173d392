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

const OWN = "?own";

/** One character beyond ASCII makes a whole file a text of two bytes a character, which takes longer to read. */
function inAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export default defineConfig({
  input: { main: "src/cli/main.ts" },
  platform: "node",
  preserveEntrySignatures: "allow-extension",
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
    comments: false,
    // One chunk for each library and for what few commands need; the rest follows from `await import()`.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        // Nobody else loads what speaks to agents' programs.
        { name: "mcp", test: /src\/mcp\/(?!command)|node_modules\/@modelcontextprotocol\/|\?own$/ },
        {
          name: "markdown",
          test: /node_modules\/(mdast|micromark|unist|decode-named|character-entities|@types\/mdast)/,
        },
        { name: "yaml", test: /node_modules\/yaml\// },
        { name: "zod", test: /node_modules\/zod\// },
      ],
    },
  },
  plugins: [
    {
      // The protocol's package uses all of zod, and we a small part: with a copy of its own, nobody else loads the rest.
      name: "own-zod",
      resolveId: {
        filter: { id: /^(?:zod\b|\.{1,2}\/)/ },
        async handler(source, importer) {
          const isOwn = importer?.endsWith(OWN) === true;
          if (!isOwn && !(source.startsWith("zod") && importer?.includes("/@modelcontextprotocol/") === true))
            return null;
          const found = await this.resolve(source, importer?.replace(OWN, ""), { skipSelf: true });
          return found === null ? null : { id: `${found.id}${OWN}`, moduleSideEffects: false };
        },
      },
      load: {
        filter: { id: /\?own$/ },
        handler: (id) => readFileSync(id.slice(0, -OWN.length), "utf8"),
      },
    },
    {
      name: "entry-stub",
      generateBundle(_, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        for (const chunk of chunks) chunk.code = inAscii(chunk.code);
        const entry = readFileSync("scripts/entry.cjs", "utf8");
        this.emitFile({ type: "asset", fileName: "signalbox.cjs", source: entry });
        for (const { fileName, source } of compileBuiltIn(realpathSync("workflows")))
          this.emitFile({ type: "asset", fileName, source });
      },
    },
  ],
});
