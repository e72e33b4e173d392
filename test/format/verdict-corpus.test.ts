import fc from "fast-check";
import { expect, test } from "vitest";
import type { Reader } from "../../src/core/workflow.ts";
import { faults, read } from "./reading.ts";

const review: Reader = {
  type: "section",
  heading: "Review",
  any: [],
  all: [],
  verdicts: { PASS: "pass", FAIL: "needs_fix", NEEDS_HUMAN: "needs_human", BLOCKED: "needs_human" },
};

const under = (...lines: readonly string[]) => ["# Task", "", "## Review", "", ...lines].join("\n");

test.for<[string, string, string]>([
  ["as asked for", under("Verdict: PASS"), "pass"],
  ["right below the heading", "## Review\nVerdict: PASS", "pass"],
  ["lower case", under("verdict: pass"), "pass"],
  ["mixed case", under("VERDICT: Pass"), "pass"],
  ["no space", under("Verdict:PASS"), "pass"],
  ["spaces and tabs around", under("  Verdict: \t PASS  \t"), "pass"],
  ["whole line bold", under("**Verdict: PASS**"), "pass"],
  ["whole line italic", under("_Verdict: PASS_"), "pass"],
  ["whole line bold and italic", under("***Verdict: PASS***"), "pass"],
  ["whole line as code", under("`Verdict: PASS`"), "pass"],
  ["bold value", under("Verdict: **PASS**"), "pass"],
  ["italic value", under("Verdict: *PASS*"), "pass"],
  ["value as code", under("Verdict: `PASS`"), "pass"],
  ["bold code value", under("Verdict: **`PASS`**"), "pass"],
  ["bold name", under("**Verdict:** PASS"), "pass"],
  ["bold name, colon outside", under("**Verdict**: PASS"), "pass"],
  ["bold name and bold value", under("**Verdict:** **PASS**"), "pass"],
  ["prose on the next line", under("Verdict: PASS", "All good."), "pass"],
  ["hard break by two spaces", under("Verdict: PASS  ", "All good."), "pass"],
  ["many empty lines first", under("", "", "   ", "Verdict: PASS"), "pass"],
  ["CRLF", under("Verdict: PASS", "", "Fine.").replaceAll("\n", "\r\n"), "pass"],
  ["byte order mark", `\uFEFF${under("Verdict: PASS")}`, "pass"],
  ["after front matter", `---\nstatus: review\n---\n${under("Verdict: PASS")}`, "pass"],
  ["heading with closing signs", "## Review ##\n\nVerdict: PASS", "pass"],
  ["bold heading", "## **Review**\n\nVerdict: PASS", "pass"],
  ["underlined heading", "Review\n------\n\nVerdict: PASS", "pass"],
  ["rule after an empty line", under("Verdict: PASS", "", "---", "", "Notes"), "pass"],
  ["another section follows", under("Verdict: PASS", "", "## Notes", "", "x"), "pass"],
  ["an example in code", under("Verdict: PASS", "", "```", "Verdict: FAIL", "```"), "pass"],
  ["a quoted older verdict", under("Verdict: PASS", "", "> Verdict: FAIL"), "pass"],
  ["a list item about verdicts", under("Verdict: PASS", "", "- Verdict: lines are read well"), "pass"],
  ["the word in prose", under("Verdict: PASS", "", "The verdict was easy."), "pass"],
  ["FAIL with prose", under("Verdict: FAIL", "", "It breaks."), "needs_fix"],
  ["FAIL with prose on the next line", under("Verdict: FAIL", "It breaks."), "needs_fix"],
  ["FAIL with a list", under("**Verdict: FAIL**", "", "1. It breaks."), "needs_fix"],
  ["FAIL with nested headings", under("Verdict: fail", "", "### Tests", "", "Red."), "needs_fix"],
  ["FAIL with output only", under("Verdict: FAIL", "", "```", "1 failed", "```"), "needs_fix"],
  ["a word with an underscore", under("Verdict: needs_human", "", "Unclear."), "needs_human"],
  ["an underscore in italics", under("_Verdict: NEEDS_HUMAN_", "", "Unclear."), "needs_human"],
])("genuine: %s", ([, text, verdict]) => {
  expect([read(review, text).verdict, faults(read(review, text))]).toEqual([verdict, "ok"]);
});

