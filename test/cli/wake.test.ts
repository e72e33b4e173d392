/** What the supervisor is started with beside a person's environment: what tests want, and nothing that an agent wants. */
import { afterAll, expect, test } from "vitest";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { saveEnvironment, savedEnvironment } from "../../src/app/runs/environment.ts";
import { failpointsOf } from "../../src/app/runs/wake.ts";
import { removeHomes } from "../support/home.ts";
import { procsOf } from "../support/procs.ts";
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

const CHILD = procsOf([{ pid: 10, name: "sh", environment: "CLAUDECODE=1\0" }]);

test("a child of an agent is no supervisor without its marks either", async () => {
  const on = await taskScene();
  const printed = await on.say(["supervise", "--json"], { procs: CHILD });
  expect([printed.code, document(printed)["code"]]).toEqual([4, "not-a-person"]);
  expect(document(printed)["message"]).toContain("CLAUDECODE");
});

test.for([
  ["as a person's environment was saved", {}, 0],
  ["with another PATH", { PATH: "/elsewhere" }, 4],
  ["with a variable more", { NODE_OPTIONS: "--require /x" }, 4],
  ["with a failpoint", { SIGNALBOX_FAILPOINT: "process.before-spawn" }, 4],
] as const)("started by a command of an agent: %s", async ([, more, code]) => {
  const on = await taskScene();
  const home = homeAt(on.home.root);
  saveEnvironment(home, { PATH: "/bin", HOME: "/home/ada" });
  const env = { ...savedEnvironment(home), SIGNALBOX_HOME: home.root, ...more };
  const printed = await on.say(["supervise", "--json"], { env, procs: CHILD });
  expect(printed.code).toBe(code);
});
