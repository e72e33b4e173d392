/** What real tools print, and where the failure is: one row for each case that the rules tell apart. */

import { expect, test } from "vitest";
import { failingOf } from "../../src/format/reading/failure-place.ts";

const ROOT = "/home/me/the work";
const FILES = [
  "Makefile",
  "README.md",
  "src/a.ts",
  "src/a.test.ts",
  "src/lib.rs",
  "src/main.c",
  "tests/lib.rs",
  "test/a.js",
  "app/a.py",
  "tests/test_a.py",
  "pkg/a.go",
  "pkg/a_test.go",
  "web/index.ts",
  "spec/index.ts",
  "node_modules/left/index.test.js",
  "packages/one/src/b.ts",
  "packages/one/src/b.spec.ts",
];

function told(text: string): string {
  const { failing, rule } = failingOf({ text, root: ROOT, files: FILES });
  return `${failing}, ${rule}`;
}

test.for<[string, string, string]>([
  [
    "vitest: an assertion",
    "test, thrown",
    `
 RUN  v4.0.1 ${ROOT}

 ❯ src/a.test.ts (2 tests | 1 failed) 6ms
   ✓ adds 1ms
   × divides 4ms
     → expected 2 to be 3 // Object.is equality

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/a.test.ts > src/a.ts > divides
AssertionError: expected 2 to be 3 // Object.is equality

- Expected
+ Received

 ❯ src/a.test.ts:9:23
      7|
      8|   test("divides", () => {
      9|     expect(divide(4, 2)).toBe(3);
       |                          ^

 Test Files  1 failed (1)
      Tests  1 failed | 1 passed (2)`,
  ],
  [
    "vitest: the source throws, in colours",
    "source, thrown",
    `\u001B[31m FAIL \u001B[39m |unit| src/a.test.ts > divides
\u001B[31mError: by zero\u001B[39m
 ❯ check node_modules/left/index.test.js:3:1
\u001B[36m ❯ divide src/a.ts:3:9\u001B[39m
      3|   throw new Error("by zero");
\u001B[36m ❯ src/a.test.ts:9:12\u001B[39m`,
  ],
  ["vitest: a suite without a trace", "test, named", " FAIL  src/a.test.ts [ src/a.test.ts ]\nError: no"],
  [
    "vitest: a source that cannot be read",
    "source, thrown",
    ` FAIL  src/a.test.ts [ src/a.test.ts ]
Error: Transform failed with 1 error:

[PARSE_ERROR] Unexpected token
   ╭─[ src/a.ts:1:14 ]
  Plugin: vite:oxc
  File: ${ROOT}/src/a.ts
 ❯ transformWithOxc node_modules/vite/dist/node/chunks/node.js:7618:19`,
  ],
  [
    "vitest: a trace that a passing test printed",
    "test, thrown",
    `stderr | src/a.test.ts > warns
Error: expected
    at divide (${ROOT}/src/a.ts:3:9)

 FAIL  src/a.test.ts > divides
AssertionError: no
 ❯ src/a.test.ts:9:23`,
  ],
  [
    "jest: an assertion, and a trace that was printed",
    "test, thrown",
    `FAIL src/a.test.ts
  ✕ divides (3 ms)

  console.error
    careful
      at divide (src/a.ts:3:9)

  ● divides

    expect(received).toBe(expected) // Object.is equality

      at Object.<anonymous> (src/a.test.ts:9:23)
      at Promise.then.completed (node_modules/jest-circus/build/utils.js:298:28)

Test Suites: 1 failed, 1 total`,
  ],
  [
    "jest: the source throws, as a file URL",
    "source, thrown",
    `FAIL packages/one/src/b.spec.ts
  ● divides

    TypeError: Cannot read properties of undefined

      at new Promise (<anonymous>)
      at async divide (file://${ROOT}/packages/one/src/b.ts:3:9)
      at Object.<anonymous> (src/b.spec.ts:9:23)`,
  ],
  [
    "mocha",
    "test, thrown",
    `  1 passing (3ms)
  1 failing

  1) divides:
     AssertionError [ERR_ASSERTION]: 2 == 3
      at Context.<anonymous> (test/a.js:5:12)
      at process.processImmediate (node:internal/timers:504:21)`,
  ],
  [
    "node:test",
    "source, thrown",
    `✖ failing tests:

test at src/a.test.ts:3:1
✖ divides (1.2ms)
  Error: by zero
      at divide (file://${ROOT}/src/a.ts:1:30)
      at TestContext.<anonymous> (file://${ROOT}/src/a.test.ts:4:3)`,
  ],
  [
    "TAP",
    "test, thrown",
    `not ok 1 - divides
  ---
  location: '${ROOT}/src/a.test.ts:3:1'
  stack: |-
    TestContext.<anonymous> (file://${ROOT}/src/a.test.ts:4:10)
    divide (file://${ROOT}/src/a.ts:4:10)
  ...`,
  ],
  [
    "playwright",
    "test, named",
    "  1) [chromium] › packages/one/src/b.spec.ts:5:1 › opens ─────\n    Error: no",
  ],
  [
    "pytest: an assertion",
    "test, thrown",
    `=================================== FAILURES ===================================
___________________________________ test_div ___________________________________

    def test_div():
>       assert div(4, 2) == 3
E       assert 2 == 3

tests/test_a.py:5: AssertionError
=========================== short test summary info ============================
FAILED tests/test_a.py::test_div - assert 2 == 3
============================== 1 failed in 0.02s ===============================`,
  ],
  [
    "pytest: the source raises, and something was captured",
    "source, thrown",
    `___________________________________ test_div ___________________________________

    def test_div():
>       assert div(4, 0) == 3

tests/test_a.py:5:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

>       return a / b
E       ZeroDivisionError: division by zero

app/a.py:2: ZeroDivisionError
----------------------------- Captured stdout call -----------------------------
tests/test_a.py:9: not a place
=========================== short test summary info ============================
FAILED tests/test_a.py::test_div - ZeroDivisionError: division by zero`,
  ],
  ["pytest -q --tb=no", "test, named", "FAILED tests/test_a.py::test_div - assert 2 == 3\n1 failed in 0.01s"],
  [
    "pytest: collecting",
    "source, thrown",
    `_______________________ ERROR collecting tests/test_a.py _______________________
tests/test_a.py:1: in <module>
    from app.a import div
app/a.py:1: in <module>
    def div(a, b)
E   SyntaxError: expected ':'
ERROR tests/test_a.py`,
  ],
  [
    "unittest",
    "source, thrown",
    `======================================================================
ERROR: test_div (tests.test_a.T.test_div)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "${ROOT}/tests/test_a.py", line 5, in test_div
    div(4, 0)
  File "${ROOT}/app/a.py", line 2, in div
    return a / b
ZeroDivisionError: division by zero`,
  ],
  [
    "go test: names of files stand alone",
    "test, thrown",
    `--- FAIL: TestDiv (0.00s)
    a_test.go:8: got 2, want 3
FAIL
FAIL	example.com/it/pkg	0.002s
FAIL`,
  ],
  [
    "go test: the source panics",
    "source, thrown",
    `--- FAIL: TestDiv (0.00s)
panic: runtime error: integer divide by zero [recovered]

goroutine 18 [running]:
testing.tRunner.func1.2({0x1, 0x2})
	/usr/local/go/src/testing/testing.go:1632 +0x230
example.com/it/pkg.Div(...)
	${ROOT}/pkg/a.go:4 +0x1d
example.com/it/pkg.TestDiv(0xc000)
	${ROOT}/pkg/a_test.go:7 +0x2e
FAIL	example.com/it/pkg	0.004s`,
  ],
  [
    "go build",
    "source, located",
    "# example.com/it/pkg\npkg/a.go:4:9: undefined: x\nFAIL\texample.com/it/pkg [build failed]",
  ],
  ["go vet", "test, located", "# example.com/it/pkg\nvet: ./pkg/a_test.go:4:9: undefined: x"],
  [
    "cargo test: tests stand in the source",
    "unknown, ambiguous",
    "---- tests::it stdout ----\nthread 'tests::it' panicked at src/lib.rs:10:9:\nassertion failed",
  ],
  ["cargo test: a file of tests", "test, named", "thread 'it' panicked at 'no', tests/lib.rs:10:9"],
  [
    "rustc: errors, and no warnings",
    "test, located",
    "warning: unused\n --> src/lib.rs:1:1\n\nerror[E0308]: mismatched types\n --> tests/lib.rs:3:5",
  ],
  ["tsc", "source, located", "src/a.test.ts(1,1): error TS1005: no\nsrc/a.ts(3,4): error TS2322: Type 'a'"],
  ["tsc: tests alone", "test, located", "src/a.test.ts(3,4): error TS2322: Type 'a' is not"],
  [
    "tsc --pretty",
    "source, located",
    "\u001B[96msrc/a.ts\u001B[0m:\u001B[93m3\u001B[0m:4 - error TS2322: no",
  ],
  [
    "eslint: errors, and no warnings",
    "test, located",
    `
${ROOT}/src/a.ts
  1:1  warning  Unexpected console statement  no-console

${ROOT}/src/a.test.ts
  3:4  error  'x' is never used  no-unused-vars

✖ 2 problems (1 error, 1 warning)`,
  ],
  ["eslint: warnings alone", "unknown, no-path", `\n${ROOT}/src/a.ts\n  1:1  warning  No  no-console\n`],
  ["oxlint", "source, located", "  × eslint(no-var): no\n   ,-[src/a.ts:1:1]\n 1 | var a"],
  ["gcc", "source, located", "src/main.c:2:1: warning: unused\nsrc/main.c:3:4: error: expected ';'"],
  [
    "gcc: a warning",
    "unknown, no-path",
    "src/main.c:2:1: warning: unused\nmake: *** [Makefile:3: all] Error 1",
  ],
  ["mypy", "test, located", "app/a.py:1: note: see\ntests/test_a.py:3: error: no attribute  [attr-defined]"],
  ["prettier", "source, located", "Checking formatting...\n[warn] src/a.ts\n[warn] Code style issues found"],
  ["make, alone", "unknown, no-path", "sh test.sh\nmake: *** [Makefile:3: test] Error 1"],
  [
    "make: under it, the tests",
    "test, thrown",
    "make[1]: Entering directory 'pkg'\n--- FAIL: TestDiv (0.00s)\n    a_test.go:8: got 2\nmake: *** [Makefile:3: test] Error 1",
  ],
  [
    "node, without a runner",
    "source, thrown",
    `${ROOT}/src/a.ts:3\n  throw new Error("no");\n  ^\n\nError: no\n    at divide (${ROOT}/src/a.ts:3:9)\n    at Object.<anonymous> (${ROOT}/src/a.test.ts:1:1)`,
  ],
  [
    "python, without a runner",
    "test, thrown",
    'Traceback (most recent call last):\n  File "tests/test_a.py", line 1, in <module>\nKeyError: 1',
  ],
  ["a name that a test and a source have", "unknown, ambiguous", "FAIL index.ts\n"],
  ["only what comes from elsewhere", "unknown, no-path", "FAIL node_modules/left/index.test.js"],
  ["a file that is not there", "unknown, no-path", "FAIL src/gone.test.ts\nError: no\n ❯ src/gone.ts:3:4"],
  ["a file outside", "unknown, no-path", "FAIL /etc/src/a.test.ts\nFAIL ../src/a.test.ts"],
  ["a file that is only spoken of", "unknown, no-path", "see README.md and src/a.ts:3:4 for more"],
  ["nothing", "unknown, no-path", ""],
])("%s: %s", ([, expected, text]) => {
  expect(told(text)).toBe(expected);
});

test("a hostile output is looked through quickly", () => {
  const line = `  at ${"((a ".repeat(120)}`;
  expect(told(`FAIL src/a.test.ts\n${`${line}\n`.repeat(500)}`)).toBe("test, named");
  expect(told("a".repeat(256 * 1024))).toBe("unknown, no-path");
}, 2000);
