/** What the supervisor is started with beside a person's environment: what tests want, and nothing that an agent wants. */
import { afterAll, expect, test } from "vitest";
import { failpointsOf } from "../../src/app/runs/wake.ts";
import { removeHomes } from "../support/home.ts";
import { document, taskScene } from "./task-support.ts";

afterAll(removeHomes);

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

test.for(["SIGNALBOX_JOB", "SIGNALBOX_TOKEN", "CLAUDECODE"])(
  "an agent with %s is no supervisor",
  async (mark) => {
    const on = await taskScene();
    const printed = await on.say(["supervise", "--json"], { env: { ...on.env, [mark]: "x" } });
    expect([printed.code, document(printed)["code"]]).toEqual([4, "not-a-person"]);
    expect(document(printed)["next"]).toContain("any command starts the supervisor");
  },
);
