/**
 * One turn of any program that speaks the Agent Client Protocol, version 1, over its standard streams.
 *
 * The bridge offers neither files nor terminals: an agent works with its own tools, as everywhere else, and so within its sandbox.
 */

import {
  client,
  methods,
  PROTOCOL_VERSION,
  type AnyMessage,
  type ClientConnection,
  type InitializeResponse,
  type NewSessionResponse,
  type PermissionOption,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionConfigOption,
} from "@agentclientprotocol/sdk";
import { EXIT_FAILED, EXIT_OK, EXIT_TERMINATED } from "../app/exit-codes.ts";
import { acpUpdates, requestIn, usageIn, type AcpUpdates } from "./acp-updates.ts";
import { listAt, textAt } from "./data.ts";
import { failureIn, TurnFailure } from "./failure.ts";
import { judge } from "./permission.ts";
import { startProgram, within, type BridgedProgram } from "./program.ts";
import type { BridgedTurn } from "./turn.ts";

/** A program that does not answer such a request hangs. */
const ANSWER_MS = 120_000;
const CANCEL_MS = 1500;
/** What it answered before it ended is taken first: it says more. */
const LAST_ANSWER_MS = 200;
/** Its `session/load` empties conversations that are younger than a minute. */
const LOSES_CONVERSATIONS = "gemini-cli";

type AcpAgent = ClientConnection["agent"];

export async function runAcpTurn(turn: BridgedTurn): Promise<number> {
  const { print, signal } = turn;
  const updates = acpUpdates(print);
  const { connection, program } = connect(turn, updates);
  try {
    await whileAlive(program, signal, converse(turn, connection.agent, updates));
    if (signal.aborted) print.say({ type: "notice", text: "the turn was stopped" });
    print.say({ type: "turn-ended" });
    return signal.aborted ? EXIT_TERMINATED : EXIT_OK;
  } catch (error) {
    const { message, details } = failureIn(error);
    print.say({ type: "failure", message, ...details });
    print.say({ type: "turn-ended" });
    return EXIT_FAILED;
  } finally {
    connection.close();
    await program.end();
  }
}

/** Fails where the program ends first. A turn that is stopped has a moment to say how it ends. */
async function whileAlive(program: BridgedProgram, signal: AbortSignal, work: Promise<void>): Promise<void> {
  const died = program.ended.then((how) =>
    within(LAST_ANSWER_MS, work).then(() => Promise.reject(new TurnFailure(how))),
  );
  const stopped = whenAborted(signal).then(() => within(CANCEL_MS, settled(work)));
  died.catch(() => undefined);
  await Promise.race([work, stopped, died]);
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener("abort", () => done(), { once: true });
  });
}

async function settled(work: Promise<void>): Promise<void> {
  await work.catch(() => undefined);
}

function connect(
  turn: BridgedTurn,
  updates: AcpUpdates,
): { readonly connection: ClientConnection; readonly program: BridgedProgram } {
  const { argv, env, policy, print } = turn;
  const { readable, writable } = new TransformStream<AnyMessage, AnyMessage>();
  const incoming = writable.getWriter();
  const program = startProgram(argv, {
    cwd: policy.cwd,
    env,
    message: (message) => {
      if (isMessage(message)) incoming.write(message).catch(() => undefined);
      else print.say({ type: "notice", text: "(an object that is no message is left out)" });
    },
    notice: (text) => print.say({ type: "notice", text }),
  });
  const outgoing = new WritableStream<AnyMessage>({ write: (message) => program.send(message) });
  const connection = client({ name: "signalbox" })
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) =>
      permit(turn, updates, { params, signal: AbortSignal.any([signal, turn.signal]) }),
    )
    .onNotification(methods.client.session.update, ({ params }) => updates.take(params.update))
    .connect({ readable, writable: outgoing });
  return { connection, program };
}

/** The library checks the rest. */
function isMessage(data: object): data is AnyMessage {
  return "jsonrpc" in data && data.jsonrpc === "2.0";
}

async function converse(turn: BridgedTurn, agent: AcpAgent, updates: AcpUpdates): Promise<void> {
  const { print, signal } = turn;
  const about = await answered(
    "initialize",
    agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
      clientInfo: { name: "signalbox", version: SIGNALBOX_VERSION },
    }),
  );
  if (about.protocolVersion !== PROTOCOL_VERSION)
    throw new TurnFailure(`the program speaks ACP ${about.protocolVersion}, and not ${PROTOCOL_VERSION}`, {
      class: "configuration",
    });
  const session = await openSession(turn, agent, about);
  const { sessionId } = session;
  print.say({ type: "conversation", id: sessionId });
  await choose(turn, agent, session);
  if (signal.aborted) return;
  const cancel = (): void =>
    void agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined);
  signal.addEventListener("abort", cancel, { once: true });
  const text = session.isSame || turn.anew === "" ? turn.prompt : turn.anew;
  updates.begin({ isSame: session.isSame });
  const response = await agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: "text", text }],
  });
  print.say({ type: "usage", ...usageIn(response), ...updates.cost() });
  const { stopReason } = response;
  if (stopReason === "end_turn" || (stopReason === "cancelled" && signal.aborted)) return;
  throw new TurnFailure(STOPS[stopReason] ?? `the turn ended: ${stopReason}`);
}

const STOPS: Readonly<Record<string, string>> = {
  max_tokens: "the turn ended: the model has written as many tokens as it may",
  max_turn_requests: "the turn ended: the program has asked the model as often as it may",
  refusal: "the turn ended: the model refuses to go on",
  cancelled: "the turn ended: the program has cancelled it",
};

type AcpSession = {
  readonly sessionId: string;
  /** It goes on with the conversation of the earlier turn. */
  readonly isSame: boolean;
  readonly configOptions: readonly SessionConfigOption[];
  /** Models of programs that have no such option. */
  readonly models: readonly string[];
};

