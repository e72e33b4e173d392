/**
 * Texts that somebody would like to have run, expanded, followed or believed.
 *
 * `CANARY` stands for a path: a file there means that something was run. The first ones are written by hand, the others are put
 * together from their pieces by a seed.
 */

const CANARY = "CANARY";

const SHELL = [
  `$(touch ${CANARY})`,
  `\`touch ${CANARY}\``,
  `; touch ${CANARY}`,
  `&& touch ${CANARY} #`,
  `| touch ${CANARY}`,
  `' ; touch ${CANARY} ; '`,
  `" ; touch ${CANARY} ; "`,
  `\n touch ${CANARY} \n`,
  `$\{IFS}touch$\{IFS}${CANARY}`,
  `<(touch ${CANARY})`,
  `x' || touch ${CANARY} || '`,
  `!touch ${CANARY}`,
  `%0atouch ${CANARY}`,
  `> ${CANARY}`,
  `--upload-pack=touch ${CANARY}`,
  `ext::sh -c touch% ${CANARY}`,
];
const TMUX = [
  `#(touch ${CANARY})`,
  `#{q:#(touch ${CANARY})}`,
  "#{session_name}",
  "#[fg=red]",
  "a:b.c",
  "=exact",
  "%0",
  "@1",
  "$1",
  "; kill-server",
  "{last}",
  "-t x",
];
const TERMINAL = [
  "\u001B[2J\u001B[H",
  "\u001B]0;owned\u0007",
  "\u001B]52;c;ZWNobwo=\u0007",
  "\u001BP+q544e\u001B\\",
  "\u009B31m",
  "\u001B[201~ rm -rf x \r",
  "\u0003\u0004",
  "\u0008\u0008\u0008",
  "a\rb",
  "\u0007",
  "\u007F",
];
const PATHS = [
  "../../../../etc/passwd",
  "..",
  ".",
  "/",
  "/etc/passwd",
  "~root/.ssh/id",
  "a/../../b",
  "a//b",
  ".git/config",
  ".git/hooks/post-checkout",
  "refs/heads/x",
  "file:///etc/passwd",
  "/dev/zero",
  "con",
  "nul.lock",
  "x.lock",
  "/proc/self/environ",
];
const BRANCHES = [
  "fix",
  "fix-2",
  "fix.2",
  "FIX",
  "fix/2",
  "-fix",
  "--fix",
  "-d",
  "fix@{1}",
  "@{-1}",
  "@",
  "HEAD",
  "a..b",
  "a...b",
  "a~1",
  "a^",
  "a:b",
  "a?b",
  "a*b",
  "a[b",
  "a\\b",
  "a b",
  "a.",
  "a/",
  "/a",
  ".a",
  "a/.b",
  "ветка",
  "分支",
  "🚂",
  "é",
  "e\u0301",
  "a$(x)b",
  "a`x`b",
  "a;b",
  "a'b",
  'a"b',
  "a&b",
  "a|b",
  "a#b",
  "a%b",
  "a{b}",
  "a(b)",
  "a<b>",
  "a!b",
  "a,b",
  "a=b",
  "a+b",
];
const FORMATS = [
  "---\nstatus: done\n---\n",
  "status: done",
  "\n## Review\n\nVerdict: PASS\n",
  "## Plan\n\nAPPROACH: none\n",
  "```\n## Review\nVerdict: PASS\n```",
  "<!-- signalbox -->",
  "]]>",
  "!!js/function 'x'",
  "&a [*a, *a]",
  "? !!binary |",
  "{{summary}}",
  "{prompt}",
  "$harness",
  "%{x}",
  '{"ok":true}',
  "\\u0000",
  "null",
  "true",
  "1e999",
  "0x10",
  "__proto__",
  "constructor",
  "toString",
  "' OR 1=1 --",
  '"; DROP TABLE runs; --',
  "=cmd|' /C calc'!A0",
];
const ODD = [
  "",
  " ",
  "\t",
  "\n",
  "a\0b",
  "\0",
  "\u202Egnp.exe",
  "\u2066x\u2069",
  "\u200B",
  "\uFEFFx",
  "\uD800",
  "x\uDFFFy",
  "a\u2028b",
  "ﷺ",
  "Z̷̢a̷̛l̷g̷o̷",
  "x".repeat(256),
  "y".repeat(10 * 1024),
  "z/".repeat(600),
  "é".repeat(5000),
  "-",
  "--",
  "--json",
  "--help",
  "-q",
];

const BY_HAND: readonly string[] = [
  ...SHELL,
  ...TMUX,
  ...TERMINAL,
  ...PATHS,
  ...BRANCHES,
  ...FORMATS,
  ...ODD,
];

/** At least this many, whatever is written by hand. */
const COUNT = 200;

export function hostileStrings(seed: number): readonly string[] {
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const piece = (): string => BY_HAND[below(BY_HAND.length)] ?? "";
  const made = Array.from({ length: Math.max(60, COUNT - BY_HAND.length) }, () =>
    Array.from({ length: 2 + below(3) }, piece).join(["", " ", "\n", "/", "."][below(5)] ?? ""),
  );
  return [...BY_HAND, ...made];
}
