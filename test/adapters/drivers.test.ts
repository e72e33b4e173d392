/** What the readers of agent programs make of lines that the programs printed, and of any other lines. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EVENTS_MAX, TEXT_MAX } from "../../src/adapters/drivers/lines.ts";
import { readerFor } from "../../src/adapters/drivers/drivers.ts";
import type { AgentEvent } from "../../src/engine/ports/drivers.ts";

const DRIVERS = ["claude", "codex", "gemini", "opencode"];

describe("recorded turns", () => {
  test("claude", () => {
    expect(recorded("claude")).toMatchInlineSnapshot(`
      "# ok
      conversation {"id":"9959c67e-f223-49ff-aa31-774135d633b7"}
      model {"name":"claude-opus-5-5"}
      tool-started {"id":"toolu_ia3sbsz25lmwn1tot6","name":"Bash","input":"echo hello"}
      tool-ended {"id":"toolu_ia3sbsz25lmwn1tot6","isOk":true,"output":"hello"}
      tool-started {"id":"toolu_qck0i220irmwn1toyd","name":"Bash","input":"cat missing-file"}
      tool-ended {"id":"toolu_qck0i220irmwn1toyd","isOk":false,"output":"Exit code 1\\ncat: missing-file: No such file or directory"}
      tool-started {"id":"toolu_wowtyxdxt9mwn1tp11","name":"Write","input":"/home/ada/shop/notes-claude.txt"}
      tool-ended {"id":"toolu_wowtyxdxt9mwn1tp11","isOk":true,"output":"File created successfully at: /home/ada/shop/notes-claude.txt (file state is current in your context — no need to Read it back)"}
      file-changed {"path":"/home/ada/shop/notes-claude.txt"}
      text {"text":"Done: notes are written."}
      usage {"usage":{"input":47431,"cached":0,"output":80,"cost":0.191324}}
      turn-ended {}
      # edit
      conversation {"id":"e194274f-75fd-4bc3-8ba8-05c1346cfd1c"}
      model {"name":"claude-opus-5-5"}
      tool-started {"id":"toolu_iy270jnfzbmwn207lq","name":"Read","input":"/home/ada/shop/README.md"}
      tool-ended {"id":"toolu_iy270jnfzbmwn207lq","isOk":true,"output":"1\\t# Shop\\n2\\t"}
      tool-started {"id":"toolu_zdnbfpef8fmwn20859","name":"Edit","input":"/home/ada/shop/README.md"}
      tool-ended {"id":"toolu_zdnbfpef8fmwn20859","isOk":true,"output":"The file /home/ada/shop/README.md has been updated successfully. (file state is current in your context — no need to Read it back)"}
      file-changed {"path":"/home/ada/shop/README.md"}
      text {"text":"Edited."}
      usage {"usage":{"input":35527,"cached":0,"output":60,"cost":0.143308}}
      turn-ended {}
      # denied
      conversation {"id":"8f01780b-1d42-4bcc-8005-921aacf256cd"}
      model {"name":"claude-opus-5-5"}
      tool-started {"id":"toolu_5wemfecnzgmwn1vk5i","name":"WebFetch","input":"http://127.0.0.1:9/x"}
      refused {"tool":"WebFetch","reason":"Claude requested permissions to use WebFetch, but you haven't granted it yet."}
      tool-ended {"id":"toolu_5wemfecnzgmwn1vk5i","isOk":false,"output":"Claude requested permissions to use WebFetch, but you haven't granted it yet."}
      text {"text":"I could not."}
      usage {"usage":{"input":23593,"cached":0,"output":40,"cost":0.09517199999999999}}
      turn-ended {}
      # resume
      conversation {"id":"9959c67e-f223-49ff-aa31-774135d633b7"}
      model {"name":"claude-opus-5-5"}
      text {"text":"Still here."}
      usage {"usage":{"input":12035,"cached":0,"output":20,"cost":0.04854}}
      turn-ended {}
      # limit
      conversation {"id":"54101425-d722-436d-b11d-3dce493601d7"}
      model {"name":"claude-sonnet-5-5"}
      usage {"usage":{"input":0,"cached":0,"output":0}}
      failure {"class":"quota","message":"You've hit your 5-hour limit · resets 5:28am (UTC)","resetAt":1795066115000}
      turn-ended {}
      # quota
      conversation {"id":"f69d2a54-13bd-422d-a83a-729798db8ece"}
      model {"name":"claude-opus-5-5"}
      usage {"usage":{"input":0,"cached":0,"output":0}}
      failure {"class":"quota","message":"API Error: Request rejected (429) · You've hit your usage limit. Your limit will reset at 7pm."}
      turn-ended {}
      # nologin
      conversation {"id":"3f2efcf0-1d06-43d3-adbd-5f9593f43b11"}
      model {"name":"claude-opus-5-5"}
      usage {"usage":{"input":0,"cached":0,"output":0}}
      failure {"class":"login","message":"Not logged in · Please run /login"}
      turn-ended {}
      # login
      conversation {"id":"e7abc55c-cc5d-416a-89e4-dd153bd1c884"}
      model {"name":"claude-opus-5-5"}
      notice {"text":"retry 1 of 1: authentication_failed 401"}
      usage {"usage":{"input":0,"cached":0,"output":0}}
      failure {"class":"login","message":"Failed to authenticate. API Error: 401 OAuth token has expired. Please obtain a new token or refresh your existing token."}
      turn-ended {}
      # model
      conversation {"id":"c0a0fd93-6a67-4720-b1d7-973c360a0dcb"}
      model {"name":"claude-opus-5-5"}
      usage {"usage":{"input":0,"cached":0,"output":0}}
      failure {"class":"configuration","message":"There's an issue with the selected model (claude-opus-5-5). It may not exist or you may not have access to it. Run --model to pick a different model."}
      turn-ended {}
      # bad
      conversation {"id":"65dfe399-81f3-4623-939e-dc0d587892f4"}
      model {"name":"claude-opus-5-5"}
      usage {"usage":{"input":0,"cached":0,"output":0}}
      failure {"class":"configuration","message":"API Error: 400 model: mock-model is not available to you"}
      turn-ended {}
      # server
      conversation {"id":"85acbe70-8d3e-49b4-900c-77fba881892f"}
      model {"name":"claude-opus-5-5"}
      notice {"text":"retry 1 of 1: server_error 500"}
      usage {"usage":{"input":0,"cached":0,"output":0}}
      failure {"class":"provider","message":"API Error: 500 Internal server error. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:8080)."}
      turn-ended {}
      # late
      conversation {"id":"53b4b0e7-5eef-4a08-837c-28e090d2ca69"}
      model {"name":"claude-opus-5-5"}
      tool-started {"id":"toolu_p2gc60h7ynmwn1tvj5","name":"Bash","input":"echo hello"}
      tool-ended {"id":"toolu_p2gc60h7ynmwn1tvj5","isOk":true,"output":"hello"}
      usage {"usage":{"input":12797,"cached":0,"output":20,"cost":0.051587999999999995}}
      failure {"class":"quota","message":"API Error: Request rejected (429) · You've hit your usage limit. Your limit will reset at 7pm."}
      turn-ended {}"
    `);
  });
  test("codex", () => {
    expect(recorded("codex")).toMatchInlineSnapshot(`
      "# ok
      conversation {"id":"01a1f20e-ed5e-70c2-b753-8461a25cf68a"}
      notice {"text":"Model metadata for \`mock-model\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."}
      tool-started {"id":"item_1","name":"command","input":"/bin/bash -c 'echo hello'"}
      tool-ended {"id":"item_1","isOk":true,"output":"hello\\n"}
      tool-started {"id":"item_2","name":"command","input":"/bin/bash -c 'cat missing-file'"}
      tool-ended {"id":"item_2","isOk":false,"output":"cat: missing-file: No such file or directory\\n"}
      tool-started {"id":"item_3","name":"command","input":"/bin/bash -c \\"cat > '/home/ada/shop/notes-codex.txt' <<'EOM'\\none\\ntwo\\n\\nEOM\\""}
      tool-ended {"id":"item_3","isOk":true,"output":""}
      text {"text":"Done: notes are written."}
      usage {"usage":{"input":40804,"cached":0,"output":80,"of":"conversation"}}
      turn-ended {}
      # patch
      conversation {"id":"01a1f210-3ca0-7101-b3ae-446dca62292a"}
      notice {"text":"Model metadata for \`mock-model\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."}
      file-changed {"path":"/home/ada/shop/patched.txt"}
      text {"text":"Patched."}
      usage {"usage":{"input":20186,"cached":0,"output":40,"of":"conversation"}}
      turn-ended {}
      # quota
      conversation {"id":"01a1f20e-fa0d-7dd2-affb-25e6a6d48669"}
      notice {"text":"Model metadata for \`mock-model\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."}
      failure {"class":"quota","message":"Quota exceeded. Check your plan and billing details."}
      turn-ended {}
      # usage
      conversation {"id":"01a1f20e-fd08-7f53-bbed-d855d9ab7a83"}
      notice {"text":"Model metadata for \`mock-model\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."}
      failure {"class":"quota","message":"You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at 5:27 AM."}
      turn-ended {}
      # rate
      conversation {"id":"01a1f20f-0033-7501-9875-bdcf09e4da17"}
      notice {"text":"Model metadata for \`mock-model\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."}
      notice {"text":"Reconnecting... 1/1 (exceeded retry limit, last status: 429 Too Many Requests)"}
      failure {"class":"quota","message":"exceeded retry limit, last status: 429 Too Many Requests"}
      turn-ended {}
      # login
      conversation {"id":"01a1f20f-0857-7773-af07-26b111f9dce3"}
      notice {"text":"Model metadata for \`mock-model\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."}
      notice {"text":"Reconnecting... 1/1 (unexpected status 401 Unauthorized: Incorrect API key provided., url: http://127.0.0.1:8080/v1/responses)"}
      failure {"class":"login","message":"unexpected status 401 Unauthorized: Incorrect API key provided."}
      turn-ended {}
      # nokey
      conversation {"id":"01a1f210-3fbe-7611-a234-c3637d2ba05c"}
      notice {"text":"Model metadata for \`mock-model\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."}
      failure {"class":"login","message":"Missing environment variable: \`OPENAI_API_KEY\`."}
      turn-ended {}
      # model
      conversation {"id":"01a1f20f-0ba0-7bd2-82af-9d3f570249a1"}
      notice {"text":"Model metadata for \`mock-model\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."}
      failure {"class":"configuration","message":"The model \`mock-model\` does not exist or you do not have access to it."}
      turn-ended {}
      # bad
      conversation {"id":"01a1f20f-0db1-7cb1-8843-dcb64ebafd00"}
      notice {"text":"Model metadata for \`mock-model\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."}
      failure {"class":"configuration","message":"Unsupported parameter: 'effort'"}
      turn-ended {}
      # server
      conversation {"id":"01a1f20f-0fd4-7461-9e5e-0f102d2be160"}
      notice {"text":"Model metadata for \`mock-model\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."}
      notice {"text":"Reconnecting... 1/1 (We’re currently experiencing high demand, which may cause temporary errors.)"}
      failure {"class":"provider","message":"We’re currently experiencing high demand, which may cause temporary errors."}
      turn-ended {}
      # late
      conversation {"id":"01a1f20f-1534-7ee3-a0a6-153e33c5c20e"}
      notice {"text":"Model metadata for \`mock-model\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."}
      tool-started {"id":"item_1","name":"command","input":"/bin/bash -c 'echo hello'"}
      tool-ended {"id":"item_1","isOk":true,"output":"hello\\n"}
      failure {"class":"quota","message":"Quota exceeded. Check your plan and billing details."}
      turn-ended {}"
    `);
  });
  test("gemini", () => {
    expect(recorded("gemini")).toMatchInlineSnapshot(`
      "# ok
      notice {"text":"YOLO mode is enabled. All tool calls will be automatically approved."}
      notice {"text":"YOLO mode is enabled. All tool calls will be automatically approved."}
      conversation {"id":"62f75556-c8a5-4be6-854b-c5d0ebbd3c0b"}
      model {"name":"gemini-2.5-flash"}
      tool-started {"id":"run_shell_command__fc_d8bwkqdnh4mwn20i16","name":"run_shell_command","input":"echo hello"}
      tool-ended {"id":"run_shell_command__fc_d8bwkqdnh4mwn20i16","isOk":true,"output":"hello"}
      tool-started {"id":"run_shell_command__fc_fakdcq2gy2mwn20ikn","name":"run_shell_command","input":"cat missing-file"}
      tool-ended {"id":"run_shell_command__fc_fakdcq2gy2mwn20ikn","isOk":true,"output":"cat: missing-file: No such file or directory"}
      tool-started {"id":"write_file__fc_h13xdrnfsmmwn20ir3","name":"write_file","input":"/home/ada/shop/notes-gemini.txt"}
      tool-ended {"id":"write_file__fc_h13xdrnfsmmwn20ir3","isOk":true,"output":""}
      file-changed {"path":"/home/ada/shop/notes-gemini.txt"}
      text {"text":"Done: notes are written."}
      model {"name":"mock"}
      usage {"usage":{"input":49699,"cached":0,"output":80}}
      turn-ended {}
      # edit
      notice {"text":"YOLO mode is enabled. All tool calls will be automatically approved."}
      notice {"text":"YOLO mode is enabled. All tool calls will be automatically approved."}
      conversation {"id":"01a7bf70-43f7-4381-91c8-e24ded940521"}
      model {"name":"gemini-2.5-flash"}
      tool-started {"id":"replace__fc_qoqosexr54mwn20dif","name":"replace","input":"/home/ada/shop/README.md"}
      tool-ended {"id":"replace__fc_qoqosexr54mwn20dif","isOk":true,"output":""}
      file-changed {"path":"/home/ada/shop/README.md"}
      text {"text":"Edited."}
      model {"name":"mock"}
      usage {"usage":{"input":24612,"cached":0,"output":40}}
      turn-ended {}
      # quota
      notice {"text":"YOLO mode is enabled. All tool calls will be automatically approved."}
      notice {"text":"YOLO mode is enabled. All tool calls will be automatically approved."}
      conversation {"id":"94ddf002-2c05-40e0-aa94-07a6ab6554df"}
      model {"name":"auto"}
      model {"name":"mock"}
      usage {"usage":{"input":2843,"cached":0,"output":20}}
      failure {"class":"quota","message":"You have exhausted your daily quota on this model. Please wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method"}
      turn-ended {}
      # nologin
      notice {"text":"YOLO mode is enabled. All tool calls will be automatically approved."}
      failure {"class":"login","message":"When using Gemini API, you must specify the GEMINI_API_KEY environment variable."}
      notice {"text":"Update your environment and try again (no reload needed if using .env)!"}
      # login
      notice {"text":"YOLO mode is enabled. All tool calls will be automatically approved."}
      notice {"text":"YOLO mode is enabled. All tool calls will be automatically approved."}
      conversation {"id":"6b5c4737-47e6-4795-bd1e-44abdb743b23"}
      model {"name":"auto"}
      model {"name":"mock"}
      usage {"usage":{"input":1783,"cached":0,"output":20}}
      failure {"class":"login","message":"API key not valid. Please pass a valid API key."}
      turn-ended {}
      # model
      notice {"text":"YOLO mode is enabled. All tool calls will be automatically approved."}
      notice {"text":"YOLO mode is enabled. All tool calls will be automatically approved."}
      conversation {"id":"b5acc6da-a2cb-4cf5-b476-628f52e28762"}
      model {"name":"auto"}
      model {"name":"mock"}
      usage {"usage":{"input":1993,"cached":0,"output":20}}
      failure {"class":"configuration","message":"models/mock-model is not found for API version v1beta, or is not supported for generateContent."}
      turn-ended {}
      # bad
      notice {"text":"YOLO mode is enabled. All tool calls will be automatically approved."}
      notice {"text":"YOLO mode is enabled. All tool calls will be automatically approved."}
      conversation {"id":"b9884287-aa7a-453b-9298-3065b8ae0810"}
      model {"name":"auto"}
      model {"name":"mock"}
      usage {"usage":{"input":1648,"cached":0,"output":20}}
      failure {"class":"configuration","message":"model not available"}
      turn-ended {}
      # server
      notice {"text":"YOLO mode is enabled. All tool calls will be automatically approved."}
      notice {"text":"YOLO mode is enabled. All tool calls will be automatically approved."}
      conversation {"id":"4efdc686-1907-4236-b973-bf5bc1d2ebdf"}
      model {"name":"gemini-2.5-flash"}
      notice {"text":"Attempt 1 failed with status 500. Retrying with backoff... _ApiError: {\\"error\\":{\\"message\\":\\"Internal server error\\",\\"type\\":\\"api_error\\"}}"}
      model {"name":"mock"}
      usage {"usage":{"input":1538,"cached":0,"output":20}}
      failure {"class":"provider","message":"Internal server error"}
      turn-ended {}"
    `);
  });
  test("opencode", () => {
    expect(recorded("opencode")).toMatchInlineSnapshot(`
      "# ok
      conversation {"id":"ses_e0df0d874ffedJFJWppJYPfJ4Z"}
      tool-started {"id":"call_frgpa0uh4rmwn1u3hx","name":"bash","input":"echo hello"}
      tool-ended {"id":"call_frgpa0uh4rmwn1u3hx","isOk":true,"output":"hello\\n"}
      usage {"usage":{"input":7725,"cached":0,"output":20,"cost":0.007765,"of":"step"}}
      tool-started {"id":"call_futd3eyz9kmwn1u4cx","name":"bash","input":"cat missing-file"}
      tool-ended {"id":"call_futd3eyz9kmwn1u4cx","isOk":false,"output":"cat: missing-file: No such file or directory\\n"}
      usage {"usage":{"input":7787,"cached":0,"output":20,"cost":0.007827,"of":"step"}}
      tool-started {"id":"call_ptl50y1fy3mwn1u5d8","name":"write","input":"/home/ada/shop/notes-opencode.txt"}
      tool-ended {"id":"call_ptl50y1fy3mwn1u5d8","isOk":true,"output":"Wrote file successfully."}
      file-changed {"path":"/home/ada/shop/notes-opencode.txt"}
      usage {"usage":{"input":7860,"cached":0,"output":20,"cost":0.0079,"of":"step"}}
      text {"text":"Done: notes are written."}
      usage {"usage":{"input":7940,"cached":0,"output":20,"cost":0.00798,"of":"step"}}
      turn-ended {}
      # edit
      conversation {"id":"ses_e0dec97cbffeEbbuW30DFbSFHl"}
      tool-started {"id":"call_omecl5dabrmwn2035i","name":"read","input":"/home/ada/shop/README.md"}
      tool-ended {"id":"call_omecl5dabrmwn2035i","isOk":true,"output":"<path>/home/ada/shop/README.md</path>\\n<type>file</type>\\n<content>\\n1: # shop\\n\\n(End of file - total 1 lines)\\n</content>"}
      usage {"usage":{"input":7717,"cached":0,"output":20,"cost":0.007757,"of":"step"}}
      tool-started {"id":"call_q1ourlkepzmwn203q3","name":"edit","input":"/home/ada/shop/README.md"}
      tool-ended {"id":"call_q1ourlkepzmwn203q3","isOk":true,"output":"Edit applied successfully."}
      file-changed {"path":"/home/ada/shop/README.md"}
      usage {"usage":{"input":7812,"cached":0,"output":20,"cost":0.007852,"of":"step"}}
      text {"text":"Edited."}
      usage {"usage":{"input":7895,"cached":0,"output":20,"cost":0.007935,"of":"step"}}
      turn-ended {}
      # denied
      conversation {"id":"ses_e0decd376fferEmFkmjvr1lfKP"}
      notice {"text":"\\u001b[93m\\u001b[1m! \\u001b[0mpermission requested: external_directory (/etc/*); auto-rejecting"}
      tool-started {"id":"call_3tujc97lxqmwn1zq03","name":"read","input":"/etc/hosts"}
      tool-ended {"id":"call_3tujc97lxqmwn1zq03","isOk":false,"output":"The user rejected permission to use this specific tool call."}
      usage {"usage":{"input":7696,"cached":0,"output":20,"cost":0.007736,"of":"step"}}
      # rate
      conversation {"id":"ses_e0def04d1ffe01HQgTATfPqIYa"}
      failure {"class":"quota","message":"Rate limit reached for mock-model"}
      # login
      conversation {"id":"ses_e0deebbe5ffeM1B1MfyYRh1xl5"}
      failure {"class":"login","message":"Incorrect API key provided."}
      # model
      conversation {"id":"ses_e0dee8b2cffewGUiPTI7htEoqB"}
      failure {"class":"configuration","message":"The model \`mock-model\` does not exist or you do not have access to it."}
      # nomodel
      conversation {"id":"ses_e0decf490ffeBNFAH9hZVdWCu0"}
      failure {"class":"provider","message":"Unexpected server error. Check server logs for details."}
      # bad
      conversation {"id":"ses_e0dee66e8ffe01C9qPsPyZiUQE"}
      failure {"class":"configuration","message":"Unsupported parameter: 'effort'"}"
    `);
  });
  test.for(DRIVERS)("%s: the recording names no machine but Ada's", (driver) => {
    expect(textOf(driver).match(/\/(?:root|tmp|work|Users)\/|\/home\/(?!ada)/g)).toBeNull();
  });
});

test("a program without a driver prints texts", () => {
  expect(read("command", ['{"type":"result"}', ""])).toEqual([
    { type: "text", text: '{"type":"result"}' },
    { type: "text", text: "" },
  ]);
});

test("a long answer in pieces is read in parts of a bounded length, and nothing of it is lost", () => {
  const piece = (content: string): string =>
    JSON.stringify({ type: "message", role: "assistant", content, delta: true });
  const words = Array.from({ length: 5000 }, (_, at) => `word ${at} `);
  const events = read("gemini", words.map(piece));
  expect(events.map((event) => (event.type === "text" ? event.text : "")).join("")).toBe(words.join(""));
});

describe("any bytes", () => {
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("utf8")),
    fc.constantFrom("{", '{"type":', "null", "[]", '{"type":"result","usage":null}', " ".repeat(100)),
  );
  /** A recorded line with something else in one of its places. */
  const damaged = fc
    .tuple(fc.constantFrom(...DRIVERS), fc.nat(), fc.nat(), fc.jsonValue({ maxDepth: 1 }))
    .map(([driver, at, place, value]) => {
      const lines = textOf(driver)
        .split("\n")
        .filter((each) => each.startsWith("{"));
      return replaced(lines[at % lines.length] ?? "", place, value);
    });

  test("give no error and a bounded number of bounded events", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...DRIVERS, "command", "of another version"),
        fc.array(fc.oneof(line, damaged), { maxLength: 30 }),
        (driver, lines) => {
          const reader = readerFor(driver);
          const parts = [...lines.map((each) => reader.take(each)), reader.end()];
          expect(parts.every((events) => events.length <= EVENTS_MAX + 1 && events.every(isBounded))).toBe(
            true,
          );
        },
      ),
    );
  });

  test.for([...DRIVERS, "command"])("%s: a line of many megabytes, and one of many parts", (driver) => {
    const long = `{"type":"assistant","message":{"content":[{"type":"text","text":"${"x".repeat(3_000_000)}"}]}}`;
    const blocks = Array.from({ length: 10_000 }, () => ({ type: "text", text: "x" }));
    const many = JSON.stringify({ type: "assistant", message: { content: blocks } });
    for (const each of [long, many, "x".repeat(3_000_000)]) {
      const events = read(driver, [each]);
      expect(events.length).toBeLessThanOrEqual(EVENTS_MAX);
      expect(events.every(isBounded)).toBe(true);
    }
  });
});

function textOf(driver: string): string {
  return readFileSync(join(import.meta.dirname, "drivers", `${driver}.txt`), "utf8");
}

function read(driver: string, lines: readonly string[]): readonly AgentEvent[] {
  const reader = readerFor(driver);
  return [...lines.flatMap((line) => reader.take(line)), ...reader.end()];
}

/** Each turn by its name, and each event on one line. */
function recorded(driver: string): string {
  const [, ...turns] = textOf(driver).split(/^# /m);
  return turns
    .map((turn) => {
      const [name = "", ...lines] = turn.split("\n");
      return [`# ${name}`, ...read(driver, lines).map(shown)].join("\n");
    })
    .join("\n");
}

function shown({ type, ...rest }: AgentEvent): string {
  return `${type} ${JSON.stringify(rest)}`;
}

function isBounded(event: AgentEvent): boolean {
  return Object.values(event).every((value) => typeof value !== "string" || value.length <= TEXT_MAX);
}

function replaced(line: string, place: number, value: unknown): string {
  let at = 0;
  const data: unknown = JSON.parse(line, (_key, old: unknown) => (at++ === place % 40 ? value : old));
  return JSON.stringify(data) ?? "";
}
