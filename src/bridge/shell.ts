/**
 * Whether a command of a shell only reads, or only calls `signalbox`.
 *
 * PermissionOutcome by the words of the command alone, and in doubt the answer is no: expansions, redirections, background jobs and every
 * program that is not listed. A text for `signalbox` may follow in a here document whose end is quoted, which a shell does not expand.
 */

const READERS: ReadonlySet<string> = new Set([
  "cat",
  "head",
  "tail",
  "wc",
  "ls",
  "pwd",
  "grep",
  "echo",
  "true",
  "diff",
  "cmp",
  "stat",
  "du",
  "basename",
  "dirname",
  "realpath",
  "which",
]);
const GIT_READERS: ReadonlySet<string> = new Set([
  "diff",
  "log",
  "show",
  "status",
  "blame",
  "ls-files",
  "ls-tree",
  "rev-parse",
  "merge-base",
  "rev-list",
  "cat-file",
  "describe",
  "shortlog",
]);
/** Options of git that start programs or write files. */
const GIT_HARMFUL =
  /^(?:-c|-O|--(?:ext-diff|textconv|filters|output|open-files-in-pager|exec-path|config-env|paginate))(?:=|$)/;

export function isOwnCall(command: string): boolean {
  const calls = callsIn(withoutDocument(command));
  return calls !== undefined && calls.every(([program]) => program === "signalbox");
}

export function isReadOnly(command: string): boolean {
  const calls = callsIn(withoutDocument(command));
  return calls !== undefined && calls.every((words) => words[0] === "signalbox" || reads(words));
}

function reads([program = "", ...rest]: readonly string[]): boolean {
  if (program === "cd") return true;
  if (program !== "git") return READERS.has(program);
  const [verb = "", ...options] = rest[0] === "--no-pager" ? rest.slice(1) : rest;
  return GIT_READERS.has(verb) && !options.some((option) => GIT_HARMFUL.test(option));
}

// Not `<<-`: its end may be indented, and what follows it would be a command.
const DOCUMENT = /<<[ \t]*(?:'([A-Za-z_]\w*)'|"([A-Za-z_]\w*)")[ \t]*$/;

/** The first line, where one here document with a quoted end is all that follows it. */
function withoutDocument(command: string): string {
  const text = command.trim();
  const [first = "", ...rest] = text.split("\n");
  const found = DOCUMENT.exec(first);
  if (found === null) return text;
  const end = found[1] ?? found[2] ?? "";
  const isAll = rest.indexOf(end) === rest.length - 1 && rest.length > 0;
  const [start = ""] = first.split(/<<[ \t]*['"]/);
  return isAll ? start : text;
}

/** The simple commands of a list or a pipe; undefined where there is anything else. */
function callsIn(command: string): readonly (readonly string[])[] | undefined {
  const calls: string[][] = [[]];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) calls.at(-1)?.push(word);
    word = undefined;
  };
  for (let at = 0; at < command.length; at += 1) {
    const sign = command[at] ?? "";
    if (sign === "'") {
      const end = command.indexOf("'", at + 1);
      if (end === -1) return undefined;
      word = (word ?? "") + command.slice(at + 1, end);
      at = end;
    } else if (sign === '"') {
      const end = command.indexOf('"', at + 1);
      const inner = command.slice(at + 1, end);
      if (end === -1 || /[$`\\!]/.test(inner)) return undefined;
      word = (word ?? "") + inner;
      at = end;
    } else if (sign === " " || sign === "\t") endWord();
    else if (sign === "|" || sign === "&" || sign === ";") {
      endWord();
      const isDouble = command[at + 1] === sign;
      if ((sign === "&" && !isDouble) || (sign === ";" && isDouble) || calls.at(-1)?.length === 0)
        return undefined;
      if (isDouble) at += 1;
      else if (sign === "|" && command[at + 1] === "&") return undefined;
      calls.push([]);
    } else if (/[\w./:=,@%+^-]/.test(sign)) word = (word ?? "") + sign;
    else return undefined;
  }
  endWord();
  // A word with an equals sign in front sets a variable, such as PATH.
  return calls.every(([program]) => program !== undefined && !program.includes("=")) ? calls : undefined;
}
