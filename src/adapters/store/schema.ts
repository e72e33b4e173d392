/** The tables of the database. */

/** Says that a database is ours; "SBX2". */
export const APPLICATION_ID = 0x53425832;

/** As version 0.1 had it; "SBOX". */
export const APPLICATION_ID_0_1 = 0x53424f58;

/** In `PRAGMA user_version`: a higher one is of a newer program. */
export const SCHEMA_VERSION = 1;

export const SCHEMA = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('fence', 0);

CREATE TABLE definitions (hash TEXT PRIMARY KEY, json TEXT NOT NULL) STRICT;

-- Small rows, so that many can be listed; what is large is in snapshots. "n" gives the order in which runs began.
CREATE TABLE runs (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workflow TEXT NOT NULL, goal TEXT NOT NULL, repo TEXT NOT NULL, base TEXT NOT NULL,
  definition TEXT NOT NULL,
  state TEXT NOT NULL, status TEXT NOT NULL, entry INTEGER NOT NULL,
  seq INTEGER NOT NULL, head TEXT NOT NULL,
  started_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  digest TEXT NOT NULL,
  attention TEXT NOT NULL DEFAULT '', halted INTEGER NOT NULL DEFAULT 0, projected INTEGER NOT NULL DEFAULT 0,
  hidden INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX runs_status ON runs (status);
CREATE INDEX runs_repo ON runs (repo);
-- A snapshot may be older than its row: what came after record "shot" is in the events. "seal" is the digest of the snapshot, which
-- the digest of the row covers.
CREATE TABLE snapshots (n INTEGER PRIMARY KEY, json TEXT NOT NULL, shot INTEGER NOT NULL, seal TEXT NOT NULL) STRICT;

-- Everything else about a run can be made again from these. "birth" is with the first event of a run, "proof", "key" and
-- "answer" with the first and "status" and "deeds" with the last of an entry; elsewhere they are empty.
CREATE TABLE events (
  run TEXT NOT NULL, seq INTEGER NOT NULL,
  at TEXT NOT NULL, type TEXT NOT NULL,
  actor TEXT NOT NULL, slot TEXT NOT NULL, attempt INTEGER NOT NULL,
  definition TEXT NOT NULL, tree TEXT NOT NULL, key TEXT NOT NULL,
  body TEXT NOT NULL, proof TEXT NOT NULL, birth TEXT NOT NULL, answer TEXT NOT NULL, deeds TEXT NOT NULL, status TEXT NOT NULL,
  prev TEXT NOT NULL, hash TEXT NOT NULL,
  UNIQUE (run, seq)
) STRICT;

-- What turns used is asked for by day.
CREATE INDEX events_reported ON events (at) WHERE type = 'turn-reported';

-- Submitted texts, each under the digest that its event names.
CREATE TABLE texts (digest TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;

CREATE TABLE keys (
  run TEXT NOT NULL, key TEXT NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;

-- "due_at" is the largest integer of JavaScript while the deed waits until another agent may start.
CREATE TABLE deeds (
  run TEXT NOT NULL, seq INTEGER NOT NULL, i INTEGER NOT NULL,
  type TEXT NOT NULL, json TEXT NOT NULL, kind TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending', tries INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL DEFAULT 0, owner INTEGER NOT NULL DEFAULT 0, lease INTEGER NOT NULL DEFAULT 0,
  note TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (run, seq, i)
) STRICT, WITHOUT ROWID;
CREATE INDEX deeds_open ON deeds (run, seq, i) WHERE status IN ('pending', 'claimed');

CREATE TABLE questions (
  run TEXT NOT NULL, seq INTEGER NOT NULL, id TEXT NOT NULL, ask TEXT NOT NULL,
  opened_at TEXT NOT NULL, repeats INTEGER NOT NULL DEFAULT 0,
  answer TEXT NOT NULL DEFAULT '', text TEXT NOT NULL DEFAULT '', by TEXT NOT NULL DEFAULT '', closed_at TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX questions_open ON questions (run, seq) WHERE closed_at = '';
CREATE INDEX questions_id ON questions (id);

CREATE TABLE notes (n INTEGER PRIMARY KEY, run TEXT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL) STRICT;
CREATE INDEX notes_run ON notes (run);

CREATE TABLE agents (
  run TEXT NOT NULL, role TEXT NOT NULL, slot TEXT NOT NULL, attempt INTEGER NOT NULL,
  token TEXT NOT NULL, dir TEXT NOT NULL, turn INTEGER NOT NULL, status TEXT NOT NULL, entry INTEGER NOT NULL, started_at INTEGER NOT NULL,
  PRIMARY KEY (run, role, slot, attempt)
) STRICT, WITHOUT ROWID;
CREATE INDEX agents_token ON agents (token);
CREATE INDEX agents_live ON agents (status) WHERE status IN ('running', 'idle');

-- "seat" is set where the job lives in a terminal: "window" for one turn, "resident" for an agent that stays between its turns.
CREATE TABLE jobs (
  id TEXT PRIMARY KEY, run TEXT NOT NULL, kind TEXT NOT NULL, role TEXT NOT NULL, slot TEXT NOT NULL, attempt INTEGER NOT NULL,
  artifact TEXT NOT NULL, tree TEXT NOT NULL, dir TEXT NOT NULL, started_at INTEGER NOT NULL, ends_by INTEGER NOT NULL,
  stall_ms INTEGER NOT NULL, killed TEXT NOT NULL, status TEXT NOT NULL, seat TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_run ON jobs (run);
CREATE INDEX jobs_live ON jobs (status) WHERE status = 'live';

CREATE TABLE workspaces (
  run TEXT PRIMARY KEY, repo TEXT NOT NULL, path TEXT NOT NULL, branch TEXT NOT NULL, base TEXT NOT NULL,
  status TEXT NOT NULL, salvage TEXT NOT NULL, kept TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX workspaces_path ON workspaces (path);
CREATE INDEX workspaces_held ON workspaces (run) WHERE status <> 'released';

CREATE TABLE readings (
  definition TEXT NOT NULL, file TEXT NOT NULL, digest TEXT NOT NULL, json TEXT NOT NULL,
  PRIMARY KEY (definition, file, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE projections (
  run TEXT NOT NULL, file TEXT NOT NULL, fields TEXT NOT NULL,
  PRIMARY KEY (run, file)
) STRICT, WITHOUT ROWID;

CREATE TABLE trust (repo TEXT PRIMARY KEY, digest TEXT NOT NULL, at TEXT NOT NULL, signature TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE human_keys (n INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, at TEXT NOT NULL, how TEXT NOT NULL) STRICT;

CREATE TABLE projects (
  repo TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, default_branch TEXT NOT NULL, agents INTEGER NOT NULL, remote TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- "refused" is why the run could not be started when its turn came: it is about the run as it was at "refused_seq".
CREATE TABLE queue (
  n INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, repo TEXT NOT NULL,
  refused TEXT NOT NULL DEFAULT '', refused_seq INTEGER NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE depends (run TEXT NOT NULL, on_run TEXT NOT NULL, PRIMARY KEY (run, on_run)) STRICT, WITHOUT ROWID;
CREATE INDEX depends_on ON depends (on_run);
CREATE TABLE messages (
  run TEXT NOT NULL, key TEXT NOT NULL, role TEXT NOT NULL, slot TEXT NOT NULL, attempt INTEGER NOT NULL,
  status TEXT NOT NULL, at INTEGER NOT NULL, acknowledged_at INTEGER NOT NULL,
  PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;

-- What holds up turns, and the turns that each of them holds up.
CREATE TABLE parks (
  key TEXT PRIMARY KEY, class TEXT NOT NULL, message TEXT NOT NULL, until INTEGER NOT NULL, at INTEGER NOT NULL, next TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE held (
  run TEXT NOT NULL, role TEXT NOT NULL, slot TEXT NOT NULL, attempt INTEGER NOT NULL, key TEXT NOT NULL,
  PRIMARY KEY (run, role, slot, attempt)
) STRICT, WITHOUT ROWID;
CREATE INDEX held_key ON held (key);

-- Tasks of a list, and the runs that were made of them.
CREATE TABLE graphs (
  parent TEXT NOT NULL, artifact TEXT NOT NULL, entry INTEGER NOT NULL, definition TEXT NOT NULL, most INTEGER NOT NULL, status TEXT NOT NULL,
  PRIMARY KEY (parent, artifact, entry)
) STRICT, WITHOUT ROWID;
CREATE INDEX graphs_live ON graphs (status) WHERE status <> 'closed';
CREATE TABLE children (
  parent TEXT NOT NULL, artifact TEXT NOT NULL, entry INTEGER NOT NULL, task TEXT NOT NULL, n INTEGER NOT NULL,
  json TEXT NOT NULL, params TEXT NOT NULL, run TEXT NOT NULL, outcome TEXT NOT NULL,
  PRIMARY KEY (parent, artifact, entry, task)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX children_run ON children (run) WHERE run <> '';
`;

export const TABLES: readonly string[] = [
  "meta",
  "definitions",
  "runs",
  "snapshots",
  "events",
  "texts",
  "keys",
  "deeds",
  "questions",
  "notes",
  "agents",
  "jobs",
  "workspaces",
  "readings",
  "projections",
  "trust",
  "human_keys",
  "projects",
  "queue",
  "depends",
  "messages",
  "parks",
  "held",
  "graphs",
  "children",
];
