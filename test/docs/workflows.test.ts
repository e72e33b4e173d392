/**
 * The guide says what is true: every example parses, every whole workflow passes `check`, every command prints what the
 * page shows, and every key of the schema is told in the section of its construct.
 *
 * A block `yaml` is a whole file. A block `yaml fragment` is merged into the workflow `change` of the page: maps by name,
 * lists at their end. A block `markdown prompt=NAME` is a prompt. A block `console` is run where these workflows are.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fromMarkdown } from "mdast-util-from-markdown";
import { afterAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { run } from "../../src/cli/run.ts";
import { check } from "../../src/core/check/check.ts";
import { showProblem } from "../../src/format/problem.ts";
import { parseWorkflow, type ParsedWorkflow } from "../../src/format/workflow/parse.ts";
import { jsonSchema } from "../../src/format/workflow/schema/schema.ts";

type Tree = Record<string, unknown>;
type Block = { readonly kind: string; readonly text: string; readonly line: number };

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/workflows.md"), "utf8");
const tree = fromMarkdown(page).children;
const blocks = tree.flatMap((node): Block[] =>
  node.type === "code"
    ? [
        {
          kind: [node.lang, node.meta].filter(Boolean).join(" "),
          text: `${node.value}\n`,
          line: node.position?.start.line ?? 0,
        },
      ]
    : [],
);
const of = (kind: string): Block[] => blocks.filter((block) => block.kind === kind);
const named = (block: Block): [string, Block] => [`line ${block.line}`, block];

const wholes = of("yaml").map((block) => ({ ...block, name: String((parse(block.text) as Tree)["name"]) }));
const fragments = of("yaml fragment");
const prompts = blocks.flatMap(({ kind, text }) => {
  const [, name] = /^markdown prompt=(\S+)$/.exec(kind) ?? [];
  return name === undefined ? [] : [{ name, file: `prompts/${name}.md`, text }];
});

test("the page has examples of every kind", () => {
  expect(wholes.map(({ name }) => name)).toEqual(["hello", "change", "feature"]);
  expect(fragments.length).toBeGreaterThan(10);
  expect(of("console").length).toBeGreaterThan(2);
  expect(of("console broken")).toHaveLength(1);
  const known = /^(yaml|yaml fragment|console|console broken|markdown prompt=\S+)$/;
  expect(blocks.filter(({ kind }) => !known.test(kind))).toEqual([]);
});

test.for(wholes.map((block): [string, Block] => [block.name, block]))("%s has no problem", ([, { text }]) => {
  const found = read(text, Object.fromEntries(prompts.map((prompt) => [prompt.name, prompt])));
  expect(problemsOf(found)).toEqual([]);
  expect(found.ok && check(found.workflow).defects).toEqual([]);
});

test.for(fragments.map(named))("the example on %s parses", ([, { text }]) => {
  const base = wholes.find(({ name }) => name === "change")?.text ?? "";
  // The prompts that an example names are words of the example.
  const words = `${base} ${text}`.match(/[\w-]+/g) ?? [];
  const stubs = Object.fromEntries(words.map((word) => [word, { file: `prompts/${word}.md`, text: "" }]));
  const whole = stringify(merged(parse(base) as Tree, parse(text) as Tree));
  expect(problemsOf(read(whole, stubs))).toEqual([]);
});

function read(text: string, texts: Record<string, { file: string; text: string }>): ParsedWorkflow {
  return parseWorkflow({ file: "workflow.yaml", bytes: new TextEncoder().encode(text), prompts: texts });
}

function problemsOf(found: ParsedWorkflow): string[] {
  return found.ok ? [] : found.problems.map(showProblem);
}

function merged(base: Tree, fragment: Tree): Tree {
  const all = { ...base };
  for (const [key, value] of Object.entries(fragment)) {
    const present = base[key];
    if (isList(present) && isList(value)) all[key] = [...present, ...value];
    else all[key] = isTree(present) && isTree(value) ? { ...present, ...value } : value;
  }
  return all;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

describe("commands", () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-docs-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const world = { cwd: folder, env: { HOME: folder } };
  const put = (file: string, text: string): void => {
    const path = join(folder, ".signalbox/workflows", file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const { name, text } of wholes) {
    put(`${name}/workflow.yaml`, text);
    for (const prompt of prompts) put(`${name}/${prompt.file}`, prompt.text);
  }

  /** What people see who type the lines that begin with a dollar sign. */
  async function typed(block: Block): Promise<string> {
    let seen = "";
    let exit = 0;
    for (const [, command = ""] of block.text.matchAll(/^\$ (.+)$/gm)) {
      seen += `$ ${command}\n`;
      if (command === "echo $?") {
        seen += `${exit}\n`;
        continue;
      }
      const [program, ...words] = command.split(" ");
      expect(program).toBe("signalbox");
      const { code, stdout, stderr } = await run(words, world);
      exit = code;
      seen += stdout + stderr;
    }
    return seen;
  }

  test.for(of("console").map(named))("%s", async ([, block]) => {
    expect(asShown(block.text, await typed(block))).toBe(loosely(block.text));
  });

  test("the counterexample is the one that check gives", async () => {
    await run(["eject", "task"], world);
    const file = join(folder, ".signalbox/workflows/task/workflow.yaml");
    const whole = readFileSync(file, "utf8");
    const broken = whole.replace(/(from: planning, .*) count: question_count,/, "$1");
    expect(whole.length - broken.length).toBe(" count: question_count,".length);
    writeFileSync(file, broken);
    for (const block of of("console broken"))
      expect(asShown(block.text, await typed(block))).toBe(loosely(block.text));
  });
});

