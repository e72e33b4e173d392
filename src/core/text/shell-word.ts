/** Words of command lines that people copy into a shell. Agents name branches and files, so a name must stay one word. */

export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : inQuotes(text);
}

export function inQuotes(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
