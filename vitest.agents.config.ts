import { defineConfig } from "vitest/config";
import packageJson from "./package.json" with { type: "json" };

/** Real agent programs against a model on loopback: `npm run test:agents`. A program of others may fail once. */
export default defineConfig({
  define: { SIGNALBOX_VERSION: JSON.stringify(packageJson.version) },
  test: {
    include: ["test/agents/**/*.test.ts"],
    globalSetup: ["test/setup/person.ts", "test/agents/programs.ts"],
    reporters: ["verbose"],
    retry: 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
