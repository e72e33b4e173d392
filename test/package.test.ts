/** The published package holds the bundle and its data, and nothing of the sources, tests or settings. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };

const root = fileURLToPath(new URL("../", import.meta.url));
const ALLOWED = [
  /^(package\.json|LICENSE|README\.md|CHANGELOG\.md)$/,
  /^bin\/(ask|look|shim|window)\.sh$/,
  /^demos\/[\w./-]+\.(json|md|sh)$/,
  /^dist\/(?:[\w.-]+\.cjs|LICENSES\.txt)$/,
  /^dist\/built-in\/[\w.-]+\.json$/,
  /^dist\/web\/(?:index\.html|assets\/[\w-]+\.(?:js|css|svg))$/,
  /^docs\/[\w.-]+\.md$/,
  /^schema\/[\w.-]+\.json$/,
  /^skills\/[\w-]+\/SKILL\.md$/,
  /^workflows\/[\w./-]+\.(yaml|md)$/,
];

const packed = packedFiles();

test("every packed file is one that users need", () => {
  expect(packed.filter((file) => !ALLOWED.some((pattern) => pattern.test(file)))).toEqual([]);
});

test.for([
  "package.json",
  "LICENSE",
  "dist/signalbox.cjs",
  "dist/main.cjs",
  "bin/look.sh",
  "bin/shim.sh",
  "bin/window.sh",
  "demos/task/demo.json",
  "docs/runs.md",
])("%s is packed", (file) => {
  expect(packed).toContain(file);
});

test.for(["pg", "yaml", "zod", "hono"])("the licence of %s ships with the bundle", (name) => {
  const licences = readFileSync(`${root}dist/LICENSES.txt`, "utf8");
  expect(licences).toMatch(
    new RegExp(`^${name} \\d[^]*?(?:Permission is hereby granted|Permission to use)`, "m"),
  );
});

test("nothing is installed along with the package", () => {
  expect(packageJson).not.toHaveProperty("dependencies");
  expect(packageJson).not.toHaveProperty("optionalDependencies");
  expect(packageJson).not.toHaveProperty("peerDependencies");
});

test("publint has no complaint", async () => {
  const files = packed.map((file) => ({ name: `${root}${file}`, data: readFileSync(`${root}${file}`) }));
  const { messages, pkg } = await publint({ pkgDir: root, pack: { files }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
});

function packedFiles(): readonly string[] {
  const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts", "--offline"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  // npm 11 answers with a list, npm 12 with an object by package name.
  const answer = JSON.parse(output) as Readonly<
    Record<string, { readonly files: readonly { path: string }[] }>
  >;
  return Object.values(answer).flatMap(({ files }) => files.map((file) => file.path));
}
