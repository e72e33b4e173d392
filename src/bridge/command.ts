/** `signalbox bridge`: one turn of an agent whose program asks for permission. The supervisor starts it as the program of the turn. */

import { existsSync, readFileSync } from "node:fs";
import { EXIT_OK } from "../app/exit-codes.ts";
import { UserError } from "../app/failure.ts";
import { textIn } from "../app/text-input.ts";
import type { Answer, Command, Door } from "../cli/command.ts";

const HELP = "signalbox bridge --help";

export const command: Command = {
  usage:
    "acp [--access read|write] [--permissions ask|allow] [--conversation ID] [--anew PATH] [--model MODEL] [--effort EFFORT] [--folder PATH...] -- PROGRAM [ARGUMENT...]",
  about:
    "Runs one turn of a program that speaks the Agent Client Protocol, and asks a person where the program asks for permission. The supervisor starts it for harnesses with the driver acp. It reads the prompt from the standard input, and prints one JSON event per line.",
  words: { min: 2, max: 100 },
  options: {
    access: { takes: "ACCESS", about: "what the agent may do: read, or write (the default)" },
    permissions: {
      takes: "PERMISSIONS",
      about: "what an agent that may write is allowed: ask a person (the default), or allow everything",
    },
    conversation: { takes: "ID", about: "the conversation of an earlier turn" },
    anew: {
      takes: "PATH",
      about: "a file with the prompt for a program that cannot go on with that conversation",
    },
    model: { takes: "MODEL", about: "one of the models that the program offers" },
    folder: { takes: "PATH", many: true, about: "another folder that the agent may read and write" },
    effort: { takes: "EFFORT", about: "how hard it thinks, where the program can be told" },
  },
  examples: ["signalbox bridge acp -- gemini --acp", "signalbox bridge acp --access read -- opencode acp"],
  answer({ words, options, lists }, door): Answer {
    const [protocol, ...argv] = words;
    if (protocol !== "acp") throw badUsage(`there is no protocol "${protocol ?? ""}"; there is acp`);
    const access = oneOf("access", options["access"] ?? "write", ["read", "write"] as const);
    const permissions = oneOf("permissions", options["permissions"] ?? "ask", ["ask", "allow"] as const);
    const { conversation = "", anew = "", model = "", effort = "" } = options;
    return {
      exit: EXIT_OK,
      code: "ok",
      message: "the turn is over",
      data: () => ({}),
      text: () => "",
      next: "",
      stream: async (emit, signal) => {
        const [{ runAcpTurn }, { printer }, { personAsked }] = await Promise.all([
          import("./acp.ts"),
          import("./events.ts"),
          import("./permission.ts"),
        ]);
        return runAcpTurn({
          argv,
          env: door.env,
          prompt: textIn(door.cwd, "-"),
          anew: existsSync(anew) ? readFileSync(anew, "utf8") : "",
          conversation,
          model,
          effort,
          policy: { access, permissions, cwd: door.cwd, folders: lists["folder"] ?? [] },
          ask: personAsked(invocationOf(door)),
          print: printer(emit),
          signal,
        });
      },
    };
  },
};

function oneOf<Value extends string>(name: string, value: string, values: readonly Value[]): Value {
  const found = values.find((each) => each === value);
  if (found === undefined) throw badUsage(`--${name} is ${values.join(" or ")}, and not "${value}"`);
  return found;
}

function badUsage(message: string): UserError {
  return new UserError("bad-usage", message, HELP);
}

function invocationOf({
  cwd,
  home,
  env,
  procs,
  startSupervisor,
}: Door): Pick<Door, "cwd" | "home" | "env" | "procs" | "startSupervisor"> {
  return {
    cwd,
    home,
    env,
    ...(procs === undefined ? {} : { procs }),
    ...(startSupervisor === undefined ? {} : { startSupervisor }),
  };
}
