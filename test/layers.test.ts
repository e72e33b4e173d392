/**
 * Keeps the layers of `src` apart: which folder may import what, and what pure code may not touch.
 *
 * The linter says most of this in the editor; this test also holds when a lint rule is switched off.
 */
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { parseSync, Visitor } from "rolldown/utils";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";

type Layer = { readonly layers: readonly string[]; readonly packages: RegExp };

const NOTHING = /^$/;
const ANYTHING = /^/;
const LAYERS: Readonly<Record<string, Layer>> = {
  core: { layers: ["core"], packages: NOTHING },
  format: {
    layers: ["core", "format"],
    packages: /^(yaml|zod\/mini|zod\/v4\/.+|mdast-util-from-markdown|node:crypto)$/,
  },
  engine: { layers: ["core", "format", "engine"], packages: NOTHING },
  adapters: { layers: ["core", "format", "engine", "adapters"], packages: ANYTHING },
  app: { layers: ["core", "format", "engine", "adapters", "app"], packages: ANYTHING },
  // Doors parse, call and render: what is below `app` is not theirs.
  cli: { layers: ["app", "cli"], packages: ANYTHING },
  mcp: { layers: ["app", "cli", "mcp"], packages: ANYTHING },
  bridge: { layers: ["app", "cli", "bridge"], packages: /^(?:@agentclientprotocol\/sdk$|node:)/ },
  http: { layers: ["app", "cli", "http"], packages: /^(?:hono|@hono\/|node:)/ },
  web: { layers: ["app", "web"], packages: /^(?:preact|vite$)/ },
};

/** What a layer may load of one below it: a door that is itself started by a command. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  "src/cli/commands.ts": ["src/mcp/command.ts", "src/http/command.ts", "src/bridge/command.ts"],
};

/** What would let time, chance or the outside world into core. */
const IMPURE = new Set(
  (
    "Date performance Temporal crypto process globalThis global console fetch require Buffer " +
    "setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate queueMicrotask"
  ).split(" "),
);

/** Words of the built-in workflows. They are data, and the code must do without knowing them. */
const WORKFLOW_WORDS =
  /\b(agent-review|clarification|APPROVE_DESIGN|REVIEW_STRATEGY|ASK_USER|EXPLORE|challenged)\b/g;
const KNOWS_NO_WORKFLOW = new Set(["core", "format", "engine"]);

/** Everything that is wrong with one file, in words; `path` starts at the root of the repository. */
function violations(path: string, source: string): readonly string[] {
  const name = path.split("/")[1] ?? "";
  const layer = path.split("/").length > 2 ? LAYERS[name] : undefined;
  if (layer === undefined) return ["is in no layer"];
  const found = posix.basename(path) === "index.ts" ? ["is an index.ts"] : [];
  found.push(...importViolations(path, source, layer));
  if (name === "core") found.push(...impurities(source));
  if (KNOWS_NO_WORKFLOW.has(name)) {
    for (const [word] of source.matchAll(WORKFLOW_WORDS)) found.push(`names ${word}`);
  }
  return found;
}

function importViolations(path: string, source: string, layer: Layer): readonly string[] {
  const found: string[] = [];
  const check = (specifier: unknown): void => {
    const complaint =
      typeof specifier === "string" ? judge(path, specifier, layer) : "imports a computed path";
    if (complaint !== undefined) found.push(complaint);
  };
  new Visitor({
    ImportDeclaration: (node) => check(node.source.value),
    ExportAllDeclaration: (node) => check(node.source.value),
    ExportNamedDeclaration: (node) => {
      if (node.source !== null) check(node.source.value);
      const names = node.specifiers.map(({ exported }) =>
        "name" in exported ? exported.name : exported.value,
      );
      if (names.includes("default")) found.push("has a default export");
    },
    ExportDefaultDeclaration: () => found.push("has a default export"),
    ImportExpression: (node) => check(node.source.type === "Literal" ? node.source.value : undefined),
    TSImportType: (node) => check(node.source.value),
    CallExpression: ({ callee, arguments: [first] }) => {
      if (callee.type !== "Identifier" || callee.name !== "require") return;
      check(first?.type === "Literal" ? first.value : undefined);
    },
  }).visit(parse(source, path));
  return found;
}