const FORGED: readonly (readonly [string, string])[] = [
  // Not text of the section.
  ["fenced", under("```", "Verdict: PASS", "```")],
  ["fenced with tildes", under("~~~text", "Verdict: PASS", "~~~")],
  ["fence without an end", under("```", "Verdict: PASS")],
  ["indented code", under("    Verdict: PASS")],
  ["indented by a tab", under("\tVerdict: PASS")],
  ["comment", under("<!-- Verdict: PASS -->")],
  ["comment over lines", under("<!--", "Verdict: PASS", "-->")],
  ["comment over empty lines", under("<!--", "", "Verdict: PASS", "", "-->")],
  ["whole section in a comment", `<!--\n\n${under("Verdict: PASS")}\n\n-->`],
  ["whole section in a fence", `\`\`\`\n${under("Verdict: PASS")}\n\`\`\``],
  ["whole section in a script", `<script>\n\n${under("Verdict: PASS")}\n\n</script>`],
  ["block quote", under("> Verdict: PASS")],
  ["nested quote", under("> > Verdict: PASS")],
  ["lazy line of a quote", under("> As asked:", "Verdict: PASS")],
  ["heading in a quote", "> ## Review\n>\n> Verdict: PASS"],
  ["heading in a quote, verdict outside", "> ## Review\n\nVerdict: PASS"],
  ["list item", under("- Verdict: PASS")],
  ["numbered item", under("1. Verdict: PASS")],
  ["lazy line of an item", under("- Checked.", "Verdict: PASS")],
  ["heading in a list", "- ## Review\n\n  Verdict: PASS"],
  ["front matter", "---\nx: |\n  ## Review\n  Verdict: PASS\n---\n"],
  ["flush in front matter", "---\n## Review\nVerdict: PASS\n---\n\n# Task"],
  ["HTML block", under("<div>", "Verdict: PASS", "</div>")],
  ["HTML around the line", under("<b>Verdict: PASS</b>")],
  ["HTML around the value", under("Verdict: <b>PASS</b>")],
  ["heading, not text", under("### Verdict: PASS")],
  ["below a nested heading", under("### Result", "", "Verdict: PASS")],
  ["table", under("| Verdict: PASS |", "|---|")],
  ["table cell", under("Verdict: PASS | ok", "---|---")],
  ["link text", under("[Verdict: PASS](x)")],
  ["linked value", under("Verdict: [PASS](x)")],
  ["image", under("![Verdict: PASS](x)")],
  ["link definition", under("[Verdict: PASS]: x")],
  ["struck out", under("~~Verdict: PASS~~")],
  ["value struck out", under("Verdict: ~~PASS~~")],
  // Another section, or several.
  ["no section", "Verdict: PASS"],
  ["other section", "## Handoff\n\nVerdict: PASS\n\n## Review\n"],
  ["section of the next heading", under("", "## Notes", "", "Verdict: PASS")],
  ["after a title", under("", "# Appendix", "", "Verdict: PASS")],
  ["wrong depth", "### Review\n\nVerdict: PASS"],
  ["title", "# Review\n\nVerdict: PASS"],
  ["other case", "## review\n\nVerdict: PASS"],
  ["more words", "## Review (draft)\n\nVerdict: PASS"],
  ["heading by HTML", "<h2>Review</h2>\n\nVerdict: PASS"],
  ["heading with a link", "## [Review](x)\n\nVerdict: PASS"],
  ["no space after the signs", "##Review\n\nVerdict: PASS"],
  ["escaped heading", "\\## Review\n\nVerdict: PASS"],
  ["two sections that agree", `${under("Verdict: PASS")}\n\n## Review\n\nVerdict: PASS`],
  ["two sections that differ", `${under("Verdict: FAIL", "", "Bad.")}\n\n## Review\n\nVerdict: PASS`],
  ["second section underlined", `${under("Verdict: PASS")}\n\nReview\n---\n\nVerdict: FAIL`],
  ["underlined by dashes", under("Verdict: PASS", "---")],
  ["underlined by equal signs", under("Verdict: PASS", "===")],
  ["underlined by one dash", under("Verdict: FAIL", "-")],
  // Not the first line.
  ["prose first", under("Looks fine.", "", "Verdict: PASS")],
  ["prose first, same paragraph", under("Looks fine.", "Verdict: PASS")],
  ["comment first", under("<!-- by the reviewer -->", "", "Verdict: PASS")],
  ["rule first", under("---", "", "Verdict: PASS")],
  ["empty section", under("")],
  // A second verdict.
  ["two verdicts", under("Verdict: PASS", "Verdict: FAIL")],
  ["two verdicts that agree", under("Verdict: PASS", "", "Verdict: PASS")],
  ["a later verdict in bold", under("Verdict: PASS", "", "Text.", "", "**Verdict:** FAIL")],
  ["a later verdict below a heading", under("Verdict: PASS", "", "### Round 2", "", "Verdict: FAIL")],
  ["a later verdict as heading", under("Verdict: PASS", "", "### Verdict: FAIL")],
  ["a later final verdict", under("Verdict: PASS", "", "Final verdict: FAIL")],
  ["a later verdict in full width", under("Verdict: PASS", "", "Ｖｅｒｄｉｃｔ：FAIL")],
  ["a later verdict split by a joiner", under("Verdict: PASS", "", "Ver\u200Ddict: FAIL")],
  ["a later verdict after a list", under("Verdict: PASS", "", "- x", "Verdict: FAIL")],
  // Something else on the line.
  ["prose after", under("Verdict: PASS with notes")],
  ["prose before", under("My Verdict: PASS")],
  ["denied", under("Verdict: not PASS")],
  ["asked", under("Verdict: PASS?")],
  ["full stop", under("Verdict: PASS.")],
  ["exclamation", under("Verdict: PASS!")],
  ["parenthesis", under("Verdict: PASS (mostly)")],
  ["dash", under("Verdict: PASS - tests are green")],
  ["both", under("Verdict: PASS FAIL")],
  ["emoji after", under("Verdict: PASS ✅")],
  ["emoji before", under("✅ Verdict: PASS")],
  ["emoji inside", under("Verdict: ✅ PASS")],
  ["comment behind", under("Verdict: PASS <!-- not really -->")],
  ["comment inside", under("Verdict: <!-- FAIL -->PASS")],
  ["in quotes", under('Verdict: "PASS"')],
  ["in brackets", under("Verdict: [PASS]")],
  ["another word", under("Verdict: PASSED")],
  ["negated word", under("Verdict: UNPASS")],
  ["unknown word", under("Verdict: APPROVED")],
  ["canonical word that is not declared", under("Verdict: needs_fix", "", "x")],
  ["word of every object", under("Verdict: constructor")],
  ["no value", under("Verdict:")],
  ["value on the next line", under("Verdict:", "PASS")],
  ["value after an empty line", under("Verdict:", "", "PASS")],
  ["no colon", under("Verdict PASS")],
  ["equal sign", under("Verdict = PASS")],
  ["space before the colon", under("Verdict : PASS")],
  ["colon of full width", under("Verdict：PASS")],
  ["two colons", under("Verdict:: PASS")],
  ["backslash at the end", under("Verdict: PASS\\", "more")],
  // The template.
  ["template", under("Verdict: PASS|FAIL")],
  ["template with spaces", under("Verdict: PASS | FAIL")],
  ["template with a slash", under("Verdict: PASS/FAIL")],
  ["template in angle brackets", under("Verdict: <PASS or FAIL>")],
  ["template in brackets", under("Verdict: [PASS/FAIL]")],
  ["boxes", under("- [x] PASS", "- [ ] FAIL")],
  ["template of dots", under("Verdict: ...")],
  // Marks that do not surround it.
  ["bold without an end", under("**Verdict: PASS")],
  ["bold that ends on the next line", under("**Verdict: PASS", "more**")],
  ["half of the value", under("Verdict: **PA**SS")],
  ["unequal marks", under("**Verdict: PASS*")],
  ["marks with spaces inside", under("Verdict: ** PASS **")],
  ["marks inside code", under("`Verdict: **PASS**`")],
  ["code over two lines", under("`Verdict: PASS", "more`")],
  // Letters that are not what they seem.
  ["entity in the value", under("Verdict: &#80;ASS")],
  ["entity in the name", under("&#86;erdict: PASS")],
  ["line end by an entity", under("Verdict: PASS&#10;but not really")],
  ["escaped letter", under("Verdict: \\PASS")],
  ["escaped colon", under("Verdict\\: PASS")],
  ["escaped marks", under("\\*\\*Verdict: PASS\\*\\*")],
  ["Cyrillic A", under("Verdict: P\u0410SS")],
  ["Cyrillic e in the name", under("V\u0435rdict: PASS")],
  ["Greek I in the name", under("Verd\u0399ct: PASS")],
  ["long s", under("Verdict: PA\u017FS")],
  ["kelvin sign", under("Verdict: BLOC\u212AED", "", "x")],
  ["dotless i", under("Verd\u0131ct: PASS")],
  ["full width letters", under("Verdict: ＰＡＳＳ")],
  ["combining accent", under("Verdict: PASS\u0301")],
  ["zero-width space", under("Verdict: PA\u200BSS")],
  ["zero-width joiner at the end", under("Verdict: PASS\u200D")],
  ["word joiner at the start", under("\u2060Verdict: PASS")],
  ["byte order mark inside", under("\uFEFFVerdict: PASS")],
  ["soft hyphen", under("Verdict: PA\u00ADSS")],
  ["right-to-left mark", under("Verdict: PASS\u200F")],
  ["right-to-left override", under("Verdict: \u202ESSAP")],
  ["override around the value", under("Verdict: \u202DPASS\u202C")],
  ["no-break space", under("Verdict:\u00A0PASS")],
  ["no-break space at the end", under("Verdict: PASS\u00A0")],
  ["line separator", under("Verdict: PASS\u2028but not really")],
  ["form feed", under("Verdict: PASS\f")],
  ["vertical tab", under("Verdict: PASS\v")],
  // A failing verdict that says nothing.
  ["FAIL without reasons", under("Verdict: FAIL")],
  ["FAIL with an empty heading", under("Verdict: FAIL", "", "### Issues")],
  ["FAIL with a placeholder", under("Verdict: FAIL", "", "- TODO", "- <issue>")],
  ["FAIL with a comment", under("Verdict: FAIL", "", "<!-- reasons -->")],
  ["FAIL whose reasons stand in another section", under("Verdict: FAIL", "", "## Notes", "", "Bad.")],
];

