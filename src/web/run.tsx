/** One run: its decision first, then what reviewers said, what was changed, what was said, and where it is. */

import type { JSX } from "preact";
import type { DataOf } from "../app/schemas.ts";
import type { ArtifactView, RunView } from "../app/view/run-view.ts";
import { call, type Rights } from "./api.ts";
import { DecisionPanel } from "./decision.tsx";
import { Changes } from "./diff.tsx";
import { useView, type News } from "./news.ts";
import { Output } from "./output.tsx";
import { Picture } from "./picture.tsx";
import {
  Age,
  capitalised,
  Clock,
  Lines,
  Loading,
  Main,
  Refused,
  sayProcess,
  sayReview,
  sayStanding,
  sayState,
  titleOf,
  toneOf,
  toneOfStanding,
} from "./words.tsx";

const HISTORY_LINES = 200;
const LONG_LINES = 14;

type RunPageProps = {
  readonly run: string;
  readonly news: News;
  readonly own: Rights;
  readonly isOffline: boolean;
};

export function RunPage({ run, news, own, isOffline }: RunPageProps): JSX.Element {
  const about = { news, run };
  const show = useView(() => call("show", { run }), about);
  const picture = useView(() => call("picture", { run }), about);
  const history = useView(() => call("history", { run, limit: HISTORY_LINES, words: true }), about);
  const view = show?.ok === true ? show.data : undefined;
  // The changes are those of a commit, and of a run that has ended: other news of the run do not concern them.
  const of = `${view?.work?.commit ?? ""} ${view?.waits.kind === "over"}`;
  const diff = useView(() => call("diff", { run }), { news: STILL, of });
  if (show === undefined) return <Loading />;
  if (view === undefined) return <Refused message={show.ok ? "" : show.message} />;
  const tone = toneOf(view);
  return (
    <Main title={titleOf(view)} class="run">
      <header class="top">
        <h1>{titleOf(view)}</h1>
        <p>
          <span class={`badge ${tone}`}>{sayState(view)}</span> <span>{view.waits.sentence}</span>
        </p>
        <p class="quiet">
          {view.project} · {view.workflow} · {view.branch === "" ? null : `${view.branch} · `}
          {view.run} · since <Age at={view.since} />
          {view.used.input === null || view.used.turns === 0 ? null : ` · ${view.used.said}`}
        </p>
      </header>
      {view.attention === "" ? null : <p class="alert">{view.attention}</p>}
      <DecisionPanel view={view} own={own} isOffline={isOffline} tone={tone} />
      <div class="columns">
        <div>
          <Findings view={view} />
          {diff?.ok === true ? <Changes of={diff.data} message={diff.message} /> : null}
          {history?.ok === true ? <Conversation of={history.data} /> : null}
        </div>
        <div>
          <section aria-label="Where it is">
            <h2>Where it is</h2>
            {picture?.ok === true ? <Picture of={picture.data} tone={tone} /> : null}
          </section>
          <Checks view={view} />
          <Agents view={view} />
          <Tasks view={view} />
          <Artifacts view={view} />
          {history?.ok === true ? <Story of={history.data} /> : null}
        </div>
      </div>
    </Main>
  );
}

const STILL: News = { count: 0, runs: undefined };

function Findings({ view: { findings } }: { readonly view: RunView }): JSX.Element | null {
  if (findings.length === 0) return null;
  return (
    <section aria-label="Reviews">
      <h2>Reviews</h2>
      {findings.map(({ artifact, by, verdict, earlier, at, text }) => (
        <article key={`${artifact} ${at}`} class={`review ${earlier ? "" : verdict}`}>
          <p>
            <strong>{capitalised(by)}</strong> {artifact}: <em>{sayReview(verdict, earlier)}</em>{" "}
            <small>
              <Age at={at} />
            </small>
          </p>
          <Lines of={text} />
        </article>
      ))}
    </section>
  );
}

