/**
 * Bundles the command line into CommonJS, which Node starts faster than modules.
 *
 * `scripts/entry.cjs` becomes `dist/signalbox.cjs` as it is: it must be readable by any old Node. It loads the chunks, and keeps their compiled code.
 * The built-in workflows are parsed here, so that no start has to.
 * Every `await import()` in the source stays a file of its own, so that a command loads only what it uses. Opening a file costs more
 * than reading a long one, so modules that many of these files share are one chunk: see `groups`.
 */
import { readFileSync, realpathSync } from "node:fs";
import { defineConfig, type ChunkingContext } from "rolldown";
import { compileBuiltIn } from "./scripts/built-in.ts";
import { licencesOf } from "./scripts/licences.ts";
import packageJson from "./package.json" with { type: "json" };

const OWN = "?own";
const PROTOCOLS = /\/@(?:modelcontextprotocol|agentclientprotocol)\//;

/** One character beyond ASCII makes a whole file a text of two bytes a character, which takes longer to read. */
function inAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Modules that this many files share are loaded by most commands. */
const SHARED_BY = 9;
const LIBRARY = /node_modules\/(?!citty\/)|\?own$/;
const withLibrary = new Map<string, boolean>();

/** Whether loading this module loads a library, too: such a module must not be in a chunk that every command loads. */
function loadsLibrary(id: string, graph: ChunkingContext): boolean {
  const known = withLibrary.get(id);
  if (known !== undefined) return known;
  // Modules may import each other in a circle.
  withLibrary.set(id, false);
  const imported = graph.getModuleInfo(id)?.importedIds ?? [];
  const loads = LIBRARY.test(id) || imported.some((one) => loadsLibrary(one, graph));
  withLibrary.set(id, loads);
  return loads;
}

export default defineConfig({
  input: { main: "src/cli/main.ts" },
  platform: "node",
  preserveEntrySignatures: "allow-extension",
  // What the database's library would load for telemetry, which is off: nothing of it is installed.
  external: ["winston", "winston-transport", /^@opentelemetry\//],
  // A file that one command loads when it needs it may be loaded by another at its start: see `groups`.
  checks: { ineffectiveDynamicImport: false },
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
    // One chunk for each library, one for what the entry imports, one for what many files share; the rest follows from `await import()`.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        // Nobody else loads what speaks to agents' programs.
        { name: "mcp", test: /src\/mcp\/(?!command)|node_modules\/@modelcontextprotocol\// },
        { name: "acp", test: /src\/bridge\/(?!command)|node_modules\/@agentclientprotocol\// },
        { name: "whole-zod", test: /\?own$/ },
        { name: "hono", test: /node_modules\/(?:hono|@hono)\// },
        { name: "dagre", test: /node_modules\/@dagrejs\// },
        {
          name: "markdown",
          test: /node_modules\/(mdast|micromark|unist|decode-named|character-entities|@types\/mdast)/,
        },
        // Only a store with a database address loads it.
        { name: "postgres", test: /node_modules\/(pg|pg-[\w-]+|pgpass|postgres-[\w-]+|split2|xtend)\// },
        { name: "yaml", test: /node_modules\/yaml\// },
        { name: "zod", test: /node_modules\/zod\// },
        { name: "main", tags: ["$initial"] },
        // The supervisor carries out agents' acts: their commands load nothing else.
        {
          name: "client",
          test: /src\/app\/(client|text-input)\.ts$/,
          includeDependenciesRecursively: true,
        },
        {
          name: (id, graph) => (loadsLibrary(id, graph) ? null : "shared"),
          debugName: "shared",
          test: /src\/(?!cli\/)/,
          minShareCount: SHARED_BY,
        },
      ],
    },
  },
  plugins: [
    {
      // The packages of protocols use all of zod, and we a small part: with a copy of their own, nobody else loads the rest.
      name: "own-zod",
      resolveId: {
        filter: { id: /^(?:zod\b|\.{1,2}\/)/ },
        async handler(source, importer = "") {
          const isProtocol = source.startsWith("zod") && PROTOCOLS.test(importer);
          if (!importer.endsWith(OWN) && !isProtocol) return null;
          const found = await this.resolve(source, importer.replace(OWN, ""), { skipSelf: true });
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
        const licences = licencesOf(chunks.flatMap((chunk) => chunk.moduleIds));
        this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: licences });
        const entry = readFileSync("scripts/entry.cjs", "utf8");
        this.emitFile({ type: "asset", fileName: "signalbox.cjs", source: entry });
        for (const { fileName, source } of compileBuiltIn(realpathSync("workflows")))
          this.emitFile({ type: "asset", fileName, source });
      },
    },
  ],
});
