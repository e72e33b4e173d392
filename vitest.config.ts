import { defineConfig } from "vitest/config";
import packageJson from "./package.json" with { type: "json" };
import { atOnce } from "./test/setup/at-once.ts";
import { retried } from "./test/setup/retried.ts";

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;

export default defineConfig({
  define: { SIGNALBOX_VERSION: JSON.stringify(packageJson.version) },
  test: {
    include: ["test/**/*.test.ts"],
    // Screens print local time.
    env: { TZ: "UTC" },
    // With programs of others, in a tier of their own.
    exclude: ["test/agents/**"],
    globalSetup: [
      "test/setup/seed.ts",
      "test/setup/person.ts",
      "test/setup/packages.ts",
      "test/setup/folder.ts",
      "test/setup/postgres.ts",
    ],
    setupFiles: ["test/setup/random.ts", "test/setup/standard-input.ts"],
    reporters: isDeep ? ["dot", atOnce] : ["dot", retried],
    // A machine that was busy elsewhere for a moment is no news: what passes at the second try is named at the end, and is mended.
    // A random test draws the same lots again. The deep tier forgives nothing.
    retry: isDeep ? 0 : 1,
    // Far more than anything takes: a busy machine is no failure. The full counts of the deep tier take their time.
    testTimeout: isDeep ? 900_000 : 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    // Tests mock no modules and change no globals, so that files can share a worker: most of the time
    // would otherwise go into starting workers.
    // Processes and not threads: whoever starts a program copies its own memory, and that of two is twice as much.
    pool: "forks",
    isolate: false,
    // Tests with real processes wait most of the time: three files at once keep two processors busy.
    maxWorkers: 3,
  },
});
