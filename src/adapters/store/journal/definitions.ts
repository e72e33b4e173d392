/** Definitions by their hash. */

import type { Definition } from "../../../core/model/workflow.ts";
import { damagedDatabase } from "../recovery/damage.ts";
import { BadRecord, isDefinition, parsed, text } from "../row.ts";
import type { Sql, Work } from "../sql.ts";

export function* definitionIn(db: Sql, hash: string): Work<Definition | undefined> {
  const row = yield* db.get("SELECT json FROM definitions WHERE hash = ?", hash);
  if (row === undefined) return undefined;
  try {
    return parsed(text(row["json"]), isDefinition);
  } catch (error) {
    if (error instanceof BadRecord) throw damagedDatabase(db.path, `definition ${hash}: ${error.message}`);
    throw error;
  }
}

export function* isDefined(db: Sql, hash: string): Work<boolean> {
  return (yield* db.get("SELECT 1 FROM definitions WHERE hash = ?", hash)) !== undefined;
}

export function define(db: Sql, hash: string, definition: Definition): void {
  db.put("INSERT INTO definitions VALUES (?, ?) ON CONFLICT DO NOTHING", hash, JSON.stringify(definition));
}
