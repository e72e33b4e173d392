/** Sorts items with dependencies topologically. */

export type Linked = { readonly id: string; readonly dependsOn: readonly string[] };

/** Keeps the given order, except that an item moves after its dependencies. Unknown names and cycles do not matter. */
export function inOrder<T extends Linked>(all: readonly T[]): readonly T[] {
  const known = new Set(all.map(({ id }) => id));
  const placed = new Set<string>();
  const isFree = ({ dependsOn }: T): boolean => dependsOn.every((id) => placed.has(id) || !known.has(id));
  const ordered: T[] = [];
  const waiting = [...all];
  while (waiting.length > 0) {
    const at = waiting.findIndex(isFree);
    const [next] = waiting.splice(Math.max(at, 0), 1);
    if (next === undefined) break;
    placed.add(next.id);
    ordered.push(next);
  }
  return ordered;
}

/** Uses an explicit stack, because a chain may be long. Empty without a cycle; otherwise the last name equals the first. */
export function circleIn(all: readonly Linked[]): readonly string[] {
  const known = new Map<string, Linked>();
  for (const one of all) if (!known.has(one.id)) known.set(one.id, one);
  const finished = new Set<string>();
  for (const start of known.keys()) {
    const trail = [{ id: start, next: 0 }];
    const open = new Set([start]);
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const id = known.get(top.id)?.dependsOn[top.next];
      top.next += 1;
      if (id === undefined || finished.has(top.id)) {
        finished.add(top.id);
        open.delete(top.id);
        trail.pop();
      } else if (open.has(id)) {
        const ids = trail.map((step) => step.id);
        return [...ids.slice(ids.indexOf(id)), id];
      } else if (known.has(id) && !finished.has(id)) {
        trail.push({ id, next: 0 });
        open.add(id);
      }
    }
  }
  return [];
}
