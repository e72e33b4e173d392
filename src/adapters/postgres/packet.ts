/**
 * Statements that travel together: one packet to the server, and one back.
 *
 * `pg` ends every query with a Sync, and the server answers each Sync at once. A packet has one Sync, at its end: the server executes the
 * statements in their order, skips the rest after the first that fails, and answers all of them together.
 */

import type { ClientBase, Connection } from "pg";
import { UnmetExpectation, type Otherwise, type Result, type Row, type SqlValue } from "../store/sql.ts";

export type Statement = {
  /** As PostgreSQL understands it, with `$1`. */
  readonly text: string;
  /** The server parses a text once per connection. */
  readonly name: string;
  readonly values: readonly SqlValue[];
  /** Of an expectation: the statement divides by zero where it does not hold. */
  readonly otherwise?: Otherwise | undefined;
};

/** Makes a row of what the server sends for it. */
type RowOf = (fields: readonly (string | null)[]) => Row;

/** The statements that the server has parsed on a connection, by name. */
export type ParsedStatements = Map<string, RowOf>;

const DIVISION_BY_ZERO = "22012";

/** Resolves to one result for each statement. Rejects with `UnmetExpectation` where the first that fails is an expectation. */
export function sendPacket(
  client: ClientBase,
  parsed: ParsedStatements,
  statements: readonly Statement[],
): Promise<readonly Result[]> {
  return new Promise((resolve, reject) => {
    const results: Result[] = [];
    let rows: Row[] = [];
    const nameNow = (): string => statements[results.length]?.name ?? "";
    client.query({
      /** `pg` puts a function around it that ends the time limit of the query. */
      callback(error?: unknown) {
        if (error === undefined) resolve(results);
        else reject(unmetOr(error, statements[results.length]));
      },
      submit: (connection: Connection) => submit(connection, parsed, statements),
      handleRowDescription({ fields }: { readonly fields: readonly ColumnOid[] }) {
        parsed.set(nameNow(), rowsOf(fields));
      },
      handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }) {
        rows.push(parsed.get(nameNow())?.(fields) ?? {});
      },
      handleCommandComplete({ text }: { readonly text: string }) {
        if (!parsed.has(nameNow())) parsed.set(nameNow(), () => ({}));
        results.push({ rows, count: countIn(text) });
        rows = [];
      },
      handleReadyForQuery() {
        this.callback();
      },
      handleError(error: unknown) {
        this.callback(error);
      },
    });
  });
}

function submit(connection: Connection, parsed: ParsedStatements, statements: readonly Statement[]): void {
  const parsing = new Set<string>();
  connection.stream.cork();
  for (const { text, name, values } of statements) {
    if (!parsed.has(name) && !parsing.has(name)) {
      connection.parse({ text, name, types: [] }, true);
      connection.describe({ type: "S", name }, true);
      parsing.add(name);
    }
    connection.bind({ statement: name, values: values.map(asSent) }, true);
    connection.execute({}, true);
  }
  connection.sync();
  connection.stream.uncork();
}

function asSent(value: SqlValue): string | Buffer | null {
  if (value === null || typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

function unmetOr(error: unknown, statement: Statement | undefined): unknown {
  const isUnmet = error instanceof Error && "code" in error && error.code === DIVISION_BY_ZERO;
  return isUnmet && statement?.otherwise !== undefined ? new UnmetExpectation(statement.otherwise) : error;
}

/** The number at the end, as in `INSERT 0 1`. */
function countIn(tag: string): number {
  const count = Number(tag.slice(tag.lastIndexOf(" ") + 1));
  return Number.isNaN(count) ? 0 : count;
}

type ColumnOid = { readonly name: string; readonly dataTypeID: number };

function rowsOf(columns: readonly ColumnOid[]): RowOf {
  const empty: Row = Object.fromEntries(columns.map(({ name }) => [name, null]));
  const readers = columns.map(({ name, dataTypeID }) => ({ name, valueOf: valueOf(dataTypeID) }));
  return (fields) => {
    const row = { ...empty };
    let at = 0;
    for (const { name, valueOf: read } of readers) {
      const field = fields[at++];
      if (field !== null && field !== undefined) row[name] = read(field);
    }
    return row;
  };
}

// Object identifiers of PostgreSQL's own types.
const BOOL = 16;
const BYTEA = 17;
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 1700]);

/** Values as SQLite gives them: numbers of JavaScript, 1 and 0 for yes and no. */
function valueOf(type: number): (text: string) => Row[string] {
  if (type === BOOL) return (text) => (text === "t" ? 1 : 0);
  // In the text format bytes are `\\x` and two digits each.
  if (type === BYTEA) return (text) => Buffer.from(text.slice(2), "hex");
  return NUMBERS.has(type) ? Number : String;
}
