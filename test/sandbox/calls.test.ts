/** What a hostile agent can have Signalbox do: with its command, and with words of its own on its socket. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clear, makeLife, story, type, type Life } from "../e2e/lives/life.ts";
import { isPerson } from "../support/person.ts";
import { isBwrapThere } from "./world.ts";

/** Each try is a file with what was printed, and one with the exit code. */
const WORKER = `mkdir -p tries
try() { name=$1; shift; "$@" >"tries/$name" 2>&1 </dev/null; echo $? >"tries/$name.exit"; }
if [ -n "\${OTHER_RUN-}" ]; then
  try show signalbox show
  try task signalbox next --json
  try accept signalbox accept
  try answer signalbox answer "$SIGNALBOX_RUN" --text yes
  try cancel signalbox cancel "$SIGNALBOX_RUN" --yes
  try done signalbox move "$SIGNALBOX_RUN" done
  try other signalbox submit "$OTHER_RUN" plan
  try look signalbox show "$OTHER_RUN"
  try stolen env SIGNALBOX_TOKEN="$OTHER_TOKEN" SIGNALBOX_RUN="$OTHER_RUN" signalbox submit plan
  try file signalbox submit plan "$KEY"
  cp TASK.md kept.md; rm TASK.md; ln -s "$KEY" TASK.md
  try link signalbox submit plan
  rm TASK.md; mv kept.md TASK.md
  try mcp node "$0.mjs" mcp
  [ -z "\${SIGNALBOX_SOCKET-}" ] || try raw node "$0.mjs" raw
  try mine env
fi
touch tries/over
while :; do sleep 1; done
`;

/** Speaks to the socket itself, without the client. */
const RAW = `
import { connect } from "node:net";
import { spawn } from "node:child_process";
const ask = (use, input, token = process.env.SIGNALBOX_TOKEN) => new Promise((resolve) => {
  const socket = connect(process.env.SIGNALBOX_SOCKET, () => {
    const request = { protocol: 2, version: "0", use, input, call: "call " + "0".repeat(24), cwd: "/", env: { SIGNALBOX_TOKEN: token, SIGNALBOX_RUN: process.env.OTHER_RUN } };
    socket.write(JSON.stringify({ pid: 1, request }) + "\\n");
  });
  let text = "";
  socket.on("data", (part) => (text += part));
  socket.on("close", () => resolve(text.split("\\n").filter(Boolean).at(-1)));
});
if (process.argv[2] === "raw") {
  const { OTHER_RUN, OTHER_TOKEN } = process.env;
  const all = {
    accept: await ask("accept", {}),
    list: await ask("list", {}),
    "trust-plan": await ask("trust-plan", {}),
    other: await ask("show", { run: OTHER_RUN }),
    mine: await ask("show", {}),
    stolen: await ask("show", {}, OTHER_TOKEN),
    none: await ask("show", {}, ""),
  };
  console.log(JSON.stringify(Object.fromEntries(Object.entries(all).map(([name, line]) => [name, JSON.parse(line)]))));
} else {
  const child = spawn("signalbox", ["mcp"], { stdio: ["pipe", "inherit", "inherit"] });
  const say = (message) => child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  say({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "0" } } });
  say({ method: "notifications/initialized" });
  say({ id: 2, method: "tools/list" });
  say({ id: 3, method: "tools/call", params: { name: "get_task", arguments: {} } });
  setTimeout(() => child.stdin.end(), 1500);
}
`;

type Tries = {
  readonly life: Life;
  readonly run: string;
  said(name: string): string;
  exit(name: string): number;
};

const REFUSED = 4;