function judge(path: string, specifier: string, layer: Layer): string | undefined {
  if (!specifier.startsWith(".")) return layer.packages.test(specifier) ? undefined : `imports ${specifier}`;
  const target = posix.join(posix.dirname(path), specifier);
  const allowed =
    DOORS[path]?.includes(target) === true || layer.layers.some((name) => target.startsWith(`src/${name}/`));
  if (!allowed) return `imports ${target}`;
  return /\.(?:tsx?|css|json|svg)$/.test(target) ? undefined : `imports ${target} without .ts`;
}

function impurities(source: string): ReadonlySet<string> {
  const found = new Set<string>();
  // `run.process` and `{ process: 1 }` are names of fields, not the global.
  const fields = new Set<unknown>();
  new Visitor({
    MemberExpression: (node) => {
      if (!node.computed) fields.add(node.property);
      const isMath = node.object.type === "Identifier" && node.object.name === "Math";
      if (isMath && (node.computed || ("name" in node.property && node.property.name === "random"))) {
        found.add("uses Math.random");
      }
    },
    Property: (node) => {
      if (!node.computed && !node.shorthand) fields.add(node.key);
    },
    TSPropertySignature: (node) => fields.add(node.key),
    TSMethodSignature: (node) => fields.add(node.key),
    Identifier: (node) => {
      if (IMPURE.has(node.name) && !fields.has(node)) found.add(`uses ${node.name}`);
    },
    MetaProperty: () => found.add("uses import.meta"),
  }).visit(parse(source));
  return found;
}

function parse(source: string, path = "file.ts"): ReturnType<typeof parseSync>["program"] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`cannot be parsed: ${errors[0]?.message}`);
  return program;
}

