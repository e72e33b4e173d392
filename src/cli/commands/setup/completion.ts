/** `signalbox completion`: what a shell needs to complete our command lines. */

import { wordsOf, type Candidate } from "../../../app/completion.ts";
import { closest, readable, UserError } from "../../../app/failure.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command, Door, Group } from "../../command.ts";
import { COMMANDS } from "../../commands.ts";
import { complete, type Lists } from "../../completion/complete.ts";

/** What `--json` gives: one of the two. */
export type CompletionData =
  | { readonly shell: string; readonly script: string }
  | { readonly candidates: readonly Candidate[] };

const WORDS_MAX = 1000;

export const command: Command = {
  usage: "bash|zsh|fish",
  about:
    'Prints what a shell needs to complete commands, options, workflows and runs.\nbash: eval "$(signalbox completion bash)" in ~/.bashrc. zsh: the same with zsh, in ~/.zshrc after compinit.\nfish: signalbox completion fish | source in ~/.config/fish/config.fish.',
  words: { min: 1, max: WORDS_MAX },
  options: { line: { about: "complete the words after -- instead; this is what the scripts call" } },
  examples: ["signalbox completion bash", "signalbox completion --line -- check ta"],
  async answer({ words, options }, door): Promise<Answer> {
    return options["line"] === undefined ? scriptFor(words) : completed(await complete(words, listsOf(door)));
  },
};

function scriptFor([wanted = "", ...more]: readonly string[]): Answer {
  const shell = SHELLS.find((known) => known === wanted);
  if (shell === undefined || more.length > 0) {
    const near = closest(wanted, SHELLS);
    const hint = near === undefined || shell !== undefined ? "" : `; did you mean "${near}"?`;
    const message = `signalbox completion takes one of ${SHELLS.join(", ")}, not "${[wanted, ...more].join(" ")}"${hint}`;
    throw new UserError("bad-usage", message, "signalbox completion --help");
  }
  const script = SCRIPTS[shell];
  const data: CompletionData = { shell, script };
  return {
    exit: EXIT_OK,
    code: "ok",
    message: `completion for ${shell}`,
    data: () => data,
    text: () => script,
    next: "",
  };
}

/** One a line, its description after a tab. */
function completed(candidates: readonly Candidate[]): Answer {
  const data: CompletionData = { candidates };
  const flat = (text: string): string => text.replaceAll(/\s+/g, " ");
  return {
    exit: EXIT_OK,
    code: "ok",
    message: `${candidates.length} candidates`,
    data: () => data,
    text: () =>
      candidates.map(({ word, about }) => `${word}${about === "" ? "" : `\t${flat(about)}`}\n`).join(""),
    next: "",
  };
}

function listsOf(door: Door): Lists {
  return {
    ...wordsOf(door),
    declared: () => declaredWords(door),
    declaredAs: (word) => declaredFor(word, door),
    commandFor: (name, typed) => readable(async () => COMMANDS[name]?.loadFor?.(typed, door)),
  };
}

async function declaredWords(door: Door): Promise<readonly Candidate[]> {
  const { commandsOf, declaringHere } = await import("../../../app/commands/declared.ts");
  const { aboutOf } = await import("../../declared/commands.ts");
  return (await declaringHere(door)).flatMap((each) => [
    { word: each.definition.name, about: each.definition.title },
    ...commandsOf(each)
      .filter(({ name, command: { short } }) => short && !Object.hasOwn(COMMANDS, name))
      .map((own) => ({ word: own.name, about: aboutOf(own) })),
  ]);
}

/** Where a command is refused, there is nothing to offer. */
async function declaredFor(word: string, door: Door): Promise<Command | Group | undefined> {
  const { groupAs, shortAs } = await import("../../declared/commands.ts");
  return readable(async () => (await groupAs(word, door)) ?? (await shortAs(word, door)));
}

/**
 * What each shell needs to ask us. Where we have nothing to offer, the shell completes files.
 *
 * They call the `signalbox` on the PATH, never the file that is being typed: pressing a key must not run what a stranger's
 * folder calls signalbox.
 */

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of signalbox for bash. In ~/.bashrc: eval "$(signalbox completion bash)"
_signalbox() {
  local IFS=$'\\n'
  COMPREPLY=($(command signalbox completion --line -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o default -F _signalbox signalbox
`,
  zsh: `#compdef signalbox
# Completion of signalbox for zsh. In ~/.zshrc, after compinit: eval "$(signalbox completion zsh)"
_signalbox() {
  local -a lines
  lines=("\${(@f)$(command signalbox completion --line -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  lines=("\${(@)lines:#}")
  if (( $#lines == 0 )); then
    _files
    return
  fi
  lines=("\${(@)lines//:/\\\\:}")
  lines=("\${(@)lines/$'\\t'/:}")
  _describe -t signalbox signalbox lines
}
if [[ $funcstack[1] == _signalbox ]]; then
  _signalbox "$@"
else
  compdef _signalbox signalbox
fi
`,
  fish: `# Completion of signalbox for fish. In ~/.config/fish/config.fish: signalbox completion fish | source
function __signalbox_complete
    set -l typed (commandline -ct)
    set -l words (commandline -opc)
    set -l lines (command signalbox completion --line -- $words[2..-1] "$typed" 2>/dev/null)
    if test (count $lines) -gt 0
        printf '%s\\n' $lines
    else
        __fish_complete_path "$typed"
    end
end
complete -c signalbox -f -a '(__signalbox_complete)'
`,
};
