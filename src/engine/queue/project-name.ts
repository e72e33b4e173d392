/** What a project is called unless a person says otherwise, and how many of its agents work at the same time then. */

export const AGENTS = 4;
const NAME_MAX = 40;

/** Part of paths and of names of terminal sessions: letters, digits and a few signs. */
export const PROJECT_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,39}$/;

/** The name of the repository's folder, as far as it can be one. */
export function projectNameOf(repo: string): string {
  const folder = repo.split("/").findLast((part) => part !== "") ?? "";
  const plain = folder
    .replaceAll(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[^A-Za-z0-9_]+/, "")
    .slice(0, NAME_MAX);
  return plain === "" ? "project" : plain;
}
