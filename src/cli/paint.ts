/** Colours for terminals; plain text everywhere else. */

export type Paint = Readonly<
  Record<"bold" | "dim" | "red" | "green" | "yellow" | "cyan", (text: string) => string>
>;

export function paintOf(enabled: boolean): Paint {
  const style = (begin: number, end: number) => (text: string) =>
    enabled ? `\u001B[${begin}m${text}\u001B[${end}m` : text;
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    cyan: style(36, 39),
  };
}
