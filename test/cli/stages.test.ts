/** Stages on the command line: left out, begun in, and what they need before. */
import { beforeAll, describe, expect, test } from "vitest";
import { outcome, parsed, type Scene } from "./acting-support.ts";
import { begun, relay } from "./stages-support.ts";

let on: Scene;
beforeAll(async () => {
  on = await relay();
});

/** Nothing is begun, and this is said. */
async function refusal(line: readonly string[], at: Scene = on): Promise<string> {
  const count = (): number => at.withStore((store) => store.list({ limit: 1000 }).rows.length);
  const before = count();
  const answer = await at.say(["run", "relay", ...line, "--detach", "--json"]);
  const { code, message, next } = parsed(answer);
  expect(count()).toBe(before);
  return `${answer.code} ${String(code)}: ${String(message)} | ${String(next)}`;
}

describe("--no-STAGE", () => {
  test.for<[line: string, params: Readonly<Record<string, boolean>>, state: string]>([
    ["", { explore_stage: true, test_stage: true }, "0"],
    ["--no-test", { explore_stage: true, test_stage: false }, "0"],
    ["--no-TEST", { explore_stage: true, test_stage: false }, "0"],
    ["--no-explore", { explore_stage: false, test_stage: true }, "1.1"],
    ["--no-test --no-explore", { explore_stage: false, test_stage: false }, "1.1"],
    ["--no-test --param test_stage=false", { explore_stage: true, test_stage: false }, "0"],
  ])("%s", async ([line, params, state]) => {
    const { run } = await begun(on, ["A goal", ...line.split(" ").filter((word) => word !== "")]);
    expect({ params: run.params, state: run.state }).toMatchObject({ params, state });
  });

  test("it comes before settings", async () => {
    const other = await relay({ user: "workflows: { relay: { stages: { TEST: { enabled: true } } } }\n" });
    expect((await begun(other, ["A goal", "--no-test"])).run.params["test_stage"]).toBe(false);
  });

  test.for<[line: string, said: string]>([
    [
      "--no-tset",
      '2 unknown-stage: relay has no stage "tset" that can be disabled; did you mean --no-test? | signalbox run --help',
    ],
    [
      "--no-plan",
      '2 unknown-stage: relay has no stage "plan" that can be disabled; there are --no-explore, --no-test | signalbox run --help',
    ],
    [
      "--no-strat",
      '2 unknown-stage: relay has no stage "strat" that can be disabled; did you mean --no-start? | signalbox run --help',
    ],
    [
      "--no-test --param test_stage=true",
      "2 bad-usage: --no-test and --param test_stage=true do not go together | signalbox run --help",
    ],
    ["--test", "2 bad-usage: there is no option --test | signalbox run --help"],
    [
      "--no-test=1",
      '2 unknown-stage: relay has no stage "test=1" that can be disabled; did you mean --no-test? | signalbox run --help',
    ],
  ])("%s", async ([line, said]) => {
    expect(await refusal(line.split(" "))).toBe(said);
  });

  test("other commands take no such option", async () => {
    expect(await outcome(on.say("show --no-test --json"))).toBe("2 bad-usage");
    expect(await outcome(on.say("show --no-TEST --json"))).toBe("2 bad-usage");
  });
});
