/** Databases on the one PostgreSQL server of a run of the tests, each gone after its test; and servers of their own. */

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { onTestFinished } from "vitest";
import { serverIn, startPostgres, whyNoPostgres, type PostgresServer } from "../../scripts/postgres.ts";

/** Tests that need PostgreSQL are skipped where there is none. */
export const NO_POSTGRES = whyNoPostgres();

/** The address of an empty database. */
export async function newDatabase(options = ""): Promise<string> {
  const server = await sharedServer();
  const name = `t${process.pid}_${(databases += 1)}`;
  await inDatabase(server.url("postgres"), `CREATE DATABASE ${name} ${options}`);
  onTestFinished(() => inDatabase(server.url("postgres"), `DROP DATABASE ${name} WITH (FORCE)`));
  return server.url(name);
}

let databases = 0;

/** For tests that stop it. */
export async function ownServer(): Promise<PostgresServer> {
  const server = await startPostgres(parentFolder());
  onTestFinished(() => server.remove());
  return server;
}

export async function inDatabase(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** One process starts it, the others wait for it. */
async function sharedServer(): Promise<PostgresServer> {
  const parent = parentFolder();
  const started = join(parent, "started");
  if (isFirst(join(parent, "starting"))) {
    const { folder, port } = await startPostgres(parent);
    writeFileSync(`${started}.new`, JSON.stringify({ folder, port }));
    renameSync(`${started}.new`, started);
  }
  while (!existsSync(started)) await pause(20);
  const { folder, port } = addressOf(readFileSync(started, "utf8"));
  return serverIn(folder, port);
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    // Another process was faster.
    return false;
  }
}

function parentFolder(): string {
  const parent = process.env["SIGNALBOX_TEST_POSTGRES"];
  if (parent === undefined) throw new Error("test/setup/postgres.ts says where the server lives");
  return parent;
}

export function addressOf(json: string): { readonly folder: string; readonly port: number } {
  return JSON.parse(json) as { readonly folder: string; readonly port: number };
}