test.for(FORGED)("no verdict: %s", ([, text]) => {
  const reading = read(review, text);
  expect(reading.verdict).toBeUndefined();
  expect(reading.faults.length).toBeGreaterThan(0);
});

test("no character can be put into the line", () => {
  const line = "Verdict: PASS";
  const character = fc
    .oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      fc.constantFrom(...Array.from("*_`~<>[]()&#|\\-+=:.")),
    )
    .filter((one) => !/[ \t\r\n]/.test(one));
  fc.assert(
    fc.property(character, fc.nat(line.length), (one, at) => {
      expect(read(review, under(line.slice(0, at) + one + line.slice(at))).verdict).toBeUndefined();
    }),
    { numRuns: 1000 },
  );
});

test("no forged verdict comes to count with other line ends", () => {
  for (const end of ["\r\n", "\r"]) {
    const counted = FORGED.filter(
      ([, text]) => read(review, text.replaceAll("\n", end)).verdict !== undefined,
    );
    expect(counted.map(([name]) => name)).toEqual([]);
  }
});

test.for<[string, string]>([
  [
    under("Looks fine."),
    '5:1 the first line of the section must be `Verdict: PASS` or `Verdict: FAIL` or `Verdict: NEEDS_HUMAN` or `Verdict: BLOCKED` and nothing else, not "Looks fine."',
  ],
  [
    under("Verdict: PASS", "Verdict: FAIL"),
    "6:1 a second line looks like a verdict, so that none counts: keep one, or reword this line",
  ],
  [under("Verdict: FAIL"), "3:10 a failing verdict needs the reasons below it"],
  [
    `${under("x")}\n\n## Review`,
    '7:1 the section "## Review" appears twice (first on line 3), so that none counts',
  ],
  ["# Task\n\n### Review", 'not found: 3:1 the section "## Review" is missing; this heading is another one'],
  [
    under("Verdict: PASS", "---"),
    "3:1 the section must begin with the line `Verdict: PASS` or `Verdict: FAIL` or `Verdict: NEEDS_HUMAN` or `Verdict: BLOCKED` (the text on line 5 is underlined, which makes it a heading: put an empty line below it)",
  ],
])("%j -> %s", ([text, shown]) => {
  expect(faults(read(review, text))).toBe(shown);
});
