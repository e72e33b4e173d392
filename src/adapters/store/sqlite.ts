/** Node's own SQLite, loaded when the first database is opened, and without its warning of being new. */

import type * as sqlite from "node:sqlite";

/** How long SQLite itself waits for another process before it says that the database is busy. */
const PATIENCE_MS = 5000;

export function openFile(
  path: string,
  options: { readonly readOnly?: boolean; readonly timeout?: number } = {},
): sqlite.DatabaseSync {
  const { DatabaseSync: Database } = load();
  return new Database(path, { timeout: PATIENCE_MS, enableForeignKeyConstraints: false, ...options });
}

let loaded: typeof sqlite | undefined;

/** Node 22 warns when the module is loaded. Only that warning is held back, and only at that moment. */
function load(): typeof sqlite {
  if (loaded !== undefined) return loaded;
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    if (!String(warning).includes("SQLite")) Reflect.apply(emitWarning, undefined, [warning, ...rest]);
  };
  try {
    loaded = process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
  return loaded;
}
