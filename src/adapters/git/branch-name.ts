/**
 * Names that git takes for branches, without asking it.
 *
 * The rules are those of `git check-ref-format --branch`, and three more: a name of ours becomes a file's name, no option of a
 * command, and no second path of refs, which `refs/heads/x` would be. A test compares them with git's own answer.
 */

const FILE_NAME_MAX = 240;

/** A name is refused for one of these. */
// oxlint-disable-next-line no-control-regex
const UNFIT = /[\u0000-\u0020\u007F~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$/;

export function isBranchName(name: string): boolean {
  if (name === "" || name === "@" || name === "HEAD" || name.startsWith("refs/") || UNFIT.test(name))
    return false;
  return name
    .split("/")
    .every(
      (part) => !part.startsWith(".") && !part.endsWith(".lock") && Buffer.byteLength(part) <= FILE_NAME_MAX,
    );
}

/** Of two names one of which is a folder of the other, git can keep only one. */
export function isInTheWay(name: string, other: string): boolean {
  return name !== other && (name.startsWith(`${other}/`) || other.startsWith(`${name}/`));
}
