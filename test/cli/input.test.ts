/** Text on the standard input: read in a process of its own, for it is that of the process. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { textIn } from "../../src/app/text-input.ts";

const module = fileURLToPath(new URL("../../src/app/text-input.ts", import.meta.url));
const SCRIPT = `
import { textIn } from ${JSON.stringify(module)};
try {
  console.log(JSON.stringify(textIn("/", process.argv[1] ?? "-")));
} catch ({ code, message, next }) {
  console.log(code + ": " + message + "; " + next);
}`;

test.for<[input: Buffer, said: string]>([
  [Buffer.from("größe\n"), '"größe\\n"\n'],
  [
    Buffer.from("gr\xf6\xdfe\n", "latin1"),
    "not-text: the standard input is not valid UTF-8; send it through `iconv -f LATIN1 -t UTF-8`, or whatever it is written in\n",
  ],
  [
    Buffer.alloc(16 * 1024 * 1024 + 1, "a"),
    "too-large: the standard input is larger than 16777216 bytes; give less\n",
  ],
])("%#", ([input, said]) => {
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", SCRIPT], {
    input,
    encoding: "utf8",
  });
  expect({ stdout, stderr }).toEqual({ stdout: said, stderr: "" });
});

test("a device that never ends", () => {
  expect(() => textIn("/", "/dev/zero")).toThrow("/dev/zero is larger than 16777216 bytes");
});

test.for<[what: string, line: string, said: string]>([
  [
    "a pipe that nobody writes to",
    "mkfifo f && $0 f",
    "unreadable: f is a pipe that nobody writes to; give the path of a file, or - for the standard input",
  ],
  ["one that somebody writes to", "mkfifo f && { printf a >f & $0 f; }", '"a"'],
  ["slowly", "mkfifo f && { { sleep 0.1; printf a; sleep 0.1; printf b; } >f & $0 f; }", '"ab"'],
  ["what a shell puts in place of a command", "$0 <(sleep 0.1; printf a)", '"a"'],
  ["and of one that says nothing", "$0 <(true)", '""'],
  ["a folder", "mkdir d && $0 d", "unreadable: d cannot be read: it is a folder; signalbox workflows"],
])("%s", ([, line, said]) => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-input-"));
  const node = `"${process.execPath}" --input-type=module -e "$SCRIPT"`;
  const shell = spawnSync("bash", ["-c", line.replaceAll("$0", node)], {
    cwd: folder,
    env: { ...process.env, SCRIPT: SCRIPT.replace('"/"', "process.cwd()") },
    encoding: "utf8",
    timeout: 30_000,
  });
  rmSync(folder, { recursive: true });
  expect(shell.stdout + shell.stderr).toBe(`${said}\n`);
});

test("a socket", async () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-input-"));
  const server = createServer();
  await new Promise<void>((done) => server.listen(join(folder, "s"), done));
  expect(() => textIn(folder, "s")).toThrow("s cannot be read");
  server.close();
  rmSync(folder, { recursive: true });
});
