/** A deep run takes an hour: what fails is told when it fails, and when a file is done, so that nothing is lost with whoever ends it. */

import type { Reporter } from "vitest/node";

export const atOnce: Reporter = {
  onTestCaseResult(test) {
    const { state, errors = [] } = test.result();
    if (state !== "failed") return;
    console.log(`\nFAILED ${test.module.relativeModuleId} > ${test.fullName}`);
    for (const { message } of errors) console.log(`  ${message.split("\n", 1)[0] ?? ""}`);
  },
  onTestModuleEnd(module) {
    const seconds = Math.round(module.diagnostic().duration / 1000);
    const all = [...module.children.allTests()].map((test) => test.result().state);
    const count = (state: string): number => all.filter((one) => one === state).length;
    console.log(
      `\n${module.relativeModuleId}: ${count("passed")} passed, ${count("failed")} failed, ${seconds} s`,
    );
  },
};
