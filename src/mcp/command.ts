/** `signalbox mcp`: the tools of an agent, for whatever program speaks the Model Context Protocol. */

import { EXIT_INTERRUPTED, EXIT_OK } from "../app/exit-codes.ts";
import type { Answer, Command, Door } from "../cli/command.ts";
import { print } from "../cli/print.ts";
import type { World } from "../cli/run.ts";

export const command: Command = {
  usage: "",
  about:
    "Gives an agent its tools over the Model Context Protocol, on the standard streams: what its role may do, with the same answers as the commands.\nThe agent's program starts it, with SIGNALBOX_TOKEN handed on. Without a token there is nothing but a look at what is next.",
  words: { min: 0, max: 0 },
  options: {},
  examples: ["signalbox mcp", "claude mcp add signalbox -- signalbox mcp"],
  answer: (_given, door): Answer => ({
    exit: EXIT_OK,
    code: "ok",
    message: "the client has left",
    data: () => ({}),
    text: () => "",
    next: "",
    stream: async (_emit, signal) => {
      const { serve } = await import("./serve.ts");
      await serve(worldOf(door), signal, (line) => print(2, `signalbox mcp: ${line.trimEnd()}\n`));
      return signal.aborted ? EXIT_INTERRUPTED : EXIT_OK;
    },
  }),
};

function worldOf({ cwd, env, procs, startSupervisor }: Door): World {
  return {
    cwd,
    env,
    ...(procs === undefined ? {} : { procs }),
    ...(startSupervisor === undefined ? {} : { startSupervisor }),
  };
}
