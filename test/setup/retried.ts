/** Names every test that passed only at its second try: whoever sees one mends it. */

import type { Reporter, TestModule } from "vitest/node";

export const retried: Reporter = {
  onTestRunEnd(modules) {
    const names = modules.flatMap(namesIn);
    if (names.length === 0) return;
    console.log(`Passed only at the second try, and to be mended (${names.length}):`);
    for (const name of names) console.log(`  ${name}`);
  },
};

function namesIn(module: TestModule): string[] {
  const all = [...module.children.allTests()];
  return all.flatMap((test) =>
    test.diagnostic()?.flaky === true ? [`${module.relativeModuleId} > ${test.fullName}`] : [],
  );
}
