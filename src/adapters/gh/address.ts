/** The repository that an address means, as `gh` names it: `HOST/OWNER/NAME`. */

const FORMS = [
  /^(?:https?|ssh|git):\/\/(?:[^@/\s]*@)?([A-Za-z0-9.-]+)(?::\d+)?\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/,
  // As ssh has it: git@host:owner/name.
  /^(?:[\w.-]+@)?([A-Za-z0-9][A-Za-z0-9.-]*):\/?([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/,
];

/** `undefined` for other addresses, such as a folder. */
export function repositoryNamed(address: string): string | undefined {
  for (const form of FORMS) {
    const [, host, owner, name] = form.exec(address) ?? [];
    if (host !== undefined && isName(host) && isName(owner) && isName(name))
      return `${host}/${owner}/${name}`;
  }
  return undefined;
}

/** One that could be taken for an option, or for a folder, is none. */
function isName(part: string | undefined): boolean {
  return part !== undefined && /^[A-Za-z0-9_.]/.test(part) && part !== "." && part !== "..";
}
