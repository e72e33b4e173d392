/**
 * Bundles the command line into CommonJS, which Node starts faster than modules.
 *
 * `scripts/entry.cjs` becomes `dist/signalbox.cjs` as it is, but for the digest of the build: it must be readable by any old Node.
 * `src/cli/load.ts` loads the rest.
 * The built-in workflows are parsed here, so that no start has to.
 * Every `await import()` in the source stays a file of its own, so that a command loads only what it uses.
 */
import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { defineConfig } from "rolldown";
import { compileBuiltIn } from "./scripts/built-in.ts";
import packageJson from "./package.json" with { type: "json" };

const OWN = "?own";

/** One character beyond ASCII makes a whole file a text of two bytes a character, which takes longer to read. */
function inAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function digestOf(texts: readonly string[]): string {
  return createHash("sha256").update(texts.join("\0")).digest("hex").slice(0, 16);
}

export default defineConfig({
  input: { main: "src/cli/main.ts", front: "src/cli/front.ts", load: "src/cli/load.ts" },
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
    comments: false,
    // Opening a file costs more than reading a long one, and reading one that is not needed costs most: what every command needs is
    // one chunk, what looks at a run another, what acts on it a third; each parser, git and the checker are their own. A group holds
    // its own files only: taking along what they import would bring the parsers into every start.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        {
          name: "front",
          test: /src\/cli\/(front|print|printed|bytes)\.ts|adapters\/supervisor\/wire|home\/(reasons|new-name)|rolldown\/runtime/,
        },
        {
          name: "main",
          test: /src\/cli\/(main|run|failure|arguments|command|commands|paint|progress|worst)\.ts|core\/closest|user-error|citty|files\/errno/,
        },
        {
          name: "kernel",
          test: /src\/core\/(?!check\/|simulate|(staged|graph|schedule|project|task-view|tasks-told|view|back|own-shape|checks|why|take-over|replay|phase|questions|record|said|unseen)\.ts)|src\/format\/(prompt|problem|text|sha256)\.ts|src\/adapters\/library\/(find|package)/,
        },
        {
          name: "look",
          test: /src\/core\/(staged|graph|schedule|project|task-view|tasks-told|view|back|own-shape|checks|why|take-over|replay|phase)\.ts|src\/adapters\/(home\/|store\/(?!verify|repair|restore|salvage)|failpoint|person\/(who|marks|processes|token))|src\/cli\/(box|goal|id-of|change\/(which|door-of|doors)|say|fit|typed|number-option|wake|environment|shown|commands\/(show|next|list|task)|(task|project)\/which|reading\/(?!log|question-view)[a-z-]+)\.ts|src\/adapters\/supervisor\/(poke|lock|said)|src\/adapters\/process\/(marker|folder|table|proc|ps)\.ts|src\/adapters\/files\/(unread|open|folder|late|leftover|paths)\.ts|src\/adapters\/doctor\/quarantine|src\/engine\/(launch|deed|environment|human-keys|job-id|apart|clip|place|descendants)\.ts|src\/adapters\/trust\/repository|src\/adapters\/git\/(looked|default-refs|locate|names|refs|present-branch)\.ts|src\/cli\/due\.ts|src\/engine\/(line|later|slots|deadlocks|box|project-name|fact|title|prompt-commands)\.ts|src\/adapters\/supervisor\/(alone|ask-to-end)\.ts/,
        },
        {
          name: "act",
          test: /src\/core\/(questions|record|said|unseen)\.ts|src\/adapters\/files\/(?!transfer)|src\/cli\/(acting|acted|moving|refused|input|kept|late|look-again|handing-in|commands\/(move|submit))\.ts|src\/engine\/(submit|begin|judge|known|write|beside|besides|project|deeds|task-data|task-runs|asked)\.ts|src\/cli\/task\/(update|dependencies)\.ts|src\/format\/front-matter-(parts|lines)/,
        },
        // Nobody else loads what speaks to agents' programs.
        { name: "mcp", test: /src\/mcp\/(?!command)|node_modules\/@modelcontextprotocol\/|\?own$/ },
        { name: "git", test: /src\/adapters\/git\// },
        {
          name: "person",
          test: /src\/adapters\/person\/(key|key-file|proof|seal|passphrase|succession|pin|signature)\.ts/,
        },
        {
          name: "markdown",
          test: /src\/format\/(markdown\/|reading|finding)|node_modules\/(mdast|micromark|unist|decode-named|character-entities|@types\/mdast)/,
        },
        {
          name: "yaml",
          test: /node_modules\/yaml\/|src\/format\/(yaml|front-matter|projection|projected|tasks\/status)\.ts/,
        },
        { name: "pages", test: /src\/format\/(sections|quoted|review-(shown|page))\.ts/ },
        {
          name: "core",
          test: /src\/core\/|src\/adapters\/library\/|src\/cli\/(workflow|children)\.ts/,
        },
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
        const build = digestOf(chunks.map(({ fileName, code }) => `${fileName} ${code}`));
        const entry = readFileSync("scripts/entry.cjs", "utf8").replace("BUILD", build);
        this.emitFile({ type: "asset", fileName: "signalbox.cjs", source: entry });
        for (const { fileName, source } of compileBuiltIn(realpathSync("workflows")))
          this.emitFile({ type: "asset", fileName, source });
      },
    },
  ],
});
