/** Text on the standard input: read in a process of its own, for it is that of the process. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { textIn } from "../../src/cli/input.ts";

const module = fileURLToPath(new URL("../../src/cli/input.ts", import.meta.url));
const SCRIPT = `
import { textIn } from ${JSON.stringify(module)};
try {
  console.log(JSON.stringify(textIn("/", "-")));
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
