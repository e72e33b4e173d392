/** What was said, with `...` wherever a page leaves out lines up to one that it shows. */
export function shortened(said: readonly string[], promised: readonly string[]): readonly string[] {
  const left = [...said];
  const short: string[] = [];
  promised.forEach((line, index) => {
    const follows = promised[index + 1];
    if (line !== "...") short.push(...left.splice(0, 1));
    else {
      const until = follows === undefined ? left.length : left.indexOf(follows);
      short.push("...");
      left.splice(0, Math.max(0, until));
    }
  });
  return [...short, ...left];
}
