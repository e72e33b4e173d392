/** What an agent or a check has printed: its end, loaded when a person asks for it. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { InputOf } from "../app/schemas.ts";
import { call } from "./api.ts";

const LINES_MAX = 400;

export function Output({ of }: { readonly of: InputOf<"logs"> }): JSX.Element {
  const [text, setText] = useState<string | undefined>();
  const load = async (): Promise<void> => {
    const reply = await call("logs", of);
    const lines = reply.ok ? reply.data.text.trimEnd().split("\n") : [reply.message];
    const shown = lines.slice(-LINES_MAX).join("\n");
    setText(shown === "" ? "It has printed nothing." : shown);
  };
  return (
    <details
      class="output"
      onToggle={(event) => (event.currentTarget.open ? void load() : setText(undefined))}
    >
      <summary>Output</summary>
      {text === undefined ? <p class="quiet">Loading ...</p> : <pre>{text}</pre>}
    </details>
  );
}