describe("the checker finds", () => {
  test.for<[path: string, source: string, complaint: string]>([
    ["src/core/a.ts", `import { b } from "../format/b.ts";`, "imports src/format/b.ts"],
    ["src/core/a.ts", `import type { B } from "../format/b.ts";`, "imports src/format/b.ts"],
    ["src/core/a.ts", `export { b } from "../cli/b.ts";`, "imports src/cli/b.ts"],
    ["src/core/a.ts", `export * from "../engine/b.ts";`, "imports src/engine/b.ts"],
    ["src/core/a.ts", `const b = await import("../adapters/b.ts");`, "imports src/adapters/b.ts"],
    ["src/core/a.ts", `type B = import("../format/b.ts").B;`, "imports src/format/b.ts"],
    ["src/core/a.ts", `import "./../../src/cli/b.ts";`, "imports src/cli/b.ts"],
    ["src/core/a.ts", `import { b } from "./b";`, "imports src/core/b without .ts"],
    ["src/core/a.ts", `import { parse as parseYaml } from "yaml";`, "imports yaml"],
    ["src/core/a.ts", `import { createHash } from "node:crypto";`, "imports node:crypto"],
    ["src/core/a.ts", `import fs from "fs";`, "imports fs"],
    ["src/core/a.ts", `const now = Date.now();`, "uses Date"],
    ["src/core/a.ts", `const now = new Date();`, "uses Date"],
    ["src/core/a.ts", `type A = { at: Date };`, "uses Date"],
    ["src/core/a.ts", `const f = { Date };`, "uses Date"],
    ["src/core/a.ts", `const n = Math.random();`, "uses Math.random"],
    ["src/core/a.ts", `const n = Math["random"]();`, "uses Math.random"],
    ["src/core/a.ts", `const home = process.env["HOME"];`, "uses process"],
    ["src/core/a.ts", `const home = globalThis["process"];`, "uses globalThis"],
    ["src/core/a.ts", `setTimeout(() => {}, 1);`, "uses setTimeout"],
    ["src/core/a.ts", `console.log(1);`, "uses console"],
    ["src/core/a.ts", `const id = crypto.randomUUID();`, "uses crypto"],
    ["src/core/a.ts", `const here = import.meta.url;`, "uses import.meta"],
    ["src/core/a.ts", `const state = "agent-review";`, "names agent-review"],
    ["src/core/deep/a.ts", `import { b } from "../../format/b.ts";`, "imports src/format/b.ts"],
    ["src/format/a.ts", `import { b } from "../engine/b.ts";`, "imports src/engine/b.ts"],
    ["src/format/a.ts", `import { z } from "zod";`, "imports zod"],
    ["src/format/a.ts", `import { readFileSync } from "node:fs";`, "imports node:fs"],
    ["src/format/a.ts", `// Like EXPLORE.`, "names EXPLORE"],
    ["src/engine/a.ts", `import { b } from "../adapters/b.ts";`, "imports src/adapters/b.ts"],
    ["src/engine/a.ts", `import { b } from "yaml";`, "imports yaml"],
    ["src/engine/a.ts", `const ask = "APPROVE_DESIGN";`, "names APPROVE_DESIGN"],
    ["src/adapters/a.ts", `import { b } from "../cli/b.ts";`, "imports src/cli/b.ts"],
    ["src/cli/a.ts", `import { b } from "../adapters/b.ts";`, "imports src/adapters/b.ts"],
    ["src/cli/a.ts", `import type { B } from "../engine/b.ts";`, "imports src/engine/b.ts"],
    ["src/mcp/a.ts", `const b = await import("../core/b.ts");`, "imports src/core/b.ts"],
    ["src/cli/a.ts", `import { b } from "../../test/b.ts";`, "imports test/b.ts"],
    ["src/cli/a.ts", `import { b } from "../mcp/command.ts";`, "imports src/mcp/command.ts"],
    ["src/cli/commands.ts", `import("../mcp/serve.ts");`, "imports src/mcp/serve.ts"],
    ["src/cli/a.ts", "const b = await import(`./${name}.ts`);", "imports a computed path"],
    ["src/cli/a.ts", `export default 1;`, "has a default export"],
    ["src/cli/a.ts", `const a = 1; export { a as default };`, "has a default export"],
    ["src/cli/index.ts", `export const a = 1;`, "is an index.ts"],
    ["src/other/a.ts", `export const a = 1;`, "is in no layer"],
    ["src/a.ts", `export const a = 1;`, "is in no layer"],
  ])("%s: %s", ([path, source, complaint]) => {
    expect(violations(path, source)).toEqual([complaint]);
  });
});

describe("the checker accepts", () => {
  test.for<[path: string, source: string]>([
    ["src/core/a.ts", `import { b } from "./b.ts"; import type { C } from "./deep/c.ts";`],
    ["src/core/a.ts", `type A = { process: string; crypto(): void }; const b = { console: 1 }; b.console;`],
    ["src/core/a.ts", `const n = Math.max(1, 2); // Date and process are words here.`],
    ["src/format/a.ts", `import { parse as parseYaml } from "yaml"; import * as z from "zod/mini";`],
    ["src/format/a.ts", `import { createHash } from "node:crypto"; import type { C } from "../core/c.ts";`],
    ["src/engine/a.ts", `import { b } from "../format/b.ts"; const now = Date.now();`],
    ["src/adapters/git/a.ts", `import { spawn } from "node:child_process"; import "../../engine/b.ts";`],
    ["src/cli/a.ts", `const b = await import("./commands/b.ts"); import "citty"; const s = "agent-review";`],
    ["src/cli/commands.ts", `const load = () => import("../mcp/command.ts");`],
    ["src/mcp/a.ts", `import { b } from "../cli/b.ts"; import { c } from "./c.ts";`],
  ])("%s: %s", ([path, source]) => {
    expect(violations(path, source)).toEqual([]);
  });
});

