/** Blocks of reviews in files that others write: found wherever they stand, and no part of what the file says. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { nameOfBlock, partBlocks, statusOfBlock, withBlocks } from "../../src/format/review/blocks.ts";
import { busyMs } from "../support/busy.ts";

const ONE = '<review status="approved" iteration="1" reviewer="critic">\n\nFine.\n\n</review>';

test.for<[string, string, number]>([
  ["# A\n", "# A\n", 0],
  ["# A\n\n\n", "# A\n", 0],
  [`# A\n\n${ONE}\n`, "# A\n", 1],
  [`# A\n\n${ONE}\n\n${ONE}\n`, "# A\n", 2],
  [`${ONE}\n# A\n`, "# A\n", 1],
  [`# A\r\n\r\n${ONE.replaceAll("\n", "\r\n")}\r\n`, "# A\n", 1],
  ["# A\n<review>x</review>\nb\n", "# A\nb\n", 1],
  ["# A\n  <REVIEW status=approved>\nx\n</Review >\nb\n", "# A\nb\n", 1],
  ['# A\n<review\n status="approved">\nx\n</review>\nb\n', "# A\nb\n", 1],
  // One that is never closed, or closed without being begun, is its own line only.
  ["# A\n<review>\nb\n", "# A\nb\n", 1],
  ["# A\n</review>\nb\n", "# A\nb\n", 1],
  [`# A\n<review>\nb\n${ONE}\n`, "# A\nb\n", 2],
  // Others have names of their own, and what is in a fence is an example.
  ["# A\n<reviewer>\nb\n<review-note>\n", "# A\n<reviewer>\nb\n<review-note>\n", 0],
  [`# A\n\`\`\`\n${ONE}\n\`\`\`\nb\n`, `# A\n\`\`\`\n${ONE}\n\`\`\`\nb\n`, 0],
  [`# A\n~~~~ md\n\`\`\`\n${ONE}\n~~~~\n`, `# A\n~~~~ md\n\`\`\`\n${ONE}\n~~~~\n`, 0],
  // A fence that nothing closes hides none.
  [`# A\n\`\`\`\nb\n${ONE}\n`, "# A\n```\nb\n", 1],
  ["text <review>\n", "text <review>\n", 0],
])("%j", ([text, rest, count]) => {
  const parted = partBlocks(text);
  expect([parted.rest, parted.blocks.length]).toEqual([rest, count]);
  expect(parted.blank.split("\n")).toHaveLength(text.split("\n").length);
});

test.for<[string, string, string]>([
  [ONE, "review 1", "approved"],
  ["<review iteration=12 status='needs_revision'>x</review>", "review 12", "needs_revision"],
  ["<review>\niteration=3 status=approved\n</review>", "review ?", "?"],
  ["</review>", "review ?", "?"],
])("%j is told as %s, %s", ([block, name, status]) => {
  expect([nameOfBlock(block), statusOfBlock(block)]).toEqual([name, status]);
});

test("blocks change nothing of what the file says, however often they are written", () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom("```", "~~~", "<review>", "</review>", "", "# A", ...ONE.split("\n")),
  );
  const file = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(file, fc.nat(3), (text, count) => {
      const blocks = Array.from({ length: count }, (_, index) => ONE.replace('"1"', `"${index + 1}"`));
      const { rest } = partBlocks(text);
      const written = withBlocks(text, blocks);
      expect(partBlocks(written).rest).toBe(rest);
      expect(withBlocks(written, blocks)).toBe(written);
      expect(partBlocks(withBlocks(written, [...blocks, ONE])).rest).toBe(rest);
    }),
  );
});

test.for(["<review>\n", "</review>\n", "```x\n", "~~~\n<review>\n", "````x\n```x\n"])(
  "a file of %j takes no time",
  async (line) => {
    const text = line.repeat(250_000 / line.length);
    expect(await busyMs(() => partBlocks(text))).toBeLessThan(1500);
  },
);
