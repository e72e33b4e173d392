/** What a page has one type, block by block, and what it says that is printed. */

export type Step = {
  readonly command: string;
  /** What it prints; undefined where the page says nothing. */
  readonly shown?: readonly string[];
};

/** Of whoever types it. */
export const GITCONFIG =
  "[user]\n\tname = Ada\n\temail = ada@localhost\n[init]\n\tdefaultBranch = main\n[commit]\n\tgpgSign = false\n";

export function stepsOf(section: string): Step[] {
  return [...section.matchAll(/```(sh|console)\n([^]*?)```/g)].flatMap(([, kind, text = ""]) =>
    kind === "sh" ? [{ command: text }] : dialogue(text),
  );
}

function dialogue(text: string): Step[] {
  const parts = text.split(/^\$ /m).slice(1);
  return parts.map((part) => {
    const [command = "", ...shown] = part.trimEnd().split("\n");
    return { command, shown };
  });
}
