/** `submit_artifact`: as `signalbox submit`. */

import { UserError } from "../../app/failure.ts";
import { call } from "../../app/client.ts";
import { optionsIn, speak, textIn, texts, type AgentTool } from "../tool.ts";

/** What fits into an artifact at all is less. */
const BYTES_MAX = 1024 * 1024;

export const submitArtifact: AgentTool = {
  name: "submit_artifact",
  title: "Hand in an artifact",
  about:
    "Hands in an artifact. With content, that becomes its text; without, it is read as you have written it to its file. It is checked at once: it counts, or you are told what is wrong and where.",
  looks: false,
  for: "agent",
  fields: {
    artifact: "its name, as get_task and next have it",
    content: "its whole text; leave it out where the file is written already",
    key: "the same key twice submits once, and gives the same answer",
  },
  isFor: ({ definition, role }) =>
    Object.values(definition.artifacts).some(({ file, by }) => file !== "" && by.includes(role)),
  input: () => texts(["artifact"], ["content", "key"]),
  call: async (given, { door, caller }) => {
    const artifact = textIn(given, "artifact") ?? "";
    const text = textIn(given, "content");
    const { key } = optionsIn(given, ["key"]);
    if (text !== undefined && Buffer.byteLength(text) > BYTES_MAX)
      throw new UserError(
        "too-large",
        `the content is larger than ${BYTES_MAX} bytes`,
        "write it to its file, and submit it without content",
      );
    const file = text === undefined ? undefined : { name: "-", text };
    return speak(await call(door, "submit", { run: caller.run, artifact, file, key }));
  },
};