describe("src", () => {
  const root = new URL("../", import.meta.url);
  const files = readdirSync(new URL("src/", root), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.[cm]?tsx?$/.test(file) && !file.endsWith(".d.ts"))
    .map((file) => `src/${file}`);
  const folders = readdirSync(new URL("src/", root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .filter((folder) => readdirSync(new URL(`src/${folder}/`, root)).length > 0);

  // A walk that finds nothing would pass everything.
  test.for(["core", "cli", ...folders])("has files in %s", (folder) => {
    expect(files.filter((file) => file.startsWith(`src/${folder}/`))).not.toEqual([]);
  });

  test.for(files)("%s", (file) => {
    expect(violations(file, readFileSync(new URL(file, root), "utf8"))).toEqual([]);
  });
});

/**
 * Words of the engine that a built-in workflow or one of its states happens to be called, too, with what each is in `src`. Any other literal
 * that equals such a name would select behaviour by it.
 */
const ENGINE_WORDS: Readonly<Record<string, string>> = {
  approved: "how a task's review ended, in records of a run",
  archived: "a fact, and what became of a file",
  cancelled: "how a run ended",
  change: "a placeholder in paths",
  changed: "what became of a file or of a row",
  COMMIT: "a statement of SQL",
  complete: "a use case and its command",
  completed: "a status of phases and tasks",
  done: "how a run, an effect or a task ended",
  dropped: "a status of phases",
  failed: "how a run or an effect ended",
  fix: "a key of stages",
  halted: "a run that a person stopped",
  implemented: "a status of tasks",
  merging: "a state of git",
  opening: "the page, until it knows who looks",
  pending: "a status of effects, phases and tasks",
  rejected: "how a submission ended",
  released: "a status of workspaces",
  review: "a kind of artifact, of phase and of projection, and a command",
  stuck: "a key of stages, and a group of the inbox",
  task: "a unit of a list that a run works off",
  tested: "a fact about tasks",
  testing: "a layer of a list of tasks",
};

describe("the built-in workflows", () => {
  type Named = {
    name: string;
    states: Record<string, unknown>;
    commands?: Record<string, { short?: boolean }>;
  };
  const workflows = new URL("../workflows/", import.meta.url);
  const files = readdirSync(workflows).map(
    (name) => parseYaml(readFileSync(new URL(`${name}/workflow.yaml`, workflows), "utf8")) as Named,
  );
  const source = new URL("../src/", import.meta.url);
  const texts = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({
      file,
      text: readFileSync(new URL(file, source), "utf8").replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, ""),
    }));

  test("no literal is the name of one or of its states", () => {
    const names = new Set(files.flatMap(({ name, states }) => [name, ...Object.keys(states)]));
    const literals = texts
      .flatMap(({ file, text }) =>
        Array.from(text.matchAll(/(["'`])([\w-]+)\1/g), ([, , word = ""]) => ({ file, word })),
      )
      .filter(({ word }) => names.has(word));
    expect(literals.filter(({ word }) => !Object.hasOwn(ENGINE_WORDS, word))).toEqual([]);
    const used = new Set(literals.map(({ word }) => word));
    expect(Object.keys(ENGINE_WORDS).filter((word) => !used.has(word))).toEqual([]);
  });

  test("no message names a command of one", () => {
    const short = files.flatMap(({ commands = {} }) =>
      Object.entries(commands).flatMap(([word, { short: isShort }]) => (isShort === true ? [word] : [])),
    );
    const own = new RegExp(
      String.raw`signalbox (?:(?:${files.map(({ name }) => name).join("|")}) [a-z]|(?:${short.filter((word) => word !== "create").join("|")})\b)`,
    );
    const said = texts.flatMap(({ file, text }) =>
      text.split("\n").flatMap((line) => (own.test(line) ? [`${file}: ${line.trim()}`] : [])),
    );
    expect(said).toEqual([]);
  });
});
