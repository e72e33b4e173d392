/** The page: a board of all runs, the inbox, and one run with its decision. The address says which: `#/`, `#/inbox` or `#/run/ID`. */

import { render, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { call, followNews, openSession, type Rights } from "./api.ts";
import { Board, isYours } from "./board.tsx";
import icon from "./icon.svg";
import { Inbox } from "./inbox.tsx";
import { useView, type News } from "./news.ts";
import { RunPage } from "./run.tsx";
import "./style.css";
import { Loading, Main, Refused } from "./words.tsx";

const RUNS_MAX = 500;
/** Ages go on while nothing happens. */
const TICK_MS = 20_000;

type Connection = "opening" | "open" | "no-session" | "no-server";

function Page(): JSX.Element {
  const [hash, setHash] = useState(location.hash);
  const [news, setNews] = useState<News>({ count: 0, runs: undefined });
  const [own, setOwn] = useState<Rights | undefined>();
  const [connection, setConnection] = useState<Connection>("opening");
  const [badLink, setBadLink] = useState("");
  const [, tick] = useState(0);

  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), TICK_MS);
    return () => clearInterval(timer);
  }, []);

  useEffect(() => {
    const begin = async (): Promise<void> => {
      setBadLink(await openSession());
      setHash(location.hash);
      // A link that is opened in a page that is open already changes only the part of its address that is not sent.
      addEventListener("hashchange", () => void reopen());
      await followNews({
        onConnection: setConnection,
        onRights: setOwn,
        onRuns: (runs) => setNews(({ count }) => ({ count: count + 1, runs })),
      });
    };
    const reopen = async (): Promise<void> => {
      const isLink = !location.hash.startsWith("#/") && location.hash.length > 2;
      const fault = await openSession();
      if (isLink && fault === "") location.reload();
      setBadLink(fault);
      setHash(location.hash);
      scrollTo(0, 0);
    };
    void begin();
  }, []);

  return (
    <>
      <a class="skip" href="#content" onClick={skip}>
        Skip to content
      </a>
      <Views hash={hash} news={news} own={own} connection={connection} badLink={badLink} />
    </>
  );
}

/** The address must stay: it says which view is shown. */
function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#content")?.focus();
}

type ViewsProps = {
  readonly hash: string;
  readonly news: News;
  readonly own: Rights | undefined;
  readonly connection: Connection;
  readonly badLink: string;
};

function Views({ hash, news, own, connection, badLink }: ViewsProps): JSX.Element {
  if (connection === "no-session")
    return (
      <>
        <Header />
        <NoSession badLink={badLink} />
      </>
    );
  if (own === undefined)
    return (
      <>
        <Header />
        {connection === "no-server" ? <Gone /> : <Loading />}
      </>
    );
  return <Shown hash={hash} news={news} own={own} isOffline={connection === "no-server"} />;
}

type ShownProps = {
  readonly hash: string;
  readonly news: News;
  readonly own: Rights;
  readonly isOffline: boolean;
};

function Shown({ hash, news, own, isOffline }: ShownProps): JSX.Element {
  const list = useView(() => call("list", { all: true, limit: RUNS_MAX }), { news });
  const [, run] = /^#\/run\/([\w.-]+)$/.exec(hash) ?? [];
  const runs = list?.ok === true ? list.data.runs : undefined;
  const waiting = runs?.filter(isYours).length ?? 0;
  return (
    <>
      <Header
        own={own}
        at={run === undefined ? (hash === "#/inbox" ? "inbox" : "board") : ""}
        waiting={waiting}
        isOffline={isOffline}
      />
      {isOffline ? <Gone /> : null}
      {run !== undefined ? (
        <RunPage key={run} run={run} news={news} own={own} isOffline={isOffline} />
      ) : hash === "#/inbox" ? (
        <Inbox news={news} />
      ) : runs !== undefined ? (
        <Board runs={runs} own={own} />
      ) : list?.ok === false ? (
        <Refused message={list.message} />
      ) : (
        <Loading />
      )}
    </>
  );
}

function Gone(): JSX.Element {
  return (
    <p class="gone" role="alert">
      The server does not answer. Start it again with <code>signalbox serve</code>: this page connects by
      itself.
    </p>
  );
}

type HeaderProps = {
  readonly own?: Rights;
  readonly at?: string;
  readonly waiting?: number;
  readonly isOffline?: boolean;
};

function Header({ own, at = "", waiting = 0, isOffline = false }: HeaderProps): JSX.Element {
  return (
    <header class="head">
      <a class="brand" href="#/">
        <img src={icon} alt="" width="22" height="22" /> Signalbox
      </a>
      {own === undefined ? null : (
        <nav aria-label="Views">
          <a href="#/" aria-current={at === "board" ? "page" : undefined}>
            Board
          </a>
          <a href="#/inbox" aria-current={at === "inbox" ? "page" : undefined}>
            Inbox {waiting === 0 ? null : <span class="count yours">{waiting}</span>}
          </a>
        </nav>
      )}
      {own === undefined || isOffline ? null : <RightsLine own={own} />}
    </header>
  );
}

function NoSession({ badLink }: { readonly badLink: string }): JSX.Element {
  return (
    <Main title="No session" class="plain">
      <h1>This page has no session</h1>
      {badLink === "" ? null : <p class="refused">{badLink}</p>}
      <ol>
        <li>
          Go to the terminal in which <code>signalbox serve</code> runs.
        </li>
        <li>Press Enter: it prints a new link.</li>
        <li>Open that link in this browser. It works once.</li>
      </ol>
    </Main>
  );
}

function RightsLine({ own }: { readonly own: Rights }): JSX.Element {
  if (own.mayDecide) return <span class="rights good">You decide on this page</span>;
  if (!own.canDecide) return <span class="rights">This page only shows: the server has no terminal</span>;
  const code = own.code ?? "";
  return (
    <span class="rights">
      To decide here, type{" "}
      <code class="code">
        {code.slice(0, 4)}-{code.slice(4)}
      </code>{" "}
      into the terminal of signalbox serve
    </span>
  );
}

const root = document.querySelector("#page");
if (root !== null) render(<Page />, root);
