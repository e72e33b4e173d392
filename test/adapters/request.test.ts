/** A request is that of the process that holds it open, or it is none. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requestFrom, requestIn } from "../../src/adapters/supervisor/request.ts";
import { REQUEST_BYTES_MAX } from "../../src/adapters/supervisor/wire.ts";
import { callingProcess } from "../support/calling-process.ts";

const isLinux = process.platform === "linux";

test.runIf(isLinux)("a request is read from the process that makes it", async () => {
  const { root, program, request, hold } = callingProcess();
  const notice = await hold(request);
  expect(requestFrom(notice, { root, programs: [program] })).toEqual({ pid: notice.pid, request });
});

test.runIf(isLinux)("a process or a descriptor that is another's gives none", async () => {
  const { root, program, request, hold } = callingProcess();
  const { pid, fd } = await hold(request);
  const odd: readonly unknown[] = [
    { pid: process.pid, fd },
    { pid: 2 ** 30, fd },
    { pid, fd: fd + 1 },
    { pid, fd: 0 },
    { pid, fd: 1 },
    { pid, fd: -1 },
    { pid, fd: 1.5 },
    { pid, fd: "x" },
    { pid: 0, fd },
    { pid: -1, fd },
    { pid: `${pid}`, fd },
    { pid },
    { fd },
    // Where the kernel tells of other processes, nothing is believed that is said here.
    { pid, request },
    request,
    null,
    1,
    "hello",
    [],
    {},
  ];
  expect(odd.filter((each) => requestFrom(each, { root, programs: [program] }) !== undefined)).toEqual([]);
  expect(requestFrom({ pid, fd }, { root, programs: [process.execPath] })).toBeUndefined();
  expect(requestFrom({ pid, fd }, { root: join(root, ".."), programs: [program] })).toBeUndefined();
});

test.runIf(isLinux).for<[what: string, open: string, mode?: number]>([
  ["still has a name", `fs.openSync(file, "wx+", mode)`],
  ["others may read", `fs.openSync(file, "wx+", mode); fs.unlinkSync(file)`, 0o644],
  ["has another name", `fs.openSync(file + "0", "wx+", mode); fs.unlinkSync(file + "0")`],
  [
    "was made elsewhere",
    `fs.openSync(process.cwd() + "/0123456789ab", "wx+", mode); fs.unlinkSync("0123456789ab")`,
  ],
  [
    "another process has linked",
    `fs.openSync(file, "wx+", mode); fs.linkSync(file, file + "0"); fs.unlinkSync(file)`,
  ],
  [
    "is a folder that is gone",
    `(fs.mkdirSync(file), fs.openSync(file)); fs.rmdirSync(file); fs.writeSync = () => 0`,
  ],
])("a request in a file that %s is none", async ([, open, mode]) => {
  const { root, program, request, hold } = callingProcess();
  const notice = await hold(request, { open, ...(mode === undefined ? {} : { mode }) });
  expect(requestFrom(notice, { root, programs: [program] })).toBeUndefined();
});

test.runIf(isLinux)("a pipe in the place of the file keeps nobody waiting", async () => {
  const { root, program, request, hold } = callingProcess();
  execFileSync("mkfifo", [join(root, "calls", "0123456789ab")]);
  const open = `fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_NONBLOCK); fs.unlinkSync(file)`;
  const notice = await hold(request, { open });
  expect(requestFrom(notice, { root, programs: [program] })).toBeUndefined();
});

test.runIf(isLinux)("a request that says other than the kernel is none", async () => {
  const { root, program, request, hold } = callingProcess();
  const lies: readonly unknown[] = [
    { ...request, cwd: "/" },
    { ...request, env: { ...request.env, SIGNALBOX_TOKEN: "u" } },
    { ...request, env: { ...request.env, SIGNALBOX_JOB: "x" } },
    { ...request, env: { SIGNALBOX_HOME: root } },
    "no JSON",
    "",
    "null",
    { ...request, input: "x".repeat(REQUEST_BYTES_MAX) },
  ];
  for (const lie of lies) expect(requestFrom(await hold(lie), { root, programs: [program] })).toBeUndefined();
});

test("what is no request is none", () => {
  const { request } = callingProcess();
  const copy: unknown = JSON.parse(JSON.stringify(request));
  expect(requestIn(copy)).toEqual(request);
  const odd: readonly unknown[] = [
    undefined,
    null,
    1,
    "move",
    [],
    {},
    { ...request, protocol: "2" },
    { ...request, version: 1 },
    { ...request, use: ["move"] },
    { ...request, env: null },
    { ...request, env: { PATH: "/tmp" } },
    { ...request, env: { SIGNALBOX_HOME: 1 } },
    { ...request, call: undefined },
    { ...request, call: "call 1" },
    { ...request, call: `${request.call}/1` },
    { ...request, cwd: {} },
  ];
  expect(odd.map(requestIn).filter((each) => each !== undefined)).toEqual([]);
});
