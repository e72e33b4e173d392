/** What an ACP agent reports while it works, as events of the bridge, and what it asks permission for. */

import type {
  PromptResponse,
  RequestPermissionRequest,
  SessionUpdate,
  ToolCall,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { at, countAt, listAt, textAt } from "./data.ts";
import type { Printer } from "./events.ts";
import type { ToolRequest } from "./permission.ts";

export type AcpUpdates = {
  take(update: SessionUpdate): void;
  /** What comes before the prompt repeats an earlier turn. */
  begin(of: { readonly isSame: boolean }): void;
  /** In dollars, of this turn; nothing where the program does not say. */
  cost(): { readonly cost?: number };
  /** What the call is about: programs say the kind of a tool and its input at different moments. */
  known(call: ToolCallUpdate): KnownCall;
};

type KnownCall = Pick<ToolCall, "title" | "kind" | "locations" | "rawInput" | "content" | "name">;

/** So many calls are remembered at once. */
const CALLS_MAX = 500;

export function acpUpdates(print: Printer): AcpUpdates {
  const calls = new Map<string, KnownCall>();
  const started = new Set<string>();
  let hasBegun = false;
  let before: number | undefined;
  let total: number | undefined;
  const known = (call: ToolCallUpdate): KnownCall => {
    const earlier = calls.get(call.toolCallId);
    const now: KnownCall = {
      title: call.title ?? earlier?.title ?? "",
      kind: call.kind ?? earlier?.kind ?? "other",
      locations: call.locations ?? earlier?.locations ?? [],
      content: call.content ?? earlier?.content ?? [],
      rawInput: call.rawInput ?? earlier?.rawInput,
      name: call.name ?? earlier?.name ?? null,
    };
    calls.set(call.toolCallId, now);
    const [oldest] = calls.keys();
    if (calls.size > CALLS_MAX && oldest !== undefined) calls.delete(oldest);
    return now;
  };
  const start = (id: string, call: KnownCall): void => {
    if (started.has(id)) return;
    started.add(id);
    print.say({ type: "tool-started", id, name: nameOf(call), input: inputOf(call) });
  };
  const end = ({ toolCallId: id, status, rawOutput }: ToolCallUpdate, call: KnownCall): void => {
    const isOk = status === "completed";
    start(id, call);
    started.delete(id);
    calls.delete(id);
    print.say({ type: "tool-ended", id, isOk, output: outputOf(call.content ?? [], rawOutput) });
    if (isOk) for (const path of changedBy(call)) print.say({ type: "file-changed", path });
  };
  const tool = (update: ToolCallUpdate): void => {
    const { toolCallId: id, status } = update;
    const call = known(update);
    if (status === "completed" || status === "failed") end(update, call);
    // Many programs name the input a moment after the call.
    else if (status === "in_progress" || inputOf(call) !== "") start(id, call);
    else print.alive();
  };
  const take = (update: SessionUpdate): void => {
    if (update.sessionUpdate === "usage_update") {
      if (update.cost?.currency === "USD") total = update.cost.amount;
      if (!hasBegun) before = total;
      print.alive();
      return;
    }
    if (!hasBegun) return;
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        if (update.content.type === "text") print.piece(update.content.text);
        return;
      case "tool_call":
      case "tool_call_update":
        return tool(update);
      case "notice":
        return print.say({ type: "notice", text: textAt(update, "message") || textAt(update, "text") });
      case "user_message_chunk":
      case "agent_thought_chunk":
      case "plan":
      case "available_commands_update":
      case "current_mode_update":
      case "config_option_update":
      case "session_info_update":
      case "compaction_update":
      case "compaction_summary_chunk":
        return print.alive();
    }
  };
  return {
    take,
    known,
    begin({ isSame }) {
      hasBegun = true;
      if (!isSame) before = 0;
    },
    // The program counts from the beginning of the conversation.
    cost: () => (total === undefined || before === undefined ? {} : { cost: Math.max(0, total - before) }),
  };
}

/** Tokens of the turn. No field of the stable protocol has them: some programs use that of the next version, gemini one of its own. */
export function usageIn(response: PromptResponse): {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
} {
  const usage = at(response, "usage");
  const quota = at(response, "_meta", "quota", "token_count");
  const cached = countAt(usage, "cachedReadTokens");
  return {
    input:
      countAt(usage, "inputTokens") + countAt(usage, "cachedWriteTokens") + cached ||
      countAt(quota, "input_tokens"),
    cached,
    output:
      countAt(usage, "outputTokens") + countAt(usage, "thoughtTokens") || countAt(quota, "output_tokens"),
  };
}

/** The request, with the words in which a person is asked about it. */
export function requestIn(
  { toolCall }: RequestPermissionRequest,
  updates: AcpUpdates,
): ToolRequest & { readonly tool: string; readonly input: string } {
  const call = updates.known(toolCall);
  const kind = call.kind ?? "other";
  // Only a program's own word for its input is a command, never a title that it shows beside one.
  const command = kind === "execute" ? commandOf(call) : "";
  const paths = [...(call.locations ?? []).map(({ path }) => path), ...changedBy(call)];
  return {
    kind,
    command,
    paths: [...new Set(paths)],
    isOwn: false,
    tool: kind === "other" ? `other: ${nameOf(call)}` : kind,
    input: [
      command || call.title,
      ...(command === "" ? [inputOf(call)] : []),
      ...contentOf(call.content ?? []),
    ]
      .filter((text, index, all) => text !== "" && all.indexOf(text) === index)
      .join("\n"),
  };
}

/** Some programs give the command as their input, codex as the arguments of a shell; gemini has it in the title alone. */
function commandOf({ rawInput, title }: KnownCall): string {
  const words = listAt(rawInput, "command");
  if (words.length > 0) {
    const [shell, option, script] = words;
    const isScript =
      words.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(String(shell)) && /^-l?c$/.test(String(option));
    return isScript ? String(script) : "";
  }
  return rawInput === undefined || rawInput === null ? title : textAt(rawInput, "command");
}

function nameOf({ name, title, kind }: KnownCall): string {
  return name ?? (kind === undefined || kind === "other" ? (title.split("\n")[0] ?? "").slice(0, 80) : kind);
}

const INPUTS = ["command", "file_path", "filePath", "filepath", "path", "pattern", "query", "url"];

function inputOf({ rawInput, title, kind }: KnownCall): string {
  const said = INPUTS.map((key) => textAt(rawInput, key)).find((text) => text !== "");
  if (said !== undefined) return said;
  const isEmpty = typeof rawInput !== "object" || rawInput === null || Object.keys(rawInput).length === 0;
  return isEmpty ? (kind === "other" ? "" : title) : JSON.stringify(rawInput);
}

function contentOf(content: readonly ToolCallContent[]): readonly string[] {
  return content.flatMap((part) => {
    if (part.type === "diff") return [`--- ${part.path}\n${part.newText}`];
    return part.type === "content" && part.content.type === "text" ? [part.content.text] : [];
  });
}

function outputOf(content: readonly ToolCallContent[], raw: unknown): string {
  const texts = content.flatMap((part) =>
    part.type === "content" && part.content.type === "text" ? [part.content.text] : [],
  );
  return texts.join("\n") || textAt(raw, "output") || textAt(raw);
}

function changedBy({ kind, content = [], locations = [] }: KnownCall): readonly string[] {
  const changed = content.flatMap((part) => (part.type === "diff" ? [part.path] : []));
  if (changed.length > 0) return [...new Set(changed)];
  return kind === "edit" || kind === "delete" || kind === "move" ? locations.map(({ path }) => path) : [];
}
