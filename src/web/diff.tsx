/** What a run has changed, by file. */

import type { JSX } from "preact";
import type { DataOf } from "../app/schemas.ts";
import { capitalised } from "./words.tsx";

const OPEN_FILES = 5;
const OPEN_LINES = 400;

type Diff = DataOf<"diff">;

type ChangesProps = {
  readonly of: Diff;
  /** Why there are no changes. */
  readonly message: string;
};

export function Changes({ of: { files, more, commit }, message }: ChangesProps): JSX.Element {
  const [added, removed] = [
    files.reduce((sum, file) => sum + file.added, 0),
    files.reduce((sum, file) => sum + file.removed, 0),
  ];
  const count = files.length + more;
  return (
    <section aria-label="Changes">
      <h2>
        Changes{" "}
        {commit === "" ? null : (
          <small>
            {count} {count === 1 ? "file" : "files"} <span class="ok">+{added}</span>{" "}
            <span class="wrong">−{removed}</span> · commit {commit.slice(0, 12)}
          </small>
        )}
      </h2>
      {files.length === 0 ? <p class="quiet">{capitalised(message)}.</p> : null}
      {files.map((file) => (
        <details
          key={file.path}
          class="file"
          open={files.length <= OPEN_FILES && file.added + file.removed <= OPEN_LINES}
        >
          <summary>
            <span class="path">{file.path}</span>{" "}
            {file.text === "" ? (
              <small>no lines</small>
            ) : (
              <small>
                <span class="ok">+{file.added}</span> <span class="wrong">−{file.removed}</span>
              </small>
            )}
          </summary>
          <pre class="diff" tabIndex={0}>
            {file.text === ""
              ? "A binary file, or no change of its text."
              : file.text
                  .split("\n")
                  .map((line, at) => <span key={at} class={kindOf(line)}>{`${line}\n`}</span>)}
          </pre>
          {file.cut ? <p class="quiet">The rest is not shown.</p> : null}
        </details>
      ))}
      {more > 0 ? <p class="quiet">and {more} more files</p> : null}
    </section>
  );
}

function kindOf(line: string): string {
  if (line.startsWith("@@")) return "hunk";
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
}
