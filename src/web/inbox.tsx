/** What waits for a person, in all runs: what is asked, why, and what reviewers said. The run has the decision. */

import type { JSX } from "preact";
import type { InboxItem, InboxPark } from "../app/view/inbox-view.ts";
import { call } from "./api.ts";
import { useView, type News } from "./news.ts";
import {
  Age,
  capitalised,
  Lines,
  Loading,
  Main,
  Refused,
  sayReview,
  sayState,
  titleOf,
  toneOf,
} from "./words.tsx";

const LINES_MAX = 6;

const GROUPS = [
  ["question", "Questions"],
  ["review", "Ready for your review"],
  ["stuck", "Stuck"],
  ["other", "Other"],
] as const;

export function Inbox({ news }: { readonly news: News }): JSX.Element {
  const reply = useView(() => call("inbox", {}), { news });
  if (reply === undefined) return <Loading />;
  if (!reply.ok) return <Refused message={reply.message} />;
  const { items, parks } = reply.data;
  return (
    <Main title="Inbox" class="narrow">
      <h1>Inbox</h1>
      {items.length + parks.length === 0 ? <p class="welcome">Nothing waits for you.</p> : null}
      {GROUPS.map(([group, name]) => {
        const own = items.filter((item) => item.group === group);
        if (own.length === 0) return null;
        return (
          <section key={group} aria-label={name}>
            <h2>
              {name} <span class="count">{own.length}</span>
            </h2>
            {own.map((item) => (
              <Item key={item.run} item={item} />
            ))}
          </section>
        );
      })}
      {parks.map((park) => (
        <Parked key={`${park.harness} ${park.class} ${park.runs[0]?.run ?? ""}`} park={park} />
      ))}
    </Main>
  );
}

/** One card for all runs that the park holds up; the first run has the button that tries again. */
function Parked({ park }: { readonly park: InboxPark }): JSX.Element {
  const { harness, class: kind, sentence, until, runs } = park;
  return (
    <section aria-label={harness === "" ? "Parked" : harness}>
      <h2>
        {harness === "" ? `Parked: ${kind}` : `${harness}: ${kind}`} <span class="count">{runs.length}</span>
      </h2>
      <p>{sentence}</p>
      {runs.map(({ run, summary }) => (
        <a key={run} class={`card item ${until === "" ? "bad" : "machine"}`} href={`#/run/${run}`}>
          <strong>{summary === "" ? run : summary}</strong>
        </a>
      ))}
    </section>
  );
}

function Item({ item }: { readonly item: InboxItem }): JSX.Element {
  const asked = item.decision?.asked ?? [];
  const verbs = item.actions.flatMap(({ call: made, verb }) =>
    made === undefined ? [] : [verb ?? made.use],
  );
  return (
    <a class={`card item ${toneOf(item)}`} href={`#/run/${item.run}`}>
      <strong>{titleOf(item)}</strong>
      <span>{item.reason}</span>
      <Lines of={asked.slice(0, LINES_MAX)} />
      {item.findings.map(({ artifact, by, verdict, earlier, text }) => (
        <span key={artifact} class="finding">
          <em>
            {capitalised(by)}: {sayReview(verdict, earlier)}
          </em>
          <Lines of={text.slice(0, LINES_MAX)} />
        </span>
      ))}
      <small>
        {sayState(item)} · {item.project} · <Age at={item.since} />
        {verbs.length === 0 ? null : ` · you can: ${[...new Set(verbs)].join(", ").replaceAll("-", " ")}`}
      </small>
    </a>
  );
}
