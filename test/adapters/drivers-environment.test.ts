/** Whose variables an agent gets: those that every program needs, and the keys of its own provider only. */

import { expect, test } from "vitest";
import { driverOf } from "../../src/adapters/drivers/drivers.ts";
import { environment } from "../../src/engine/agents/launch.ts";

const NAMES = ["claude", "codex", "gemini", "opencode", "command"] as const;

const NETWORK = {
  HTTPS_PROXY: "http://proxy:1",
  http_proxy: "http://proxy:2",
  NO_PROXY: "localhost",
  no_proxy: "localhost",
  NODE_EXTRA_CA_CERTS: "/ca.pem",
};

const KEYS: Readonly<Record<string, readonly (typeof NAMES)[number][]>> = {
  ANTHROPIC_API_KEY: ["claude", "opencode"],
  CLAUDE_CODE_OAUTH_TOKEN: ["claude"],
  OPENAI_API_KEY: ["codex", "opencode"],
  CODEX_API_KEY: ["codex"],
  GEMINI_API_KEY: ["gemini"],
  OPENROUTER_API_KEY: ["opencode"],
  GITHUB_TOKEN: [],
  NODE_OPTIONS: [],
};

test.for(NAMES)("%s", (name) => {
  const keys = Object.fromEntries(Object.keys(KEYS).map((key) => [key, "secret"]));
  const person = { env: { PATH: "/bin", ...NETWORK, ...keys }, bin: "/signalbox", home: "/state" };
  const given = environment({ person }, { env: [], path: "/bin" }, driverOf(name));
  expect(given).toMatchObject(NETWORK);
  const known = Object.keys(KEYS).filter((key) => key in given);
  expect(known).toEqual(Object.keys(KEYS).filter((key) => KEYS[key]?.includes(name)));
});