/** What agents and people have written, in full, the oldest first. */
function Conversation({ of: { lines } }: { readonly of: DataOf<"history"> }): JSX.Element | null {
  const spoken = lines.filter(({ words = "" }) => words !== "");
  if (spoken.length === 0) return null;
  return (
    <section aria-label="Conversation">
      <h2>Conversation</h2>
      <ol class="conversation">
        {spoken.map(({ seq, at, by, text, words = "" }) => {
          const long = words.split("\n").length > LONG_LINES;
          return (
            <li key={seq} class={by.type}>
              <p>
                {by.type === "human" ? <strong>{by.name ?? "A person"}</strong> : <span>{text}</span>}{" "}
                <small>
                  <Clock at={at} />
                </small>
              </p>
              {long ? (
                <details>
                  <summary>{words.split("\n").length} lines</summary>
                  <div class="text">{words}</div>
                </details>
              ) : (
                <div class="text">{words}</div>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Checks({ view: { run, checks, artifacts } }: { readonly view: RunView }): JSX.Element | null {
  const all = artifacts.filter(({ check = false }) => check);
  if (all.length === 0) return null;
  return (
    <section aria-label="Checks">
      <h2>Checks</h2>
      <ul class="rows">
        {all.map(({ artifact, standing, good, reason }) => {
          const live = checks.find((check) => check.artifact === artifact);
          return (
            <li key={artifact}>
              <strong>{artifact}</strong> <span class="quiet">·</span>{" "}
              <span class={live === undefined ? toneOfStanding(standing, good) : ""}>
                {live === undefined ? sayStanding(standing) : sayProcess(live.process)}
              </span>{" "}
              <small>{reason === "" ? "" : `· ${reason}`}</small>
              <Output of={{ run, check: artifact }} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Agents({ view: { run, agents } }: { readonly view: RunView }): JSX.Element {
  return (
    <section aria-label="Agents">
      <h2>Agents</h2>
      {agents.length === 0 ? <p class="quiet">No agent is called at the moment.</p> : null}
      <ul class="rows">
        {agents.map(({ role, slot, attempt, status, process, output }) => (
          <li key={`${role} ${slot} ${attempt}`}>
            <strong>{slot === "" ? role : `${role}/${slot}`}</strong>{" "}
            <span class={status === "crashed" ? "wrong" : ""}>
              {status === "crashed" ? "crashed" : sayProcess(process)}
            </span>{" "}
            <small>{attempt > 1 ? `attempt ${attempt}` : ""}</small>
            {output === "" ? null : <Lines of={[output]} />}
            {process === "not-started" ? null : <Output of={{ run, role }} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Tasks({ view: { children } }: { readonly view: RunView }): JSX.Element | null {
  if (children.length === 0) return null;
  return (
    <section aria-label="Tasks">
      <h2>Tasks</h2>
      <ul class="rows">
        {children.map(({ list, task, title, run, status, waits }) => (
          <li key={`${list} ${task}`}>
            {run === "" ? <strong>{task}</strong> : <a href={`#/run/${run}`}>{task}</a>} {title}{" "}
            <small>
              {status}
              {waits === "" ? "" : `: ${waits}`}
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Facts such as a turn in the queue are conditions, and no documents. What is missing and not needed now is shown when a person asks for it. */
function Artifacts({ view: { artifacts } }: { readonly view: RunView }): JSX.Element {
  const all = artifacts.filter(({ check = false, standing }) => !check && standing !== "holds");
  const isLater = ({ standing, wanted }: ArtifactView): boolean => standing === "missing" && !wanted;
  const [now, later] = [all.filter((each) => !isLater(each)), all.filter(isLater)];
  return (
    <section aria-label="Artifacts">
      <h2>Artifacts</h2>
      {now.length === 0 ? <p class="quiet">None is needed at the moment.</p> : <ArtifactRows of={now} />}
      {later.length === 0 ? null : (
        <details class="others">
          <summary>{later.length} that are not needed now</summary>
          <ArtifactRows of={later} />
        </details>
      )}
    </section>
  );
}

function ArtifactRows({ of }: { readonly of: readonly ArtifactView[] }): JSX.Element {
  return (
    <ul class="rows">
      {of.map(({ artifact, standing, good, wanted, reason }) => (
        <li key={artifact} class={good || wanted ? "" : "quiet"}>
          <strong>{artifact}</strong> <span class="quiet">·</span>{" "}
          <span class={toneOfStanding(standing, good)}>{sayStanding(standing)}</span>{" "}
          <small>{reason === "" ? "" : `· ${reason}`}</small>
        </li>
      ))}
    </ul>
  );
}

function Story({ of: { lines, more, run } }: { readonly of: DataOf<"history"> }): JSX.Element {
  return (
    <section aria-label="History">
      <h2>History</h2>
      <ol class="story">
        {lines
          .filter(({ text }) => text !== "")
          .toReversed()
          .map(({ seq, at, text }) => (
            <li key={seq}>
              <Clock at={at} />
              <span>{text}</span>
            </li>
          ))}
        {more ? (
          <li class="quiet">
            Older events: <code>signalbox history {run}</code>
          </li>
        ) : null}
      </ol>
    </section>
  );
}