async function tryAll(sandbox: string): Promise<Tries> {
  const life = makeLife({
    config: () => "",
    furnish: (_repo, root) => {
      mkdirSync(join(root, "agents"));
      writeFileSync(join(root, "agents/worker.sh"), WORKER);
      writeFileSync(join(root, "agents/worker.sh.mjs"), RAW);
    },
  });
  const configure = (set: Readonly<Record<string, string>>): void =>
    writeFileSync(
      join(life.root, "config/signalbox/config.yaml"),
      `sandbox: ${sandbox}\nterminal: none\nreach: { "*": { read: ["${life.root}/agents"] } }\nharnesses:\n  worker: { command: [sh, "${life.root}/agents/worker.sh"], set: ${JSON.stringify(set)} }\n`,
    );
  const begin = async (): Promise<string> => {
    const { code, document, stderr } = await type(life, [
      "task",
      "create",
      "Try",
      "--harness",
      "worker",
      "--review-harness",
      "worker",
    ]);
    if (code !== 0) throw new Error(`${JSON.stringify(document)} ${stderr}`);
    const run = String(document["run"]);
    await type(life, ["start", run]);
    const over = join(life.home.workspaces, run, "tries/over");
    for (let looks = 0; !existsSync(over); looks += 1) {
      if (looks > 1200) throw new Error(await story(life, run));
      await pause(50);
    }
    return run;
  };
  configure({});
  const other = await begin();
  const agents = join(life.home.root, "runs", other, "agents");
  const [agent = ""] = readdirSync(agents);
  configure({
    OTHER_RUN: other,
    OTHER_TOKEN: readFileSync(join(agents, agent, "token"), "utf8").trim(),
    KEY: join(life.root, "config/signalbox/config.yaml"),
  });
  const run = await begin();
  const tries = join(life.home.workspaces, run, "tries");
  return {
    life,
    run,
    said: (name) => (existsSync(join(tries, name)) ? readFileSync(join(tries, name), "utf8") : ""),
    exit: (name) => Number(readFileSync(join(tries, `${name}.exit`), "utf8")),
  };
}

describe.runIf(isPerson && isBwrapThere()).for(["required", "off"])("sandbox: %s", (sandbox) => {
  const isConfined = sandbox === "required";
  let tries: Tries;
  beforeAll(async () => {
    tries = await tryAll(sandbox);
  });
  afterAll(async () => {
    await clear(tries.life);
  });

  test("an agent sees its own run, and its task over MCP", () => {
    expect(tries.said("show")).toContain(tries.run);
    expect(tries.exit("task")).toBe(0);
    expect(tries.said("mcp")).toContain("submit_artifact");
    expect(tries.said("mcp")).toContain(tries.run);
  });

  test.for(["accept", "answer", "cancel", "done"])("it is no person: %s", (name) => {
    expect(tries.exit(name)).not.toBe(0);
  });

  test("it acts in no other run, and with no other token", () => {
    expect(tries.exit("other")).toBe(REFUSED);
    expect(tries.exit("stolen")).toBe(REFUSED);
  });

  test("it looks at another run only without the sandbox", () => {
    expect(tries.exit("look")).toBe(isConfined ? REFUSED : 0);
  });

  test("what it cannot read itself, nobody reads for it", () => {
    expect(tries.exit("link")).not.toBe(0);
    if (!isConfined) return;
    expect(tries.said("file")).toContain("there is no file");
    expect(tries.said("mine")).toContain("SIGNALBOX_SOCKET=");
  });

  test.runIf(isConfined)("words of its own on the socket are refused alike", () => {
    const answers = JSON.parse(tries.said("raw")) as Record<
      string,
      { type: string; failure?: { code: string } }
    >;
    expect(
      Object.entries(answers).map(([name, { type: kind, failure }]) => `${name}: ${failure?.code ?? kind}`),
    ).toEqual([
      "accept: out-of-reach",
      "list: out-of-reach",
      "trust-plan: out-of-reach",
      "other: not-your-run",
      "mine: outcome",
      "stolen: stolen-token",
      "none: no-token",
    ]);
    expect(JSON.stringify(answers["mine"])).toContain(tries.run);
  });
});