/** Resumed where the program can, else loaded, else new. */
async function openSession(
  turn: BridgedTurn,
  agent: AcpAgent,
  about: InitializeResponse,
): Promise<AcpSession> {
  const { conversation: sessionId, policy, print } = turn;
  const { agentCapabilities, agentInfo } = about;
  const takesFolders =
    (agentCapabilities?.sessionCapabilities?.additionalDirectories ?? undefined) !== undefined;
  const place = {
    cwd: policy.cwd,
    mcpServers: [],
    ...(takesFolders ? { additionalDirectories: [...policy.folders] } : {}),
  };
  if (sessionId !== "") {
    const canLoad = agentCapabilities?.loadSession === true && agentInfo?.name !== LOSES_CONVERSATIONS;
    const canResume = (agentCapabilities?.sessionCapabilities?.resume ?? undefined) !== undefined;
    try {
      const again = canResume
        ? await answered(
            "session/resume",
            agent.request(methods.agent.session.resume, { sessionId, ...place }),
          )
        : canLoad
          ? await answered("session/load", agent.request(methods.agent.session.load, { sessionId, ...place }))
          : undefined;
      if (again !== undefined) return { sessionId, isSame: true, ...offered(again) };
    } catch (error) {
      print.say({
        type: "notice",
        text: `the conversation cannot be continued: ${failureIn(error).message}`,
      });
    }
  }
  const fresh = await answered<NewSessionResponse>(
    "session/new",
    agent.request(methods.agent.session.new, place),
  );
  return { sessionId: fresh.sessionId, isSame: false, ...offered(fresh) };
}

function offered(response: {
  readonly configOptions?: readonly SessionConfigOption[] | null;
}): Pick<AcpSession, "configOptions" | "models"> {
  const models = listAt(response, "models", "availableModels").map((model) => textAt(model, "modelId"));
  return { configOptions: response.configOptions ?? [], models };
}

/** Sets model and effort where the harness names them. A model that the program does not have ends the turn. */
async function choose(turn: BridgedTurn, agent: AcpAgent, session: AcpSession): Promise<void> {
  const { model, effort, print } = turn;
  const { sessionId, models } = session;
  if (model !== "" && !(await setOption(agent, session, { category: "model", value: model }))) {
    if (!models.includes(model)) {
      const known = [...valuesOf(session, "model"), ...models].slice(0, MODELS_SHOWN).join(", ");
      throw new TurnFailure(`the program has no model "${model}"${known === "" ? "" : `; it has ${known}`}`, {
        class: "configuration",
      });
    }
    await answered("session/set_model", agent.request("session/set_model", { sessionId, modelId: model }));
  }
  if (effort !== "" && !(await setOption(agent, session, { category: "thought_level", value: effort })))
    print.say({ type: "notice", text: `the program cannot be told the effort ${effort}` });
}

const MODELS_SHOWN = 10;

/** Whether the program has an option of this category with this value. */
async function setOption(
  agent: AcpAgent,
  { sessionId, configOptions }: AcpSession,
  { category, value }: { readonly category: string; readonly value: string },
): Promise<boolean> {
  const option = configOptions.find((each) => each.category === category && valuesIn(each).includes(value));
  if (option === undefined) return false;
  await answered(
    "session/set_config_option",
    agent.request(methods.agent.session.setConfigOption, { sessionId, configId: option.id, value }),
  );
  return true;
}

function valuesOf({ configOptions }: AcpSession, category: string): readonly string[] {
  return configOptions.filter((option) => option.category === category).flatMap(valuesIn);
}

function valuesIn(option: SessionConfigOption): readonly string[] {
  if (option.type !== "select") return [];
  return option.options.flatMap((each) =>
    "options" in each ? each.options.map(({ value }) => value) : [each.value],
  );
}

async function permit(
  turn: BridgedTurn,
  updates: AcpUpdates,
  { params, signal }: { readonly params: RequestPermissionRequest; readonly signal: AbortSignal },
): Promise<RequestPermissionResponse> {
  const { policy, ask, print } = turn;
  const { tool, input, ...request } = requestIn(params, updates);
  const judged = judge(request, policy);
  if (judged === "ask")
    print.say({ type: "notice", text: `a person is asked for permission: ${tool}: ${input}` });
  const decided = judged === "ask" ? await ask(tool, input, signal) : judged;
  if (judged === "ask") print.say({ type: "notice", text: `permission to use ${tool}: ${decided}` });
  if (decided === "dropped") return { outcome: { outcome: "cancelled" } };
  // What the person allows for the run is remembered there: the program asks again, and gets no wider permission of its own.
  const option = chosen(
    params.options,
    decided === "deny" ? ["reject_once", "reject_always"] : ["allow_once"],
  );
  if (decided === "deny" || option === undefined) {
    const reason = judged === "deny" ? "this role may only read" : "a person denied it";
    print.say({
      type: "refused",
      tool,
      reason: option === undefined ? "the program offers no such answer" : reason,
    });
  }
  return option === undefined
    ? { outcome: { outcome: "cancelled" } }
    : { outcome: { outcome: "selected", optionId: option.optionId } };
}

function chosen(
  options: readonly PermissionOption[],
  kinds: readonly PermissionOption["kind"][],
): PermissionOption | undefined {
  return kinds
    .map((kind) => options.find((option) => option.kind === kind))
    .find((option) => option !== undefined);
}

async function answered<Response>(method: string, response: Promise<Response>): Promise<Response> {
  const answer = await within(
    ANSWER_MS,
    response.then((value) => ({ value })),
  );
  if (answer === undefined) throw new TurnFailure(`the program does not answer ${method}`);
  return answer.value;
}
