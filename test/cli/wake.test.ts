/** What the supervisor is started with beside a person's environment: what tests want, and nothing that an agent wants. */
import { expect, test } from "vitest";
import { failpointsOf } from "../../src/app/runs/wake.ts";

const WANTED = {
  SIGNALBOX_SUPERVISOR_FAILPOINT: "process.before-spawn",
  SIGNALBOX_SHIM_FAILPOINT: "claim",
  SIGNALBOX_FAILPOINT_LOG: "/log",
};

test("a test says where the supervisor dies", () => {
  expect(failpointsOf({ ...WANTED, PATH: "/bin" })).toEqual({
    SIGNALBOX_FAILPOINT: "process.before-spawn",
    SIGNALBOX_SHIM_FAILPOINT: "claim",
    SIGNALBOX_FAILPOINT_LOG: "/log",
  });
});

test.for(["SIGNALBOX_JOB", "SIGNALBOX_TOKEN", "SIGNALBOX_PROMPT", "CLAUDECODE"])("%s does not", (mark) => {
  expect(failpointsOf({ ...WANTED, [mark]: "x" })).toEqual({});
});
