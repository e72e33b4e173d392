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
