/**
 * Measures how the project reads, and lets the figures only fall: `npm run shape` prints them, `npm run shape -- --write` records better ones.
 *
 * The record is the table in `docs/evidence/shape.md`. A figure above its record fails, apart from the number of files and lines, which a
 * feature may raise, and the path of one `submit review`, which only `--write` measures.
 */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { traceSubmit } from "./submit-path.ts";

type Figures = Readonly<Record<string, number>>;
type Group = "comments" | "messages" | "docs" | "prompts";

const root = join(import.meta.dirname, "..");
const RECORD = join(root, "docs/evidence/shape.md");
const FOLDER_MAX = 20;
const SUBMIT_FILES = "`submit review` until durable: files";
const SUBMIT_CHANGES = "`submit review` until durable: layer changes";
const FREE: ReadonlySet<string> = new Set(["source files", "source lines", SUBMIT_FILES, SUBMIT_CHANGES]);
/** A rename moves a word from one file to another; less than this is not a change of style. */
const TOLERANCE = 0.05;

/** Words that stand in for a noun or a technical term. CONTRIBUTING.md says what to write instead. */
const DIALECT = [
  /\b(?:whoever|whomever|whatever|somebody|nobody|whom)\b/gi,
  /\b(?:is|are|was|were) (?:told|said|there|not there)\b/gi,
  /\b(?:is|are|was|were) no (?!longer)\w+/gi,
  /\b(?:mend(?:s|ed|ing)?|anew|how-manieth|by and by)\b/gi,
  /\b(?:stands?|stood) (?:behind|below|above|beside|in|there|for)\b/gi,
  /\b(?:sees? to it that|comes? to an end)\b/gi,
  /\b(?:hand(?:s|ed|ing)?|tak(?:e|es|en|ing)) in\b/gi,
  /\bgiv(?:e|es|en|ing) back\b/gi,
];

await main(process.argv.includes("--write"));

async function main(isWritten: boolean): Promise<void> {
  const record = recorded();
  const figures = { ...measure(), ...(isWritten ? await submitFigures() : submitRecord(record)) };
  const worse = Object.entries(figures).filter(
    ([name, value]) => !FREE.has(name) && value > (record[name] ?? Number.POSITIVE_INFINITY) + TOLERANCE,
  );
  for (const [name, value] of Object.entries(figures))
    console.log(`${String(value).padStart(8)}  ${name} (recorded: ${record[name] ?? "none"})`);
  if (worse.length > 0) {
    for (const [name, value] of worse)
      console.error(`${name} rose from ${record[name] ?? ""} to ${value}: rewrite what you added`);
    process.exitCode = 1;
    return;
  }
  if (isWritten) writeFileSync(RECORD, pageOf(figures));
}

async function submitFigures(): Promise<Figures> {
  const { files, layerChanges } = await traceSubmit();
  return { [SUBMIT_FILES]: files, [SUBMIT_CHANGES]: layerChanges };
}

function submitRecord(record: Figures): Figures {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name.startsWith("`submit review`")));
}

function recorded(): Figures {
  const rows = readFileSync(RECORD, "utf8").matchAll(/^\| ([^|]+) \| ([\d.]+) \|$/gm);
  return Object.fromEntries([...rows].map(([, name = "", value]) => [name, Number(value)]));
}

function pageOf(figures: Figures): string {
  const rows = Object.entries(figures).map(([name, value]) => `| ${name} | ${value} |`);
  return `# Shape\n\nWritten by \`npm run shape -- --write\`; \`npm run shape\` fails where a figure of wording, names or folders is higher.\nThe path of one \`submit review\` is traced by \`scripts/submit-path.ts\`: every function of \`src\` reports its call, from the use case that\nthe supervisor performs for the reviewer to the commit of the events. A layer change is a call into another layer than the call before it.\n\n| figure | value |\n|---|---:|\n${rows.join("\n")}\n`;
}

function measure(): Figures {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((file) => file !== "");
  const texts = new Map(files.flatMap((file) => (isRead(file) ? [[file, textOf(file)] as const] : [])));
  const sources = [...texts].filter(([file]) => file.startsWith("src/"));
  return {
    ...wording(texts),
    "source files": sources.length,
    "source lines": sources.reduce((sum, [, text]) => sum + text.split("\n").length - 1, 0),
    ...folders(sources.map(([file]) => file)),
    "type names with several meanings, percent": doubledTypes(sources.map(([, text]) => text)),
  };
}

function isRead(file: string): boolean {
  return groupOf(file) !== undefined;
}

function textOf(file: string): string {
  try {
    return readFileSync(join(root, file), "utf8");
  } catch {
    // Deleted, and not committed yet.
    return "";
  }
}

function groupOf(file: string): "source" | "docs" | "prompts" | undefined {
  if (/^src\/.*\.tsx?$/.test(file)) return "source";
  if (/^(?:docs\/(?!evidence).*|[A-Z]+)\.md$/.test(file)) return "docs";
  return /^workflows\/.*\.md$/.test(file) ? "prompts" : undefined;
}

function wording(texts: ReadonlyMap<string, string>): Figures {
  const groups: Record<Group, string[]> = { comments: [], messages: [], docs: [], prompts: [] };
  for (const [file, text] of texts) {
    const group = groupOf(file);
    if (group === "docs" || group === "prompts") groups[group].push(text);
    if (group !== "source") continue;
    groups.comments.push(...(text.match(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm) ?? []));
    groups.messages.push(...(text.match(/"(?:[^"\\\n]|\\.){25,}"|`[^`]{25,}`/g) ?? []));
  }
  return Object.fromEntries(
    Object.entries(groups).map(([name, parts]) => [`dialect per 1,000 words: ${name}`, density(parts)]),
  );
}

function density(parts: readonly string[]): number {
  const words = count(parts, /[A-Za-z']+/g);
  const hits = DIALECT.reduce((sum, pattern) => sum + count(parts, pattern), 0);
  return Math.round((10_000 * hits) / Math.max(words, 1)) / 10;
}

function count(parts: readonly string[], pattern: RegExp): number {
  return parts.reduce((sum, part) => sum + (part.match(pattern)?.length ?? 0), 0);
}

function folders(files: readonly string[]): Figures {
  const sizes = new Map<string, number>();
  for (const file of files) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
  return {
    "largest folder": Math.max(...sizes.values()),
    [`folders over ${FOLDER_MAX} files`]: [...sizes.values()].filter((size) => size > FOLDER_MAX).length,
  };
}

/** How many declarations of types share their name with another one. */
function doubledTypes(texts: readonly string[]): number {
  const times = new Map<string, number>();
  for (const text of texts)
    for (const [, name = ""] of text.matchAll(/^(?:export )?(?:type|interface) (\w+)/gm))
      times.set(name, (times.get(name) ?? 0) + 1);
  const all = [...times.values()];
  const doubled = all.filter((each) => each > 1).reduce((sum, each) => sum + each, 0);
  return Math.round(
    (100 * doubled) /
      Math.max(
        all.reduce((sum, each) => sum + each, 0),
        1,
      ),
  );
}
