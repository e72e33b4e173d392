/**
 * The machine of a person who has the agent programs and has logged in once, with everything on loopback.
 *
 * Signalbox has its built-in harnesses, unmodified. No key of the caller's own environment gets here.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openStore } from "../../src/adapters/store/open.ts";
import { clear, look, lookIn, makeLife, story, type, type Answer, type Life } from "../e2e/lives/life.ts";
import type { Conduct } from "./model/dialect.ts";
import { startModel, type Model } from "./model/server.ts";
import { folderOf, type Program } from "./programs.ts";

type Props = {
  readonly programs: readonly Program[];
  readonly conduct: Conduct;
  /** More settings of the person. */
  readonly config?: string;
  /** Called in the repository before its first commit. */
  readonly furnish?: (repo: string, root: string) => void;
};

export type Machine = Life & {
  readonly model: Model;
  git(...argv: readonly string[]): string;
  /** A command of the person, which must succeed. */
  person(...argv: readonly string[]): Promise<Answer>;
  /** Until the run is in one of these states. Answers questions on the way, by their names. */
  until(run: string, states: readonly string[], answers?: Readonly<Record<string, string>>): Promise<string>;
  /** What became of the run, and what its agents print. */
  report(run: string): Promise<string>;
};

export async function onMachine(props: Props, work: (on: Machine) => Promise<void>): Promise<void> {
  const model = await startModel(props.conduct);
  const life = makeLife({
    config: () => `env: [${Object.keys(offline(model.url)).join(", ")}]\n${props.config ?? ""}`,
    ...(props.furnish === undefined ? {} : { furnish: props.furnish }),
  });
  try {
    const machine = machineOf(logIn(life, model, props.programs), model);
    await work(machine);
    if (model.refused.length > 0)
      throw new Error(`the model did not understand:\n${model.refused.join("\n")}`);
  } finally {
    await clear(life);
    await model.close();
  }
}

function logIn(life: Life, model: Model, programs: readonly Program[]): Life {
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(life.root, path)), { recursive: true });
    writeFileSync(join(life.root, path), text);
  };
  // A person's identity is usually in the global file, which not every program reads.
  execFileSync("git", ["config", "--remove-section", "user"], { cwd: life.repo });
  put("tmp/empty", "");
  put("person/.gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n");
  put("person/.claude/settings.json", JSON.stringify(CLAUDE));
  put("person/.codex/config.toml", codexConfig(model.url));
  put("person/.gemini/settings.json", JSON.stringify(GEMINI));
  put("config/opencode/opencode.json", JSON.stringify(opencodeConfig(model.url)));
  return {
    ...life,
    env: {
      ...life.env,
      PATH: [...programs.map(folderOf), life.env["PATH"] ?? ""].join(":"),
      // The home of a person is not below it, and the sandbox of codex may write there.
      TMPDIR: join(life.root, "tmp"),
      ANTHROPIC_API_KEY: "no-key",
      ANTHROPIC_BASE_URL: model.url,
      OPENAI_API_KEY: "no-key",
      GEMINI_API_KEY: "no-key",
      GOOGLE_GEMINI_BASE_URL: model.url,
      ...offline(model.url),
    },
  };
}

/** What keeps opencode from the network, and has no place in its configuration. */
function offline(url: string): Readonly<Record<string, string>> {
  return { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1", npm_config_registry: url };
}

const CLAUDE = { env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_TELEMETRY: "1" } };
const GEMINI = {
  security: { auth: { selectedType: "gemini-api-key" } },
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

function codexConfig(url: string): string {
  return `model = "mock"
model_provider = "mock"
check_for_update_on_startup = false
analytics.enabled = false
[model_providers.mock]
name = "mock"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
`;
}

function opencodeConfig(url: string): object {
  const options = { baseURL: `${url}/v1`, apiKey: "no-key" };
  const mock = {
    npm: "@ai-sdk/openai-compatible",
    name: "mock",
    options,
    models: { mock: { name: "mock" } },
  };
  return { model: "mock/mock", provider: { mock } };
}

const PATIENCE_MS = 240_000;

function machineOf(life: Life, model: Model): Machine {
  const person = async (...argv: readonly string[]): Promise<Answer> => {
    const answer = await type(life, argv);
    if (answer.code === 0) return answer;
    throw new Error(
      `${argv.join(" ")} ended with ${answer.code}: ${JSON.stringify(answer.document)} ${answer.stderr}`,
    );
  };
  const until: Machine["until"] = async (run, states, answers = {}) => {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (let looks = 1; ; looks += 1) {
      const { state, attention, isCrashed } = await look(life, run);
      if (states.includes(state)) return state;
      if (attention !== "" || isCrashed || performance.now() > giveUpAt)
        throw new Error(
          `${run} is in ${state}, not in ${states.join(" or ")}: ${attention}\n${await report(life, run, model)}`,
        );
      for (const { run: asking, ask } of await open(life)) {
        const answer = answers[ask];
        if (answer === undefined) throw new Error(`nobody answers ${ask}\n${await report(life, run, model)}`);
        await person(
          "answer",
          asking,
          ...answer.split(": ").flatMap((word, at) => (at === 0 ? [word] : ["--text", word])),
        );
      }
      if (looks % 25 === 0) await lookIn(life);
      await pause(100);
    }
  };
  return {
    ...life,
    model,
    person,
    until,
    report: (run) => report(life, run, model),
    git: (...argv) =>
      execFileSync("git", argv, { cwd: life.repo, env: life.env, encoding: "utf8" }).trimEnd(),
  };
}

async function open({ home }: Life): Promise<readonly { readonly run: string; readonly ask: string }[]> {
  const store = openStore(home);
  try {
    return await store.questions({ open: true });
  } finally {
    await store.close();
  }
}

/** What Signalbox says of the run, and what each program asked of the model last. */
async function report(life: Life, run: string, model: Model): Promise<string> {
  const asked = model.asked.slice(-8).map(({ program, turns, step }) => {
    const { by = "", text = "" } = turns.at(-1) ?? {};
    return `${program} (${turns.length} turns): ${by}: ${text.slice(-500)}\n  -> ${JSON.stringify(step).slice(0, 200)}`;
  });
  return [await story(life, run), ...asked, ...model.refused].join("\n");
}