/**
 * What was printed, without what the page leaves out with a line of dots. Places may change without making the page wrong;
 * numbers of situations and steps are what was proven.
 */
function asShown(shown: string, seen: string): string {
  const text = loosely(seen);
  const parts = loosely(shown)
    .split("\n...\n")
    .filter((part) => part !== "");
  const starts = parts.map((part) => text.indexOf(part));
  const isInOrder = starts.every((start, index) => start > (starts[index - 1] ?? -1));
  return isInOrder && shown.includes("\n...\n") ? loosely(shown) : text;
}

function loosely(text: string): string {
  return text.replaceAll(/:\d+:\d+: /g, ":LINE:COL: ");
}

describe("every key of the schema is told", () => {
  const keys = keysOf(jsonSchema());
  const sections = new Map<string, string>();
  const headings = tree.filter((node) => node.type === "heading" && node.depth === 2);
  for (const [index, heading] of headings.entries()) {
    const start = heading.position?.start.offset ?? 0;
    const text = page.slice(start, headings[index + 1]?.position?.start.offset);
    const [title = ""] = text.split("\n");
    sections.set(/`(\w+)`/.exec(title)?.[1] ?? title.replace(/^#+ /, ""), text);
  }
  const top = sections.get("The top of the file") ?? "";

  test("there are keys", () => expect(keys.length).toBeGreaterThan(90));

  test.for(keys)("%s", (path) => {
    const [construct = "", ...inner] = path.split(" ");
    const key = inner.at(-1);
    const text = key === undefined ? top : sections.get(construct);
    expect(text?.includes(`\`${key ?? construct}\``), `in the section of ${construct}`).toBe(true);
  });

  test("and every defect that check knows", () => {
    const source = readFileSync(join(root, "src/core/check/defect.ts"), "utf8");
    const codes = [...source.matchAll(/^ {2}\| "([\w-]+)"/gm)].map(([, code = ""]) => code);
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });
});

/** Guards are told with moves, and what an output is with artifacts, wherever they stand. */
function toldAt(path: readonly string[]): readonly string[] {
  const [guard, output] = [path.findLastIndex(isGuard), path.findIndex(isOutput)];
  if (guard >= 0 && guard < path.length - 1) return ["moves", ...path.slice(guard)];
  return path[0] === "stages" && output >= 0 && output < path.length - 1
    ? ["artifacts", ...path.slice(output + 1)]
    : path;
}

function isGuard(key: string): boolean {
  return key === "when" || key === "unless";
}

function isOutput(key: string): boolean {
  return key === "out" || key === "part";
}

/** Paths of all keys, like "artifacts review values"; names that people choose are left out. */
function keysOf(schema: unknown): string[] {
  const found = new Set<string>();
  const definitions = isTree(schema) && isTree(schema["$defs"]) ? schema["$defs"] : {};
  const walk = (node: unknown, path: readonly string[], inside: readonly unknown[]): void => {
    if (Array.isArray(node)) for (const each of node) walk(each, path, inside);
    if (!isTree(node) || inside.includes(node)) return;
    const here = [...inside, node];
    if (typeof node["$ref"] === "string") walk(definitions[node["$ref"].replace("#/$defs/", "")], path, here);
    for (const [key, value] of Object.entries(isTree(node["properties"]) ? node["properties"] : {})) {
      found.add(toldAt([...path, key]).join(" "));
      walk(value, [...path, key], here);
    }
    for (const part of ["additionalProperties", "items", "prefixItems", "anyOf", "oneOf", "allOf"])
      walk(node[part], path, here);
  };
  walk(schema, [], []);
  return [...found];
}
