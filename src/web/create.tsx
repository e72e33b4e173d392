/** A new run: in a project of this machine, with what is to be done. Everything else is as usual there. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { call, type Rights } from "./api.ts";

type CreateProps = { readonly own: Rights; readonly isFirst: boolean };

export function CreateForm({ own, isFirst }: CreateProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <Fields own={own} close={() => setOpen(false)} />;
  return (
    <button type="button" class={isFirst ? "primary" : ""} onClick={() => setOpen(true)}>
      New run
    </button>
  );
}

function Fields({ own, close }: { readonly own: Rights; readonly close: () => void }): JSX.Element {
  const [names, setNames] = useState<readonly string[] | undefined>();
  const [project, setProject] = useState("");
  const [summary, setSummary] = useState("");
  const [fault, setFault] = useState("");
  const [key] = useState(() => crypto.randomUUID());
  useEffect(() => {
    const load = async (): Promise<void> => {
      const reply = await call("projects", {});
      const found = reply.ok ? reply.data.projects.map(({ name }) => name) : [];
      setNames(found);
      setProject(found[0] ?? "");
      if (!reply.ok) setFault(reply.message);
    };
    void load();
  }, []);

  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    const reply = await call("create", { project, summary, key });
    if (!reply.ok) return setFault(`${reply.message}${reply.next === "" ? "" : ` (${reply.next})`}`);
    close();
    location.hash = `#/run/${reply.data.run}`;
  };

  if (names?.length === 0 && fault === "")
    return (
      <p class="quiet">
        There is no project yet. Type <code>signalbox project add</code> in a repository.
      </p>
    );
  return (
    <form class="create" onSubmit={(event) => void create(event)}>
      <label>
        Project
        <select value={project} onChange={(event) => setProject(event.currentTarget.value)}>
          {(names ?? []).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="wide">
        What is to be done
        <input
          value={summary}
          maxLength={2000}
          required
          autoFocus
          onInput={(event) => setSummary(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary" disabled={!own.mayDecide || summary.trim() === ""}>
        Create
      </button>
      <button type="button" onClick={close}>
        Close
      </button>
      {own.mayDecide ? null : <p class="quiet">Allow this page to decide first: see the top of the page.</p>}
      <p class="refused" role="status">
        {fault}
      </p>
    </form>
  );
}
