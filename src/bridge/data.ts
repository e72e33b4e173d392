/** Fields of data that programs send and that no schema has: what is missing or of another type is empty. */

export function at(data: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? new Map(Object.entries(value)).get(key)
        : undefined,
    data,
  );
}

export function textAt(data: unknown, ...path: readonly string[]): string {
  const value = at(data, ...path);
  return typeof value === "string" ? value : "";
}

export function countAt(data: unknown, ...path: readonly string[]): number {
  const value = at(data, ...path);
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

export function listAt(data: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = at(data, ...path);
  return Array.isArray(value) ? value : [];
}
